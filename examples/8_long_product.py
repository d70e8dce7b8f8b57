"""Products of 100 neighbours among 128 encrypted numbers: 99 levels, far more than any ring has.

Equation 1 of the schemes-and-libraries paper. Each step turns what is there by one place and multiplies it
with the vector again, so that one rotation key is enough; bootstraps bring levels back on the way.
"""

import fheasible as fh

NUMBERS, FACTORS = 128, 100


@fh.app(x=fh.reals(NUMBERS, low=0.95, high=1))
def long_product(x):
    product = x
    for _ in range(FACTORS - 1):
        product = fh.rotate(product, 1) * x
    return product
