"""One score for each of 5,000 rows of ten reals, which lie row by row in one vector.

The same ten weights apply to each row: the matrix is the Kronecker product of the identity with them.
"""

import numpy as np
from scipy import sparse

import fheasible as fh

ROWS, FEATURES = 5_000, 10
weights = np.random.default_rng(0).normal(0, 0.3, (1, FEATURES))


@fh.app(table=fh.reals(ROWS * FEATURES, low=-1, high=1))
def row_scores(table):
    return fh.matmul(sparse.kron(sparse.eye(ROWS), weights), table)
