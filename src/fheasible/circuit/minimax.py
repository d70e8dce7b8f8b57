"""Odd polynomials that are nearest to the sign of their argument, except close to 0.

The polynomial of degree d whose largest distance from 1 on [low, 1] is least. It is odd, so that it is as
near to -1 on [-1, -low]: on both intervals together it is the best approximation of the sign [LLNK22, Lemma
2].
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from numpy.typing import NDArray

from fheasible.aliases import Floats

LEAST_ERROR = 2.0**-40  # smaller ones leave coefficients that doubles cannot tell
_POINTS = 16  # of the grid, for each coefficient: extrema are found there, and then between its points
_NEWTON = 3  # steps from a point of the grid to the extremum beside it
_ROUNDS = 40
_LEVELLED = (
    1e-7  # how far the extrema of the error may differ, beside the error and beside its distance from 1
)


class OddMinimax(NamedTuple):
    """An odd polynomial near 1 on [low, 1]: its Chebyshev coefficients on [-1, 1], and its largest error
    there.

    Between 0 and `low` it grows steadily from 0, so that it is at most 1 + error everywhere in [-1, 1].
    """

    coefficients: tuple[float, ...]
    error: float


@lru_cache(maxsize=1 << 14)
def odd_minimax(degree: int, low: float) -> OddMinimax:
    """The polynomial of that odd degree that is nearest to 1 on [low, 1], for 0 < low < 1.

    It is found by Remez's exchange of alternating extrema [Rem34]. Where its error would be below
    `LEAST_ERROR`, it is the one of a wider interval, whose error is not.
    """
    count = (degree + 1) // 2  # coefficients, those of T_1, T_3, ...
    low = min(low, 1 - _narrowest(count))
    grid = _spread(low, _POINTS * count)
    nodes, c, error = _spread(low, count), np.zeros(degree + 1), 1.0
    basis = _basis(grid, degree)
    for _ in range(_ROUNDS):
        c[1::2], level = _levelled(_basis(nodes, degree))
        nodes = _extrema(c, grid, basis @ c[1::2] - 1.0, count + 1)
        error = float(np.abs(chebval(nodes, c) - 1.0).max())
        if error - abs(level) <= _LEVELLED * min(abs(level), 1 - abs(level)):
            break
    return OddMinimax(tuple(map(float, c)), error)


def _spread(low: float, count: int) -> Floats:
    """Points of [low, 1] from end to end, denser at both ends as extrema are."""
    found = (1 + low) / 2 - (1 - low) / 2 * np.cos(np.linspace(0.0, np.pi, count + 1))
    return np.clip(found, low, 1.0)


def _basis(x: Floats, degree: int) -> Floats:
    """T_1, T_3, ... up to the degree, at each x."""
    found: Floats = np.cos(np.outer(np.arccos(x), np.arange(1, degree + 1, 2)))
    return found


def _narrowest(count: int) -> float:
    """The width of the interval on which the polynomial of so many coefficients has about `LEAST_ERROR`.

    With t = x^2, p(x) / x is the best polynomial for 1 / sqrt(t) on an interval of half that width around 1.
    Its error is that of the first term of the binomial series that it lacks, spread evenly.
    """
    coefficient = 2 * comb(2 * count, count) / 8.0**count
    return float((LEAST_ERROR / coefficient) ** (1 / count))


def _levelled(basis: Floats) -> tuple[Floats, float]:
    """The coefficients whose error has one size at all of these points, with alternating signs, and that
    size."""
    signs = 1.0 - 2.0 * (np.arange(len(basis)) % 2)
    found = np.linalg.solve(np.column_stack([basis, signs]), np.ones(len(basis)))
    return np.asarray(found[:-1], dtype=np.float64), float(found[-1])


def _extrema(c: Floats, grid: Floats, error: Floats, count: int) -> Floats:
    """The `count` extrema of the error whose signs alternate, the largest of each run of one sign. Where
    there are more, the smaller end is left out."""
    runs = np.split(np.arange(len(error)), np.flatnonzero(np.diff(np.sign(error))) + 1)
    places = [int(run[np.argmax(np.abs(error[run]))]) for run in runs]
    while len(places) > count:
        places.pop(0 if abs(error[places[0]]) < abs(error[places[-1]]) else -1)
    return _refined(c, grid, np.array(places, dtype=np.intp))


def _refined(c: Floats, grid: Floats, places: NDArray[np.intp]) -> Floats:
    """The extrema beside these points of the grid. The ends of the interval stay."""
    x = grid[places]
    before, after = grid[np.maximum(places - 1, 0)], grid[np.minimum(places + 1, len(grid) - 1)]
    inside = (places > 0) & (places < len(grid) - 1)
    slope, bend = chebder(c), chebder(c, 2)
    both = np.column_stack([slope, np.pad(bend, (0, len(slope) - len(bend)))])
    for _ in range(_NEWTON):
        slope, bend = chebval(x, both)
        step = np.divide(slope, bend, out=np.zeros_like(x), where=bend != 0)
        x = np.where(inside, np.clip(x - step, before, after), x)
    return np.asarray(x)
