"""Ten squarings in succession of 4,096 bits."""

import fheasible as fh


@fh.app(x=fh.integers(4096, low=0, high=1))
def squarings(x):
    for _ in range(10):
        x = x * x
    return x
