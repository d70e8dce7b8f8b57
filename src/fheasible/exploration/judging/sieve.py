"""Sets that are judged together: which of them are still in, and which of the others was nearest to being
feasible.

A sieve holds the sets of one choice, a joint block those of several choices, each of which is given the
judgement of its own sets.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array, Flags, Floats, Ints
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES, Rejection
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.block import IntegerBlock

LEVEL, FIRST = 1, 2  # in the pattern of a chain, in place of the bits that sets differ in


class Miss(NamedTuple):
    """A row that is not feasible. One that fails at a later stage, or at the same stage by a smaller miss,
    was nearer to being feasible."""

    stage: int
    miss: float
    place: int  # the place of its choice
    sizes: tuple[int, int, int]  # bits of the scale, the first prime, the special ones

    @property
    def distance(self) -> tuple[int, float]:
        return (-self.stage, self.miss)


_FARTHEST: Final = 1e300  # misses that are farther are not told apart
_LARGEST: Final = float(np.finfo(float).max)
Nearest = Miss | Rejection | None


def nearer(one: Nearest, other: Nearest) -> Nearest:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda miss: miss.distance)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A judged chunk: how many rows it had, those that are feasible, and the nearest of the others. `beaten`
    counts further rows that are feasible, none of which would be kept."""

    rows: int
    feasible: Columns
    nearest: Nearest
    beaten: int = 0

    @property
    def count(self) -> int:
        """The number of all rows that are feasible."""
        return len(self.feasible) + self.beaten


class Sieve:
    """Columns whose last axis runs over the rows that are left."""

    def __init__(self, choice: Choice, place: int, columns: Mapping[str, Array]) -> None:
        self.choice, self.place = choice, place
        self.columns = dict(columns)
        self.nearest: Nearest = None

    def __len__(self) -> int:
        return int(self.columns["scale"].shape[-1])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __setitem__(self, name: str, column: Array) -> None:
        self.columns[name] = column

    def keep(self, fits: Flags, stage: str, miss: Any) -> None:
        """Keeps the rows that fit, and notes the nearest of the others; `miss` is by how much each row
        misses."""
        if fits.all():
            return
        (out,) = (~fits).nonzero()
        distances = miss[out] if np.ndim(miss) else np.full(1, miss)
        least = int(np.argmin(np.fmin(distances, _FARTHEST)))  # NaN is farthest of all
        at, distance = int(out[least]), float(distances[least])
        sizes = tuple(int(self[name][at]) for name in ("scale", "first", "special"))
        distance = np.inf if np.isnan(distance) else min(max(distance, -_LARGEST), _LARGEST)
        found = Miss(STAGES.index(stage), distance, self.place, sizes)  # type: ignore[arg-type]
        self.nearest = nearer(self.nearest, found)
        self.take(fits.nonzero()[0])

    def take(self, places: Array) -> None:
        """Keeps the rows at these places; the others do not count as misses."""
        self.columns = _narrowed(self.columns, places)

    def among(self, chosen: Flags) -> "Sieve":
        """Another sieve, with the chosen rows."""
        return Sieve(self.choice, self.place, _narrowed(self.columns, np.flatnonzero(chosen)))


def _narrowed(columns: Mapping[str, Array], places: Array) -> dict[str, Array]:
    return {name: column.take(places, axis=-1) for name, column in columns.items()}


@dataclass(frozen=True, slots=True, eq=False)
class PrimeSizes:
    """The bits of the primes of many sets: of the first prime, and of all others (in BFV of all)."""

    level: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.level)

    def take(self, chosen: NDArray[np.generic]) -> "PrimeSizes":
        return PrimeSizes(self.level[chosen], self.first[chosen])

    def of(self, bits: int) -> Ints | int:
        """The sizes that `bits` represent in a pattern, or the bits themselves where they represent none."""
        return {LEVEL: self.level, FIRST: self.first}.get(bits, bits)


class JointBlock:
    """Sets of one layout; `owner` has the number of each set's choice. The sets that are right are described
    once, and not before they are asked for."""

    def __init__(
        self,
        block: IntegerBlock,
        sizes: PrimeSizes,
        owner: Ints,
        describe: Callable[[IntegerBlock, PrimeSizes], Columns],
    ) -> None:
        self.block, self.sizes, self.owner, self._describe = block, sizes, owner, describe
        self.owners = frozenset(owner.tolist())
        self.right = np.arange(len(block))
        self._stage, self._miss = np.zeros(len(block), dtype=np.int64), np.zeros(len(block))

    def of_right(self) -> IntegerBlock:
        """The sets that are right so far."""
        return self.block if len(self.right) == len(self.block) else self.block.take(self.right)

    def keep(self, fits: Flags, stage: str, miss: Floats) -> None:
        """Keeps those that fit, of the sets that are right so far. `miss` is by how much each of these
        misses."""
        out = self.right[~fits]
        self._stage[out], self._miss[out] = STAGES.index(stage), miss[~fits]
        self.right = self.right[fits]

    def columns(self, owner: int, place: int) -> Columns:
        """The rows of one choice that are right. They refer to the choice by `place`."""
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
        """The nearest of one choice's sets that are not right; None where all of them are."""
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
    """One choice's share of sets that were judged together. `known` is the nearest of its sets that the
    library was not asked for, or refused."""

    owner: int
    rows: int
    known: Nearest
    among: Sequence[JointBlock]

    def judged(self, place: int) -> Judged:
        """The judgement of the choice. Its rows refer to the choice by `place`."""
        mine = [part for part in self.among if self.owner in part.owners]
        nearest = self.known
        for part in mine:
            nearest = nearer(nearest, part.nearest(self.owner, place))
        return Judged(self.rows, Columns.joined(part.columns(self.owner, place) for part in mine), nearest)
