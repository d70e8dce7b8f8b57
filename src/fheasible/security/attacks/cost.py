"""The cost of an attack on many problems at once, and the type of an attack, which is a function."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import Model


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """The cost of an attack with its best choices, one entry for each problem.

    `bits` is log2 of its operations, inf where the attack does not apply. `guessed` counts the secret's
    coordinates that are guessed rather than found by lattice reduction in dimension `dimension`;
    `memory_bits` is log2 of the vectors or table entries stored, NaN where the source gives none.
    """

    bits: Floats
    block_size: Ints
    dimension: Ints
    guessed: Ints
    memory_bits: Floats


FIELDS = tuple(Cost.__dataclass_fields__)
_NOTHING = np.zeros(0, dtype=np.int64)

Attack = Callable[[LweProblem, Model], Cost]


def cheapest(costs: Cost) -> Cost:
    """The cheapest choice (column) for each problem (row)."""
    best = np.argmin(costs.bits, axis=1)
    rows = np.arange(len(best))
    return Cost(*(getattr(costs, name)[rows, best] for name in FIELDS))


def lesser(one: Cost, other: Cost) -> Cost:
    """The cheaper of two costs for each problem."""
    return cheapest(Cost(*(np.stack([getattr(one, name), getattr(other, name)], axis=1) for name in FIELDS)))


def joined(parts: list[Cost]) -> Cost:
    """The costs of consecutive parts of the problems as one; the list of parts may be empty."""
    return Cost(*(np.concatenate([_NOTHING, *(getattr(part, name) for part in parts)]) for name in FIELDS))


def flat(costs: Cost) -> Cost:
    """The costs with choices over several axes laid out along one; arrays that broadcast are spread out."""
    arrays = np.broadcast_arrays(*(getattr(costs, name) for name in FIELDS))
    return Cost(*(array.reshape(len(costs.bits), -1) for array in arrays))


def shaped(cost: Cost, shape: tuple[int, ...]) -> Cost:
    """The same cost with its entries as arrays of another shape."""
    return Cost(*(getattr(cost, name).reshape(shape) for name in FIELDS))
