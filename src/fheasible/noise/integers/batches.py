"""The steps of a program in batches, whose noise is worked out together: steps that agree in everything but
their operands and the plain numbers that they multiply by.

Every step stands after its operands. A program of thousands of steps has some hundred batches.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.integers.steps import NoiseStep, steps
from fheasible.program.types import Action, Program

Rows = NDArray[np.int64]
_ALIKE: Final = {Action.SUB: Action.ADD, Action.ADD_PLAIN: Action.ADD_SCALAR}  # for noise


class Batch(NamedTuple):
    """Steps that noise takes as alike but for `args`, `before` and `scalar`; one of them stands for all
    (`like`). Steps are numbered anew, batch by batch: these have successive numbers from `first` on."""

    like: NoiseStep
    first: int
    args: tuple[Rows, ...]  # for each operand, the numbers of the steps that make it
    before: tuple[Rows, ...]
    scalars: NDArray[Any]  # Python's integers, which may be large

    @property
    def rows(self) -> slice:
        """The numbers of the steps."""
        return slice(self.first, self.first + len(self.scalars))


class Batches(NamedTuple):
    """The batches of a program in order of execution; the level of each step; and for each step of `steps`,
    its batch and its place there."""

    each: tuple[Batch, ...]
    levels: Rows
    places: tuple[tuple[int, int], ...]

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.levels)


@lru_cache(maxsize=256)
def batches(program: Program) -> Batches:
    """The batches of a program."""
    found = steps(program).steps
    together = list(_together(found, program.automatic))
    ordered = [place for places in together for place in places]
    number = np.empty(len(found), dtype=np.int64)
    number[ordered] = np.arange(len(found))
    levels = np.array([found[place].level for place in ordered], dtype=np.int64)
    each = tuple(_batch(found, places, number) for places in together)
    places = {place: (i, j) for i, members in enumerate(together) for j, place in enumerate(members)}
    return Batches(each, levels, tuple(places[place] for place in range(len(found))))


def _together(found: Sequence[NoiseStep], automatic: bool) -> Iterator[list[int]]:
    """The steps of each batch. Of the kinds of which some step has all its operands, the next batch is of the
    kind of which the fewest steps have to wait, as a share of those that are left."""
    kinds = [_kind(step, automatic) for step in found]
    left, users = Counter(kinds), _users(found)
    missing = [len({*step.args, *step.before}) for step in found]
    ready: dict[Hashable, list[int]] = {}
    for place, count in enumerate(missing):
        if not count:
            ready.setdefault(kinds[place], []).append(place)
    while ready:
        kind = max(ready, key=lambda kind: len(ready[kind]) / left[kind])
        places = ready.pop(kind)
        left[kind] -= len(places)
        yield places
        for place in places:
            for user in users.get(place, ()):
                missing[user] -= 1
                if not missing[user]:
                    ready.setdefault(kinds[user], []).append(user)


def _users(found: Sequence[NoiseStep]) -> Mapping[int, list[int]]:
    """For each step, the steps that need it."""
    users: dict[int, list[int]] = {}
    for place, step in enumerate(found):
        for needed in {*step.args, *step.before}:
            users.setdefault(needed, []).append(place)
    return users


def _kind(step: NoiseStep, automatic: bool) -> Hashable:
    """What the steps of a batch have in common: all that the noise of such an action depends on. Where a
    library aligns operands by itself (`automatic`), plain numbers depend on the level."""
    action = _ALIKE.get(step.action, step.action)
    common = action, step.raised, len(step.args), len(step.before)
    match action:
        case Action.ADD:
            return *common, step.relation
        case Action.MUL | Action.SQUARE:
            return *common, step.relation, step.repeats, step.alike, step.depth
        case Action.MUL_PLAIN:
            return *common, step.repeats
        case Action.MUL_SCALAR:
            return *common, step.level * automatic
        case Action.RELINEARIZE:
            return *common, step.level
        case Action.ROTATE | Action.SWAP_ROWS:
            return *common, step.level, step.depth
        case Action.RESCALE | Action.DROP:
            return *common, step.level, step.level_before
    return common


def _batch(found: Sequence[NoiseStep], places: Sequence[int], number: Rows) -> Batch:
    each = [found[place] for place in places]
    like, first = each[0], int(number[places[0]])
    args, before = (
        tuple(number[np.array(of_one, dtype=np.int64)] for of_one in zip(*several, strict=True))
        for several in ([s.args for s in each], [s.before for s in each])
    )
    scalars = np.array([s.scalar for s in each], dtype=object)
    return Batch(like, first, args, before, scalars)
