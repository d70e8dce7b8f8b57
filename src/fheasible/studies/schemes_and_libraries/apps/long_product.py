"""Equation 1 of the paper: the product of n real numbers that are packed into one ciphertext."""

import fheasible as fh

n = 2


@fh.app(x=fh.reals(n, low=0.9, high=1.1))
def long_product(x):
    result = x[0]
    for i in range(1, n):
        result = result * x[i]
    return result
