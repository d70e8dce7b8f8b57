"""How the mean of a polynomial's coefficients is distributed over a ring's slots."""

from functools import cache
from math import log, pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

# The share of the square of p(X) - p(1/X) that lies in the mean of its coefficients, where p = (1 + X + ...)
# times s, and s has the same variance in every slot. It is the sum of the squares of what each slot has
# of `shape`, 8 / (pi k)^2 for odd k. (For the square of p itself it is half as much.)
MEAN_SHARE: Final = 2 / 3

# How many times its average the square of p is with one key in a thousand. Over keys, the square of s in a
# slot has an exponential distribution. The sum over all slots, each times what it has of `shape`, therefore
# exceeds a large w with the chance 4 / pi exp(-w pi^2 / 8), where 4 / pi is the product of 1 / (1 - 1 / k^2)
# over odd k from 3.
RARE_OFFSETS: Final = 8 / pi**2 * log(1000 * 4 / pi)


@cache
def shape(slots: int) -> NDArray[np.float64]:
    """What each slot has of the square of 1 + X + ... + X^(n-1), over the mean of all slots:
    |2 / (1 - zeta_j)|^2 over its mean. Slot j belongs to the root zeta_j = exp(i pi 5^j / n) of a ring with
    n = 2 * slots. The result is about 0.4 n in slot 0."""
    n = 2 * slots
    found: NDArray[np.float64] = 1 / (n * np.sin(np.pi * roots(slots) / (2 * n)) ** 2)
    return found


def roots(slots: int) -> NDArray[np.int64]:
    """5^j modulo 4 * slots for each slot j: the exponent of the root that the slot belongs to."""
    powers = np.ones(1, dtype=np.int64)
    while len(powers) < slots:
        powers = np.concatenate([powers, powers * pow(5, len(powers), 4 * slots) % (4 * slots)])
    return powers
