"""How the noise of many sets of parameters adds and multiplies: `Parts` with an array entry for each set.

All sets have the same ring. A sum may have a different kind in each set, because one operand's noise prevails
in some sets and the other's in the rest. Arrays may have an axis for several steps of a program before the
axis of the sets.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from math import log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.noise.integers.pair_tables import PairTable
from fheasible.noise.integers.parts import LOST, NEGLIGIBLE, NoiseKind, NoisePart, Parts, Some
from fheasible.noise.integers.tail import SquareShape

Numbered = NDArray[np.int16]
_LEAST: Final = np.finfo(
    np.float64
).tiny  # stands for a variance that is 0, or too small, in some of the sets
_MOST_KINDS: Final = 256  # with more of them, the next walk begins with none, so that tables stay small


class NoiseKinds:
    """The kind of each set, by its number among the kinds of a `BlockParts`."""

    __slots__ = ("far", "which")

    def __init__(self, far: Floats, which: Numbered) -> None:
        self.far, self.which = far, which


Kind = NoiseKind | NoiseKinds


class BlockParts(Parts):
    """`Parts` for many sets at once. Where `Parts` has a kind, this has one kind that all sets share, or
    `NoiseKinds`."""

    def __init__(self, n: int, failure_bits: float) -> None:
        super().__init__(n, failure_bits)
        self.kinds: list[NoiseKind] = []
        self._numbers: dict[NoiseKind, int] = {}
        self._far: Floats = np.empty(0)
        self._narrower = self._table(self.narrower)
        self._wide = self._table(lambda x, y: Parts.turned(self, x, x, y))
        self._spread = self._table(lambda x, y: self.kind(x.shape, y.slots))
        self._products_of = cache(self._table_of_products)

    def kind(self, shape: SquareShape, slots: float) -> NoiseKind:
        found = super().kind(shape, slots)
        if found not in self._numbers:
            self._numbers[found] = len(self.kinds)
            self.kinds.append(found)
            self._far = np.append(self._far, found.far)
        return found

    def number(self, kind: Kind) -> Any:
        """The number of the kind, or of each set's kind."""
        return np.int16(self._numbers[kind]) if isinstance(kind, NoiseKind) else kind.which

    def numbered(self, which: Numbered) -> Kind:
        """The kinds with these numbers; a single kind where all of them are the same."""
        first, last = which.flat[0], which.flat[-1]
        alike = first == last and (which == first).all()
        return self.kinds[first] if alike else NoiseKinds(self._far[which], which)

    def part(self, variance: Any, shape: SquareShape, slots: float) -> Some:
        if not np.any(variance):
            return None
        bits = np.log2(np.maximum(variance, _LEAST))
        return NoisePart(bits, bits, self.kind(shape, slots))

    def prevailing(self, x: NoisePart, y: NoisePart) -> Kind:
        if isinstance(x.kind, NoiseKind) and isinstance(y.kind, NoiseKind):
            return self._prevailing_alone(x, y)
        a, b = self.number(x.kind), self.number(y.kind)
        y_is_heavy = x.kind.far <= y.kind.far
        light, heavy = np.where(y_is_heavy, a, b), np.where(y_is_heavy, b, a)
        (narrower,) = self._narrower(heavy, light, len(self.kinds))
        if (narrower == light).all():
            return self.numbered(light)
        heavier = (y.worst + 2 * y.kind.far) - (x.worst + 2 * x.kind.far)
        counts = np.where(y_is_heavy, heavier, -heavier) >= NEGLIGIBLE
        return self.numbered(np.where(counts, narrower, light))

    def _prevailing_alone(self, x: NoisePart, y: NoisePart) -> Kind:
        """The kind of the sum of two noises (`prevailing`), each of which has a single kind for all sets."""
        light, heavy = (x, y) if x.kind.far <= y.kind.far else (y, x)
        kind: NoiseKind = light.kind
        narrower = self.narrower(heavy.kind, kind)
        if narrower is kind:
            return kind
        counts = (heavy.worst + 2 * heavy.kind.far) - (light.worst + 2 * light.kind.far) >= NEGLIGIBLE
        return self.numbered(np.where(counts, self.number(narrower), self.number(kind)))

    def turned(self, kind: Any, x: Any, y: Any) -> Kind:
        kind, x, y = map(self.number, (kind, x, y))
        (wide,) = self._wide(x, y, len(self.kinds))
        (spread,) = self._spread(kind, wide, len(self.kinds))
        return self.numbered(np.asarray(spread))

    def joined(self, x: Any, y: Any, same: bool, apart: bool) -> tuple[Any, Any, Any]:
        if isinstance(x, NoiseKind) and isinstance(y, NoiseKind):
            return super().joined(x, y, same, apart)
        table = self._products_of(same, apart)
        which, common, terms = table(self.number(x), self.number(y), len(self.kinds))
        return self.numbered(which), common, terms

    def gathered(self, x: NoisePart, y: NoisePart, mean: Any, of_one: Any) -> Any:
        few = np.minimum(self.coefficients(x), self.coefficients(y))
        return np.where(few < self.n, np.maximum(mean, of_one + np.log2(few)), mean)

    def coefficients(self, x: NoisePart) -> Any:
        if x.mean is x.worst:
            return self.n
        return np.maximum(np.rint(self.n * np.exp2(x.mean - x.worst)), 1.0)

    def repeated(self, kind: Any, times: int) -> Any:
        if isinstance(kind, NoiseKind):
            return super().repeated(kind, times)
        there, place = np.unique(kind.which, return_inverse=True)
        found = [self.number(super(BlockParts, self).repeated(self.kinds[i], times)) for i in there]
        return self.numbered(np.array(found)[place.reshape(kind.which.shape)])

    # -- pairs of kinds

    def _table(self, kind: Callable[[NoiseKind, NoiseKind], NoiseKind]) -> PairTable:
        """The numbers of the kinds that follow from two others."""
        return PairTable(lambda x, y: (self.number(kind(self.kinds[x], self.kinds[y])),), np.int16)

    def _table_of_products(self, same: bool, apart: bool) -> PairTable:
        """What `joined` says of two kinds."""

        def joined(x: int, y: int) -> tuple[Any, float, float]:
            kind, common, terms = Parts.joined(self, self.kinds[x], self.kinds[y], same, apart)
            return self.number(kind), common, terms

        return PairTable(joined, np.int16, np.float64, np.float64)

    # -- numbers

    @staticmethod
    def log2(x: Any) -> Any:
        return np.log2(np.asarray(x, dtype=np.float64))

    @staticmethod
    def bounded(bits: Any) -> Any:
        return np.minimum(bits, LOST)

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        return np.maximum(x, y)

    @staticmethod
    def added(x: Any, y: Any) -> Any:
        """log2 of the sum; `np.logaddexp2` takes five times as long."""
        apart = np.subtract(x, y, dtype=np.float64)
        if not np.ndim(apart):
            return np.logaddexp2(x, y)
        np.abs(apart, out=apart)
        np.negative(apart, out=apart)
        np.exp2(apart, out=apart)
        apart += 1.0
        np.log2(apart, out=apart)
        apart += np.maximum(x, y)
        return apart

    def least(self, room: Any, others: float, noise: Sequence[NoisePart], so_far: Any) -> Any:
        if len(noise) == 1:
            return np.minimum(so_far, room - self.added(others, _farthest(noise[0])))
        each = [x.tail_bits for x in noise]
        bounds = [others, *map(_of_sets, each)]
        if np.all(room - reduce(np.maximum, bounds) - log2(len(bounds)) >= so_far):
            return so_far
        return np.minimum(so_far, room - _of_sets(reduce(self.added, each, others)))


def _farthest(x: NoisePart) -> Any:
    """`NoisePart.tail_bits` of the step with the most, for each set."""
    if isinstance(x.kind, NoiseKind):
        return _of_sets(x.worst) / 2 + x.kind.far
    return _of_sets(x.tail_bits)


def _of_sets(figures: Any) -> Any:
    """The largest figure of all steps for each set."""
    return figures.max(axis=0) if np.ndim(figures) > 1 else figures


@lru_cache(maxsize=64)
def _kept(n: int, failure_bits: float) -> list[BlockParts]:
    return [BlockParts(n, failure_bits)]


def block_parts(n: int, failure_bits: float) -> BlockParts:
    """What is shared by all programs in a ring."""
    (kept,) = found = _kept(n, failure_bits)
    if len(kept.kinds) > _MOST_KINDS:
        found[0] = kept = BlockParts(n, failure_bits)
    return kept
