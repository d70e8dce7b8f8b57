"""The search of the hybrid attacks: the least cost over whole numbers, for many rows at once."""

from collections.abc import Callable

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import FIELDS, Cost, flat
from fheasible.security.attacks.reduction import MIN_BLOCK_SIZE

LARGEST_BLOCK = 2048  # 2^600 operations
_POINTS = 9  # choices that are tried first
_SHARES = np.concatenate([[0], np.geomspace(1 / 150, 0.15, 7), np.linspace(0.2, 1, 13)])  # of n, guessed

Costs = Callable[[Ints], Floats]  # the costs of a (rows, K) array of choices


def least(cost: Costs, low: Ints, high: Ints) -> tuple[Ints, Floats]:
    """(the number between low and high at which a row's cost is least, that cost).

    The result is exact where the cost falls and then rises along a row. Where the cost ripples, the result
    exceeds the least cost by no more than a ripple's height.
    """
    return _halved(cost, *_tried(cost, np.linspace(low, high, _POINTS, axis=1)))


def least_guessed(cost: Costs, n: Floats) -> tuple[Ints, Floats]:
    """(how many of n coordinates are best guessed, the cost), to half a percent; guessing none is tried too.

    Every number of non-zeros has its own best number of coordinates, and these lie a tenth or so apart. Hence
    the second look, at `_POINTS` choices around the first best one.
    """
    tried, _ = _tried(cost, np.minimum(n[:, None] * _SHARES, n[:, None] - 1))
    return _halved(cost, *_tried(cost, np.linspace(tried[:, 0], tried[:, 2], _POINTS, axis=1)), 0.005)


def least_block(cost: Costs, rows: int) -> tuple[Ints, Floats]:
    """(the block size at which each row's cost is least, that cost)."""
    return _halved(
        cost, *_tried(cost, np.tile(np.geomspace(MIN_BLOCK_SIZE, LARGEST_BLOCK, _POINTS), (rows, 1)))
    )


def _tried(cost: Costs, choices: Floats) -> tuple[Ints, Floats]:
    """Each row's cheapest choice, rounded, between its two neighbours; and the costs of the three."""
    rounded = np.rint(choices).astype(np.int64)
    return _around(rounded, cost(rounded))


def _halved(cost: Costs, tried: Ints, costs: Floats, close: float = 0.0) -> tuple[Ints, Floats]:
    """(the best choice of each row, its cost), found by halving the neighbourhood of the best one.

    Halving ends when nothing lies between, or when a neighbourhood is narrower than the share `close` of its
    choice.
    """
    while np.any(wide := tried[:, 2] - tried[:, 0] > np.maximum(2, close * tried[:, 1])):
        halves = (tried[:, 1:] + tried[:, :-1]) // 2
        halves = np.where(wide[:, None], halves, tried[:, 1:2])  # a row's result depends on no other row
        order = [0, 3, 1, 4, 2]
        tried, costs = _around(
            np.concatenate([tried, halves], axis=1)[:, order],
            np.concatenate([costs, cost(halves)], axis=1)[:, order],
        )
    return tried[:, 1], costs[:, 1]


def _around(tried: Ints, costs: Floats) -> tuple[Ints, Floats]:
    """Each row's cheapest choice between its two neighbours, and the costs of the three.

    At an end, the choice is its own neighbour.
    """
    at = np.argmin(costs, axis=1)[:, None]
    three = np.clip(at + np.arange(-1, 2), 0, tried.shape[1] - 1)
    return np.take_along_axis(tried, three, 1), np.take_along_axis(costs, three, 1)


def guesses_nearby(zeta: Ints, n: Floats) -> Ints:
    """Numbers of guessed coordinates around each given one, as (rows, K).

    They lie the closer together, the nearer they are to the given one.
    """
    steps = np.array([0.0, 0.001, 0.0025, 0.006, 0.015, 0.04])
    near = zeta[:, None] * (1 + np.append(-steps[:0:-1], steps))
    return np.asarray(np.clip(np.rint(near), 0, n[:, None] - 1)).astype(np.int64)


def blocks_nearby(beta: Ints) -> Ints:
    """Block sizes around each given one, as (rows, K)."""
    return np.asarray(np.clip(beta[:, None] + np.arange(-6, 7), MIN_BLOCK_SIZE, LARGEST_BLOCK))


def owners(choices: Ints) -> Ints:
    """The row of each choice in a (rows, K) array, as a flat array."""
    return np.repeat(np.arange(choices.shape[0]), choices.shape[1])


def regrouped(costs: Cost, rows: int) -> Cost:
    """The costs with the choices of consecutive rows joined, so that there are `rows` rows."""
    return Cost(*(np.reshape(getattr(flat(costs), name), (rows, -1)) for name in FIELDS))


def never(count: int) -> Cost:
    """The cost of an attack that applies to none of `count` problems."""
    nothing = np.zeros(count, dtype=np.int64)
    return Cost(np.full(count, np.inf), nothing, nothing, nothing, np.full(count, np.nan))
