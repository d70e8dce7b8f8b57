"""`depth` products of real numbers, one after another; each vector fills one ciphertext."""

import fheasible as fh

depth = 2
n = 32_768


@fh.app(x=fh.reals(n, low=-1, high=1), y=fh.reals(n, low=-1, high=1))
def real_products(x, y):
    result = x
    for _ in range(depth):
        result = result * y
    return result
