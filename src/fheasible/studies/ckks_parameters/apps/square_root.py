"""The mean of square roots of real numbers in [0, 1], by a Chebyshev series [GKS25, Sec. 3.2]."""

import fheasible as fh

n = 32
degree = 247


@fh.app(x=fh.reals(n, low=0, high=1))
def square_root(x):
    return fh.mean(fh.sqrt(x, low=0, high=1, degree=degree))
