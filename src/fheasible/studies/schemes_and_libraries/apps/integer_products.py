"""`depth` products of integers, one after another; each vector fills one ciphertext."""

import fheasible as fh

depth = 2
n = 32_768


@fh.app(x=fh.integers(n, low=0, high=1), y=fh.integers(n, low=0, high=1))
def integer_products(x, y):
    result = x
    for _ in range(depth):
        result = result * y
    return result
