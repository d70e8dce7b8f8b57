"""n multiplications: n + 1 encrypted vectors of 4,096 reals in [0.9, 1], multiplied one after another."""

import fheasible as fh

n = 2


@fh.app(**{f"x{i}": fh.reals(4096, low=0.9, high=1) for i in range(n + 1)})
def products_of_reals(x0, **others):
    product = x0
    for x in others.values():
        product = product * x
    return product
