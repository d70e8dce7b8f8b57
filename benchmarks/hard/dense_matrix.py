"""A plain matrix of 1,024 x 1,024, each entry another, times a vector of reals."""

import numpy as np

import fheasible as fh

SIDE = 1024
matrix = np.random.default_rng(0).normal(0, 1 / 32, (SIDE, SIDE))


@fh.app(x=fh.reals(SIDE, low=-1, high=1))
def dense_matrix(x):
    return matrix @ x
