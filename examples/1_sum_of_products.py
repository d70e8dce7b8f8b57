"""The sum of x*y*z over 65,536 triples of real numbers in [0, 1].

Two products and a sum over every slot: the least that shows what a deeper circuit costs in CKKS.
"""

import fheasible as fh


@fh.app(
    x=fh.reals(65_536, low=0, high=1),
    y=fh.reals(65_536, low=0, high=1),
    z=fh.reals(65_536, low=0, high=1),
)
def sum_of_products(x, y, z):
    return fh.sum(x * y * z)
