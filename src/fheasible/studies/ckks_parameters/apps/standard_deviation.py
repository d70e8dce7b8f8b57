"""The standard deviation of real numbers in [0, 1], its root a Chebyshev series of degree 247 [GKS25]."""

import fheasible as fh

n = 65_536
degree = 247


@fh.app(x=fh.reals(n, low=0, high=1))
def standard_deviation(x):
    return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=0.25, degree=degree)
