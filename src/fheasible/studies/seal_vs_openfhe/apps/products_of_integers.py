"""n multiplications: n + 1 encrypted vectors of 4,096 integers modulo t, multiplied one after another."""

import fheasible as fh

n = 2
t = 65537


@fh.app(**{f"x{i}": fh.integers(4096, modulo=t) for i in range(n + 1)})
def products_of_integers(x0, **others):
    product = x0
    for x in others.values():
        product = product * x
    return product
