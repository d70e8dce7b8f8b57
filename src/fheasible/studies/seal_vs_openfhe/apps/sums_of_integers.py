"""n additions: n + 1 encrypted vectors of 4,096 integers modulo t, added to each other one after another."""

import fheasible as fh

n = 50
t = 65537


@fh.app(**{f"x{i}": fh.integers(4096, modulo=t) for i in range(n + 1)})
def sums_of_integers(x0, **others):
    total = x0
    for x in others.values():
        total = total + x
    return total
