"""n additions: n + 1 encrypted vectors of 4,096 reals in [0.9, 1], added to each other one after another."""

import fheasible as fh

n = 50


@fh.app(**{f"x{i}": fh.reals(4096, low=0.9, high=1) for i in range(n + 1)})
def sums_of_reals(x0, **others):
    total = x0
    for x in others.values():
        total = total + x
    return total
