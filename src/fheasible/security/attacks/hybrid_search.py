"""How the hybrid attacks are searched: the least of a cost over whole numbers, for many rows at once."""

from collections.abc import Callable

import numpy as np

from fheasible.security.attacks.cost import FIELDS, Cost, flat
from fheasible.security.attacks.reduction import MIN_BLOCK_SIZE, Floats, Ints

LARGEST_BLOCK = 2048  # 2^600 operations
_POINTS = 9  # that are tried first
_SHARES = np.concatenate([[0], np.geomspace(1 / 150, 0.15, 7), np.linspace(0.2, 1, 13)])  # of n, to guess

Costs = Callable[[Ints], Floats]  # of a (rows, K) array of choices


def least(cost: Costs, low: Ints, high: Ints) -> tuple[Ints, Floats]:
    """(where a row's cost is least between low and high, that cost).

    Exact where the cost falls and then rises along a row; a ripple costs no more than its height.
    """
    return _halved(cost, *_tried(cost, np.linspace(low, high, _POINTS, axis=1)))


def least_guessed(cost: Costs, n: Floats) -> tuple[Ints, Floats]:
    """(how many of n coordinates are best guessed, the cost), to half a percent; none at all is tried too.

    Every number of non-zeros has a best number of coordinates of its own, a tenth apart or so: hence the
    second look, at as many again around the first best.
    """
    tried, _ = _tried(cost, np.minimum(n[:, None] * _SHARES, n[:, None] - 1))
    return _halved(cost, *_tried(cost, np.linspace(tried[:, 0], tried[:, 2], _POINTS, axis=1)), 0.005)


def least_block(cost: Costs, rows: int) -> tuple[Ints, Floats]:
    """(the block size whose cost is least, that cost) of each row."""
    return _halved(
        cost, *_tried(cost, np.tile(np.geomspace(MIN_BLOCK_SIZE, LARGEST_BLOCK, _POINTS), (rows, 1)))
    )


def _tried(cost: Costs, choices: Floats) -> tuple[Ints, Floats]:
    """The cheapest of each row's choices, rounded, between its neighbours; and what the three cost."""
    rounded = np.rint(choices).astype(np.int64)
    return _around(rounded, cost(rounded))


def _halved(cost: Costs, tried: Ints, costs: Floats, close: float = 0.0) -> tuple[Ints, Floats]:
    """Halves the neighbourhood of the best one until nothing lies between."""
    while np.any(wide := tried[:, 2] - tried[:, 0] > np.maximum(2, close * tried[:, 1])):
        halves = (tried[:, 1:] + tried[:, :-1]) // 2
        halves = np.where(wide[:, None], halves, tried[:, 1:2])  # what a row finds depends on no other
        order = [0, 3, 1, 4, 2]
        tried, costs = _around(
            np.concatenate([tried, halves], axis=1)[:, order],
            np.concatenate([costs, cost(halves)], axis=1)[:, order],
        )
    return tried[:, 1], costs[:, 1]


def _around(tried: Ints, costs: Floats) -> tuple[Ints, Floats]:
    """The cheapest of each row between its neighbours; at an end it is its own neighbour."""
    at = np.argmin(costs, axis=1)[:, None]
    three = np.clip(at + np.arange(-1, 2), 0, tried.shape[1] - 1)
    return np.take_along_axis(tried, three, 1), np.take_along_axis(costs, three, 1)


def guesses_nearby(zeta: Ints, n: Floats) -> Ints:
    """Numbers of guessed coordinates around each one given, the nearer the closer, as (rows, K)."""
    steps = np.array([0.0, 0.001, 0.0025, 0.006, 0.015, 0.04])
    near = zeta[:, None] * (1 + np.append(-steps[:0:-1], steps))
    return np.asarray(np.clip(np.rint(near), 0, n[:, None] - 1)).astype(np.int64)


def blocks_nearby(beta: Ints) -> Ints:
    """Block sizes around each one given, as (rows, K)."""
    return np.asarray(np.clip(beta[:, None] + np.arange(-6, 7), MIN_BLOCK_SIZE, LARGEST_BLOCK))


def owners(choices: Ints) -> Ints:
    """The row of each of a (rows, K) array's choices, in one row."""
    return np.repeat(np.arange(choices.shape[0]), choices.shape[1])


def regrouped(costs: Cost, rows: int) -> Cost:
    """The choices of consecutive rows as the choices of one, for so many rows."""
    return Cost(*(np.reshape(getattr(flat(costs), name), (rows, -1)) for name in FIELDS))


def never(count: int) -> Cost:
    """Of an attack that applies to none of so many problems."""
    nothing = np.zeros(count, dtype=np.int64)
    return Cost(np.full(count, np.inf), nothing, nothing, nothing, np.full(count, np.nan))
