"""Computations whose noise is not independent: powers of one ciphertext, and sums of its rotated copies."""

import fheasible as fh


@fh.app(x=fh.reals(1024, low=-1, high=1))
def powers(x):
    return x**16


@fh.app(x=fh.integers(1024, low=-2, high=2))
def integer_powers(x):
    return x**16


@fh.app(x=fh.integers(1024, low=0, high=15))
def rotated_copies(x):
    total = x
    for steps in range(1, 8):
        total = total + fh.rotate(x, steps)
    return total * total
