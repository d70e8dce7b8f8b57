"""A network of 784-128-128-10 whose activations are squares, with random weights.

The weights are normal, and small enough for HEIR's first modulus to hold the largest result.
"""

from itertools import pairwise

import numpy as np

import fheasible as fh

WIDTHS = (784, 128, 128, 10)
random = np.random.default_rng(0)
first, second, third = (
    random.normal(0, 0.7 * columns**-0.5, (rows, columns)) for columns, rows in pairwise(WIDTHS)
)


@fh.app(x=fh.reals(WIDTHS[0], low=0, high=1))
def network(x):
    return third @ (second @ (first @ x) ** 2) ** 2
