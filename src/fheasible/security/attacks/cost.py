"""What an attack costs, for many problems at once, and what every attack is: a function."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fheasible.security.attacks.lwe import Problem
from fheasible.security.attacks.reduction import Floats, Ints, Model


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """The cheapest way that an attack has, one entry for each problem.

    `bits` is log2 of its operations, inf where it does not apply. `guessed` counts the secret's coordinates
    that are guessed rather than found by lattice reduction in dimension `dimension`; `memory_bits` is log2 of
    the vectors or table entries stored, NaN where the source gives none.
    """

    bits: Floats
    block_size: Ints
    dimension: Ints
    guessed: Ints
    memory_bits: Floats


FIELDS = tuple(Cost.__dataclass_fields__)
_NOTHING = np.zeros(0, dtype=np.int64)

Attack = Callable[[Problem, Model], Cost]


def cheapest(costs: Cost) -> Cost:
    """For each problem (row) the least of its choices (columns)."""
    best = np.argmin(costs.bits, axis=1)
    rows = np.arange(len(best))
    return Cost(*(getattr(costs, name)[rows, best] for name in FIELDS))


def lesser(one: Cost, other: Cost) -> Cost:
    """The cheaper of two for each problem."""
    return cheapest(Cost(*(np.stack([getattr(one, name), getattr(other, name)], axis=1) for name in FIELDS)))


def joined(parts: list[Cost]) -> Cost:
    """One cost of consecutive parts of the problems; there may be none."""
    return Cost(*(np.concatenate([_NOTHING, *(getattr(part, name) for part in parts)]) for name in FIELDS))


def flat(costs: Cost) -> Cost:
    """Choices over several axes as choices over one; arrays that broadcast are spread out."""
    arrays = np.broadcast_arrays(*(getattr(costs, name) for name in FIELDS))
    return Cost(*(array.reshape(len(costs.bits), -1) for array in arrays))


def shaped(cost: Cost, shape: tuple[int, ...]) -> Cost:
    """The same entries as arrays of another shape."""
    return Cost(*(getattr(cost, name).reshape(shape) for name in FIELDS))
