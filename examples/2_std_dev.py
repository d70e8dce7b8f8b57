"""The standard deviation of 65,536 real numbers in [0, 1].

A variance of such numbers is at most 0.25; its root is a Chebyshev series of degree 247.
"""

import fheasible as fh


@fh.app(x=fh.reals(65_536, low=0, high=1))
def std_dev(x):
    return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=0.25, degree=247)
