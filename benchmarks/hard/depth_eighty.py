"""Eighty steps of x = x - x^2, each a multiplication deeper than the one before."""

import fheasible as fh

STEPS = 80


@fh.app(x=fh.reals(100, low=0.1, high=0.5), minimise_depth=False)
def depth_eighty(x):
    for _ in range(STEPS):
        x = x - x**2
    return x
