"""The standard deviation of real numbers in [0, 1], its root a Chebyshev series on [0, high] [GKS25].

The paper does not say on which interval. [0, 1] gives its precision; no variance exceeds 0.25.
"""

import fheasible as fh

n = 65_536
degree = 247
high = 1.0


@fh.app(x=fh.reals(n, low=0, high=1))
def standard_deviation(x):
    return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=high, degree=degree)
