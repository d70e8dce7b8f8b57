"""Equation 1 as the paper computes it: a vector is turned by a slot and multiplied again, n - 1 times."""

import fheasible as fh

n = 2
batch = 128  # slots, of which each becomes the product of n neighbours


@fh.app(x=fh.reals(batch, low=0.95, high=1))
def rotated_product(x):
    product = x
    for _ in range(n - 1):
        product = fh.rotate(product, 1) * x
    return product
