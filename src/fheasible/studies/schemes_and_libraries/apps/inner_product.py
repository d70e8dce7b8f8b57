"""Equation 2 of the paper: the inner product of two vectors, both encrypted."""

import fheasible as fh

n = 2


@fh.app(a=fh.reals(n, low=-1, high=1), b=fh.reals(n, low=-1, high=1))
def inner_product(a, b):
    return fh.sum(a * b)
