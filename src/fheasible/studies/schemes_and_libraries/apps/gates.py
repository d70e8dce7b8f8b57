"""Section V of the paper: a hundred bits, each bootstrapped once, as ANDs with a hundred others."""

import fheasible as fh

n = 100


@fh.app(x=fh.integers(n, low=0, high=1), y=fh.integers(n, low=0, high=1))
def gates(x, y):
    return x & y
