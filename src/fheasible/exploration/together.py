"""Sets of several choices that are judged as one block: each choice is told of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fheasible.exploration.columns import Columns
from fheasible.exploration.judge import STAGES
from fheasible.exploration.sieve import Judged, Miss, Nearest, nearer
from fheasible.libraries.block import Block

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

LEVEL, FIRST = 1, 2  # in a pattern of a chain stand for the bits that sets differ in


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Bits of the primes of many sets: of the first, and of all others (in BFV of all)."""

    level: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.level)

    def take(self, chosen: NDArray[np.generic]) -> "Sizes":
        return Sizes(self.level[chosen], self.first[chosen])

    def of(self, bits: int) -> Ints | int:
        """What stands for these bits in a pattern."""
        return {LEVEL: self.level, FIRST: self.first}.get(bits, bits)


class Together:
    """Sets of one layout, each of the choice that its `owner` numbers. What is right is described once, and
    not before it is asked for."""

    def __init__(
        self, block: Block, sizes: Sizes, owner: Ints, describe: Callable[[Block, Sizes], Columns]
    ) -> None:
        self.block, self.sizes, self.owner, self._describe = block, sizes, owner, describe
        self.owners = frozenset(owner.tolist())
        self.right = np.arange(len(block))
        self._stage, self._miss = np.zeros(len(block), dtype=np.int64), np.zeros(len(block))

    def of_right(self) -> Block:
        """Those that are right so far."""
        return self.block if len(self.right) == len(self.block) else self.block.take(self.right)

    def keep(self, fits: Flags, stage: str, miss: Floats) -> None:
        """Of those that are right so far; `miss`: by how much each of the others is not."""
        out = self.right[~fits]
        self._stage[out], self._miss[out] = STAGES.index(stage), miss[~fits]
        self.right = self.right[fits]

    def columns(self, owner: int, place: int) -> Columns:
        """What is right of one choice. `place`: by which its rows are known again."""
        if not len(self.right):
            return Columns.empty()
        found = self._described
        if len(self.owners) > 1:
            found = found.take(self.owner[self.right] == owner)
        return Columns(found.data, np.full(len(found), place))

    @cached_property
    def _described(self) -> Columns:
        return self._describe(self.of_right(), self.sizes.take(self.right))

    def nearest(self, owner: int, place: int) -> Nearest:
        """Of one choice the nearest of what is not right."""
        if len(self.right) == len(self.block):
            return None
        wrong = self.owner == owner
        wrong[self.right] = False
        at = np.flatnonzero(wrong)
        if not len(at):
            return None
        one = int(at[np.lexsort((self._miss[at], -self._stage[at]))[0]])
        sizes = (int(self.sizes.level[one]), int(self.sizes.first[one]), 0)
        return Miss(int(self._stage[one]), float(self._miss[one]), place, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What of sets that were judged together is one choice's. `known`: the nearest of what no library was
    asked for, or refused."""

    owner: int
    rows: int
    known: Nearest
    among: Sequence[Together]

    def judged(self, place: int) -> Judged:
        """`place`: by which its rows are known again."""
        mine = [part for part in self.among if self.owner in part.owners]
        nearest = self.known
        for part in mine:
            nearest = nearer(nearest, part.nearest(self.owner, place))
        return Judged(self.rows, Columns.joined(part.columns(self.owner, place) for part in mine), nearest)
