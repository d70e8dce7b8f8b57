"""Where in a ring's slots the mean of a polynomial's coefficients sits."""

from functools import cache
from math import log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Of the square of p(X) - p(1/X), how much lies in the mean of its coefficients, where p = (1 + X + ...) s and
# s has the same variance in every slot: the sum of the squares of what each has of `shape`, 8 / (pi k)^2 for
# odd k. (Of the square of p itself it is half as much.)
MEAN_SHARE: Final = 2 / 3

# How many times its average the square of that is with one key in a thousand. Over keys the square of s in a
# slot has an exponential distribution, so that the sum of all, each with its part of `shape`, exceeds w with
# the chance 4 / pi exp(-w pi^2 / 8), far out: 4 / pi is the product of 1 / (1 - 1 / k^2) over odd k from 3.
RARE_OFFSETS: Final = 8 / pi**2 * log(1000 * 4 / pi)


@cache
def shape(slots: int) -> NDArray[np.float64]:
    """|2 / (1 - zeta_j)|^2 over its mean, where slot j belongs to the root zeta_j = exp(i pi 5^j / n) of a
    ring with n = 2 slots: what each slot has of the square of 1 + X + ... + X^(n-1). It is some 0.4 n in
    slot 0."""
    n = 2 * slots
    found: NDArray[np.float64] = 1 / (n * np.sin(np.pi * roots(slots) / (2 * n)) ** 2)
    return found


def roots(slots: int) -> NDArray[np.int64]:
    """5^j modulo 4 slots, of each slot j: the exponent of the root that it belongs to."""
    powers = np.ones(1, dtype=np.int64)
    while len(powers) < slots:
        powers = np.concatenate([powers, powers * pow(5, len(powers), 4 * slots) % (4 * slots)])
    return powers
