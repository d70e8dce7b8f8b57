"""The inner product of two vectors of 1,000 integers from 0 to 15.

Exact in BGV and BFV, approximate in CKKS: the same circuit in all three.
"""

import fheasible as fh


@fh.app(a=fh.integers(1000, low=0, high=15), b=fh.integers(1000, low=0, high=15))
def inner_product(a, b):
    return fh.inner_product(a, b)
