"""Many parameter sets of one layout as columns: a field that differs between them is an array over the sets.

A block has the fields of `Parameters` of its kind. Of these q[l], p[i], scales[l], nominal, log_q, log_p and
flooding are arrays over the sets, and all others have one value for all sets. A formula written for either
works on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.parameters import (
    Chain,
    CkksParameters,
    IntegerParameters,
    IntegerScheme,
    Parameters,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ResidueBlock(Chain):
    """Sets of one library, scheme and layout, in one ring, with their primes as doubles."""

    library: str
    scheme: str
    ring_dimension: int
    q: tuple[Floats, ...]
    p: tuple[Floats, ...]
    digits: int
    technique: str
    key_switching: str
    secret: str
    levels: int
    extended_limbs: int

    def __len__(self) -> int:
        raise NotImplementedError

    @cached_property
    def log_q(self) -> Floats:
        return _log2(self.q, len(self))

    @cached_property
    def log_p(self) -> Floats:
        return _log2(self.p, len(self))

    @property
    def log_qp(self) -> Floats:
        return self.log_q + self.log_p


@dataclass(frozen=True, eq=False, kw_only=True)
class IntegerBlock(ResidueBlock):
    """Sets of BGV or BFV."""

    scheme: IntegerScheme
    plain_modulus: int
    exact: tuple[IntegerParameters, ...]  # the sets themselves, whose primes matter exactly

    @staticmethod
    def of(sets: Sequence[IntegerParameters]) -> "IntegerBlock":
        """The block of these sets, which may differ only in the values of primes."""
        first = sets[0]
        return IntegerBlock(
            scheme=first.scheme, plain_modulus=first.plain_modulus, exact=tuple(sets), **_shared(sets)
        )

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, places: NDArray[np.int64]) -> "IntegerBlock":
        """The block of the sets at these places."""
        return replace(
            self,
            q=tuple(q[places] for q in self.q),
            p=tuple(p[places] for p in self.p),
            exact=tuple(self.exact[i] for i in places.tolist()),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class CkksBlock(ResidueBlock):
    scheme: Literal["ckks"] = "ckks"
    scales: tuple[Floats, ...]
    flooding: Floats
    nominal: Floats  # the scale that was asked for
    ladder: NDArray[np.int64] | None = None  # sets with one number differ in q[0] and p alone; None: unknown
    end: NDArray[np.int64] | None = None  # sets with one number have the same p; None: unknown
    parts: "tuple[CkksBlock, ...]" = ()  # blocks that differ in digits and in the number of primes of P

    @staticmethod
    def of(sets: Sequence[CkksParameters]) -> "CkksBlock":
        """The block of these sets, which may differ only in the values of primes, scales and flooding."""
        return CkksBlock(
            scales=_columns([s.scales for s in sets]),
            flooding=np.array([s.flooding for s in sets]),
            nominal=np.array([s.nominal for s in sets]),
            **_shared(sets),
        )

    @staticmethod
    def joined(parts: "Sequence[CkksBlock]") -> "CkksBlock":
        """One block with the sets of all parts, one after another.

        The parts may differ in their primes, in the length of P and in digits. What depends on P and digits
        is computed from each part by itself (`noise.sets.by_switching`).
        """
        if len(parts) == 1:
            return parts[0]
        ladders = [part.ladder for part in parts if part.ladder is not None]
        return replace(
            parts[0],
            q=_side_by_side([part.q for part in parts]),
            p=(),
            digits=1,
            scales=_side_by_side([part.scales for part in parts]),
            flooding=np.concatenate([part.flooding for part in parts]),
            nominal=np.concatenate([part.nominal for part in parts]),
            ladder=_apart(ladders) if len(ladders) == len(parts) else None,
            end=None,
            parts=tuple(parts),
        )

    def __len__(self) -> int:
        return len(self.flooding)

    def take(self, places: NDArray[np.int64]) -> "CkksBlock":
        """The block of the sets at these places. A joined block loses its parts, and so its P and digits."""
        return replace(
            self,
            q=tuple(q[places] for q in self.q),
            p=tuple(p[places] for p in self.p),
            scales=tuple(s[places] for s in self.scales),
            flooding=self.flooding[places],
            nominal=self.nominal[places],
            ladder=None if self.ladder is None else self.ladder[places],
            end=None if self.end is None else self.end[places],
            parts=(),
        )

    @cached_property
    def ladders(self) -> "tuple[CkksBlock, NDArray[np.int64]] | None":
        """(a block with one set of each ladder, each set's place in it); None if ladders are unknown."""
        if self.ladder is None:
            return None
        _, first, each = np.unique(self.ladder, return_index=True, return_inverse=True)
        return self.take(first), each.ravel()

    @cached_property
    def ends(self) -> "Ends | None":
        """The groups of sets that differ in q[0] alone, each given by two of its sets.

        None where `ladder` or `end` is unknown, and where the groups are too small to save any work.
        """
        if self.ladder is None or self.end is None or not len(self):
            return None
        q, alike = self.q[0], self.ladder * (1 + int(self.end.max())) + self.end
        ordered = np.lexsort((q, alike))
        new = np.append(True, np.diff(alike[ordered]) != 0)
        begins = np.flatnonzero(new)
        least, most = ordered[begins], ordered[np.append(begins[1:], len(self)) - 1]
        if 2 * len(least) >= len(self):
            return None  # nothing would be saved
        group = np.empty(len(self), dtype=np.int64)
        group[ordered] = np.cumsum(new) - 1
        low, high = q[least] ** 2, q[most] ** 2
        weight = (q**2 - low[group]) / np.where(high > low, high - low, 1.0)[group]
        return Ends(self.take(np.concatenate([least, most])), group, weight)


@dataclass(frozen=True, eq=False)
class Ends:
    """Groups of sets that differ in q[0] alone, each given by its sets with the least and the largest q[0].

    `sets` has the set with the least q[0] of every group, then the set with the largest of every group.
    `group` is the group of each set. `weight` is the place of its q[0]^2 between those two, from 0 to 1.
    """

    sets: CkksBlock
    group: NDArray[np.int64]
    weight: Floats


Block = CkksBlock | IntegerBlock

# The arguments of formulas that work for one set and for a block.
CkksSets = CkksParameters | CkksBlock
IntegerSets = IntegerParameters | IntegerBlock
Sets = Parameters | Block


def block_of(sets: Sequence[Parameters]) -> Block:
    """The block of these sets, which are of one layout."""
    real = [p for p in sets if p.scheme == "ckks"]
    return CkksBlock.of(real) if real else IntegerBlock.of([p for p in sets if p.scheme != "ckks"])


def _shared(sets: Sequence[Parameters]) -> dict[str, Any]:
    """The fields that a block of these sets has in every scheme."""
    first = sets[0]
    return {
        "library": first.library, "ring_dimension": first.ring_dimension, "q": _columns([s.q for s in sets]),
        "p": _columns([s.p for s in sets]), "digits": first.digits, "technique": first.technique,
        "key_switching": first.key_switching, "secret": first.secret, "levels": first.levels,
        "extended_limbs": first.extended_limbs,
    }  # fmt: skip


def _columns(rows: Sequence[tuple[float, ...]]) -> tuple[Floats, ...]:
    """One array for each position of the rows. ValueError where the rows differ in length."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("sets of one block have equally many primes and scales")
    return tuple(np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))


def _side_by_side(columns: Sequence[tuple[Floats, ...]]) -> tuple[Floats, ...]:
    return tuple(np.concatenate(each) for each in zip(*columns, strict=True))


def _apart(ladders: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The ladders of all parts, one part after another, numbered so that no two parts share a number."""
    firsts = np.cumsum([0, *(int(ladder.max(initial=-1)) + 1 for ladder in ladders[:-1])])
    return np.concatenate([ladder + first for ladder, first in zip(ladders, firsts, strict=True)])


def _log2(primes: tuple[Floats, ...], size: int) -> Floats:
    return np.sum(np.log2(primes), axis=0) if primes else np.zeros(size)
