"""The variance of 4,096 reals as HEIR compiles it: the mean of the squares less the square of the mean."""

import fheasible as fh


@fh.app(x=fh.reals(4096, low=0, high=1))
def mean_of_squares(x):
    return fh.mean(x * x) - fh.mean(x) ** 2
