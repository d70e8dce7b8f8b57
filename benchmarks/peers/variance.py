"""The variance of 4,096 reals, as a peer's user would write it."""

import fheasible as fh


@fh.app(x=fh.reals(4096, low=0, high=1))
def variance(x):
    return fh.mean((x - fh.mean(x)) ** 2)
