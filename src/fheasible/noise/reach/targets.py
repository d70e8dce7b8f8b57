"""What is read from a program's outputs: single slots, or rows of directions that a backward pass follows."""

from typing import NamedTuple

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.noise.reach.judged import JudgedElements
from fheasible.noise.reach.rows import Common, Rows, units
from fheasible.program.types import Packed, Program

SOUNDED = 3  # slots drawn at random, for the mean over all slots of a value


class Target(NamedTuple):
    """One value of an output, and what is read from it: single slots, each depending on one slot of every
    operation (`alone`), or rows of directions."""

    value: int
    slots: Ints  # the slot of each column, in order
    directions: Rows  # a row for each column, then for each sounded slot; one row of ones if `alone`
    alone: bool
    reading: float
    elements: int  # the number of elements that lie in the value
    weights: Floats  # the weight of each column
    seen: Floats  # the weight of each row in the mean over all slots


def targets(program: Program, chosen: JudgedElements, mixed: frozenset[int], seed: int) -> list[Target]:
    """The targets at a program's outputs, one for each value that judged elements lie in. `mixed`: the values
    in which a slot depends on other slots too."""
    draw = np.random.default_rng(seed)
    weights = np.bincount(chosen.columns, chosen.weights, len(chosen.of_columns))
    found, start = [], 0
    for packed in program.outputs:
        inside = np.flatnonzero((chosen.of_columns >= start) & (chosen.of_columns < start + packed.length))
        value, slots = np.divmod(chosen.of_columns[inside] - start, program.slots)
        start += packed.length
        if packed.length == 1:
            found.append(_single(program, packed, draw))
            continue
        for k in np.unique(value):
            held = min(program.slots, packed.length - int(k) * program.slots)
            own = weights[inside[value == k]]
            read = _Read(slots[value == k], held, own / own.sum())
            found.append(_several(program, packed.values[k], read, packed.values[k] in mixed, draw))
    return found


class _Read(NamedTuple):
    """What is read from a value: the slots of the columns, the number of elements, and the weights of the
    columns."""

    slots: Ints
    elements: int
    weights: Floats


def _single(program: Program, packed: Packed, draw: np.random.Generator) -> Target:
    """The target at an output of one element, which is read as the mean over all slots."""
    n, one = program.slots, np.ones(1)
    sounded, seen = _sounding(np.arange(n), draw)
    weights = np.concatenate([0 * one, seen])
    directions = units(tuple(sounded.tolist()), n, mean=True)
    return Target(packed.values[0], np.zeros(1, dtype=np.int64), directions, False, 1 / n, 1, one, weights)


def _several(program: Program, value: int, read: _Read, mixed: bool, draw: np.random.Generator) -> Target:
    if not mixed:
        ones = Common(np.ones(1), np.ones(program.slots))
        return Target(value, read.slots, ones, True, 1.0, read.elements, read.weights, np.ones(1))
    sounded, seen = _sounding(np.arange(read.elements, program.slots), draw)
    directions = units((*read.slots.tolist(), *sounded.tolist()), program.slots, mean=False)
    share = read.elements / program.slots
    weights = np.concatenate([share * read.weights, (1 - share) * seen])
    weights[len(read.slots)] = 0 if 0 in read.slots else 1 / program.slots
    return Target(value, read.slots, directions, False, 1.0, read.elements, read.weights, weights)


def _sounding(others: Ints, draw: np.random.Generator) -> tuple[Ints, Floats]:
    """Slot 0 and some of the slots that the columns do not stand for, with a weight for each; that of slot 0
    is 0."""
    drawn = draw.choice(others, SOUNDED) if len(others) else others
    seen = np.concatenate([[0.0], np.full(len(drawn), 1 / SOUNDED)])
    return np.concatenate([[0], drawn]), seen
