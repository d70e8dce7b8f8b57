"""The coefficients of what is encoded: some libraries refuse a vector whose largest rounds to zero."""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.encoding import coefficients

_PLENTY = 2.0**-16  # a coefficient as large as this does not round to zero at any scale


def least_coefficient(rows: Sequence[Floats]) -> float:
    """The least of the rows' largest coefficients, without rows of zeros; infinite where all are zero. Where
    it is large enough for every scale, a lower bound is returned instead."""
    least = inf
    for bound, row in sorted(((_bound(r), r) for r in rows if r.any()), key=lambda found: found[0]):
        if bound >= least:
            break
        least = min(least, bound if bound > _PLENTY else largest_coefficient(row))
    return least


def _bound(row: Floats) -> float:
    """A lower bound of the largest coefficient: the root mean square of the coefficients."""
    most = float(np.abs(row).max())
    return most if len(row) == 1 else most * float(np.linalg.norm(row / most)) / (len(row) * sqrt(2))


def largest_coefficient(row: Floats) -> float:
    """The largest coefficient, without its sign, of the polynomial that has these real numbers in its slots,
    however often the ring repeats them."""
    return float(np.abs(coefficients(row)).max())
