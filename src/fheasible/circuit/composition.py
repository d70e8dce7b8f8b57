"""Compositions of odd polynomials that are near the sign of their argument: which of them take the fewest
levels.

A composition p_k o ... o p_1 whose polynomials are each nearest to 1 on the interval that the one before
reaches is the best of its degrees [LLNK22]. So a single number stands for how far a composition
has come: the `closeness` of the interval that it has reached. A better start leads to a better end, whatever
the polynomials that follow, and the best compositions of k levels are found from the best of fewer levels
[LLNK22].
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import log2
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebval

from fheasible.aliases import Floats
from fheasible.circuit.minimax import LEAST_ERROR, odd_minimax

RELINEARISATIONS = {3: 2, 5: 3, 7: 4, 9: 5, 11: 5, 13: 6, 15: 7, 19: 7, 27: 8, 29: 9, 31: 10}
"""The degrees of the polynomials that are composed, with the relinearisations that an odd series of that
degree takes (in `lowering/polynomial.py`; a test compares), since these take most of the time. Degrees in
between take as many as a higher one. As in the published compositions, no degree is above 31."""

HEADROOM = 2.0**-6
"""How far noise may take a value beyond the interval of the next polynomial, which grows steeply there. It is
that of the worst of all slots, since one slot with a huge value spoils all others."""

MOST_LEVELS = 24  # of a composition: its error is 2^-22 then, and the table ends
CLOSENESSES = np.arange(-20.0, 20.125, 0.125)  # of the table
TABLE = Path(__file__).parent / "tables" / "minimax.npy"
_INSIDE = 0.15  # x (1 - p(x)) is at most about so much times low, for x from 0 to low
_PLACES = 129  # from 0 to low, at which it is found exactly


class Composition(tuple[int, ...]):
    """The degrees of polynomials, each of the result of the one before. It is written as 7x15."""

    __slots__ = ()

    def __str__(self) -> str:
        return "x".join(map(str, self))

    @property
    def levels(self) -> int:
        """The levels that the series take."""
        return sum(degree.bit_length() for degree in self)

    @property
    def relinearisations(self) -> int:
        """The relinearisations of all series: what takes most of their time."""
        return sum(RELINEARISATIONS[degree] for degree in self)


class Composed(NamedTuple):
    """The Chebyshev coefficients of each polynomial, and the largest distance of the last one from 1 on [low,
    1].

    All polynomials but the last map [-1, 1] into [-1 / (1 + HEADROOM), 1 / (1 + HEADROOM)].
    """

    stages: tuple[tuple[float, ...], ...]
    low: float
    error: float


def closeness(low: float) -> float:
    """log2(low / (1 - low)): how close the interval [low, 1] is to its end 1."""
    return log2(low / (1 - low))


def start(found: float) -> float:
    """The number low of an interval [low, 1] of that closeness."""
    return float(1 / (1 + 2.0**-found))


@lru_cache(maxsize=4096)
def composed(degrees: Composition, low: float, headroom: float = HEADROOM) -> Composed:
    """The best composition of these degrees for the sign of x, where `low` <= |x| <= 1."""
    found, at = [], low
    for degree in degrees:
        found.append(odd_minimax(degree, at))
        at = (1 - found[-1].error) / (1 + found[-1].error) / (1 + headroom)
    before = (_divided(m.coefficients, (1 + m.error) * (1 + headroom)) for m in found[:-1])
    return Composed((*before, found[-1].coefficients), low, found[-1].error)


def _divided(coefficients: Sequence[float], by: float) -> tuple[float, ...]:
    return tuple(c / by for c in coefficients)


@lru_cache(maxsize=1024)
def for_kink(degrees: Composition) -> Composed:
    """The composition with which x p(x) is nearest to |x| on all of [-1, 1].

    The interval where p is close to 1 begins where the error beyond it is as large as the error before it.
    """
    near, far = _bracket(degrees)
    while far - near > 0.02:
        middle = (near + far) / 2
        found = composed(degrees, 2.0**middle)
        near, far = (near, middle) if found.error < _inside(found) else (middle, far)
    return composed(degrees, 2.0**far)


def _bracket(degrees: Composition) -> tuple[float, float]:
    """log2 of two numbers low, in between which the interval of a kink begins; by the table."""
    near, far = -20.0, 0.0
    while far - near > 0.01:
        middle = (near + far) / 2
        error = _error_by_table(degrees, 2.0**middle)
        near, far = (near, middle) if error < _INSIDE * 2.0**middle else (middle, far)
    return far - 0.5, min(far + 0.7, -0.01)


def _inside(found: Composed) -> float:
    """The largest |x p(x) - x| for x from 0 to `found.low`."""
    x = np.linspace(0.0, found.low, _PLACES)
    return float((x * (1 - composition_at(found.stages, x))).max())


def composition_at(stages: Sequence[Sequence[float]], x: Floats) -> Floats:
    """The values of the last of these Chebyshev series, each of the result of the one before, at x."""
    for coefficients in stages:
        x = np.asarray(chebval(x, coefficients), dtype=np.float64)
    return x


@lru_cache(maxsize=1024)
def best(levels: int, low: float, headroom: float = HEADROOM) -> tuple[Composition, ...]:
    """The compositions of that many levels that are worth having for the sign of x, `low` <= |x| <= 1.

    Each takes fewer relinearisations than the next one, and has a larger error. The last has the least error
    of all.
    """
    states: list[dict[int, _State]] = [{0: _State(closeness(low), ())}]
    for level in range(1, levels + 1):
        states.append(_undominated(_reached(states, level, headroom)))
    return tuple(Composition(s.degrees) for s in states[-1].values())


@lru_cache(maxsize=64)
def best_for_kink(levels: int) -> tuple[Composition, ...]:
    """The compositions of that many levels that are worth having for |x|, -1 <= x <= 1; see `best`."""
    near, far = -19.0, -0.5
    while far - near > 0.1:
        middle = (near + far) / 2
        enough = _least_error(levels, 2.0**middle) < _INSIDE * 2.0**middle
        near, far = (near, middle) if enough else (middle, far)
    return best(levels, 2.0**far)


class _State(NamedTuple):
    closeness: float
    degrees: tuple[int, ...]


def _reached(states: list[dict[int, _State]], level: int, headroom: float) -> list[tuple[int, _State]]:
    """What one more polynomial leads to at that level: relinearisations and state."""
    return [
        (cost + own, _State(_after(degree, _next(state, headroom)), (*state.degrees, degree)))
        for degree, own in RELINEARISATIONS.items()
        if degree.bit_length() <= level
        for cost, state in states[level - degree.bit_length()].items()
    ]


def _next(state: _State, headroom: float = HEADROOM) -> float:
    """The closeness with which the next polynomial begins."""
    return closeness(start(state.closeness) / (1 + headroom)) if state.degrees else state.closeness


def _undominated(found: list[tuple[int, _State]]) -> dict[int, _State]:
    """The states by relinearisations, without those that are no closer than one of fewer."""
    kept: dict[int, _State] = {}
    closest = -np.inf
    for cost, state in sorted(found, key=lambda each: (each[0], -each[1].closeness)):
        if state.closeness > closest:
            kept[cost], closest = state, state.closeness
    return kept


@lru_cache(maxsize=1024)
def _least_error(levels: int, low: float) -> float:
    """The error of the composition of that many levels that has the least, from the table."""
    found = best(levels, low)
    return _error_by_table(found[-1], low) if found else 1.0


def expected_error(degrees: Composition, low: float | None) -> float:
    """About the error of a composition for the sign of x, `low` <= |x| <= 1, or, with None, for a kink."""
    return _error_by_table(degrees, low) if low is not None else _INSIDE * 2.0 ** (_bracket(degrees)[0] + 0.5)


def _error_by_table(degrees: Sequence[int], low: float) -> float:
    """The error of a composition, as the table has it."""
    state = _State(closeness(low), ())
    for degree in degrees:
        state = _State(_after(degree, _next(state)), (*state.degrees, degree))
    return float(1 / (1 + 2 * 2.0**state.closeness))  # the inverse of `reached_by`


def reached_by(degree: int, low: float) -> float:
    """The closeness of what the polynomial of that degree makes of [low, 1]."""
    error = odd_minimax(degree, low).error
    return log2((1 - error) / (2 * max(error, LEAST_ERROR)))


@cache
def _table() -> dict[int, Floats]:
    return dict(zip(RELINEARISATIONS, np.load(TABLE), strict=True))


def _after(degree: int, at: float) -> float:
    """`reached_by`, of a closeness instead of an interval, from the table."""
    return float(np.interp(at, CLOSENESSES, _table()[degree]))
