"""Eighty steps of x = r x (1 - x), each a multiplication deeper than the one before."""

import fheasible as fh

STEPS = 80


@fh.app(x=fh.reals(100, low=0.1, high=0.9), minimise_depth=False)
def depth_eighty(x):
    for _ in range(STEPS):
        x = 2.5 * x * (1 - x)
    return x
