"""How the noise of many sets of parameters adds and multiplies: `Parts` with an array entry for each set.

All sets have the same ring. A sum may have a different kind in each set, because one operand's noise prevails
in some sets and the other's in the rest.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.noise.integers.parts import LOST, NEGLIGIBLE, NoiseKind, NoisePart, Parts, Some
from fheasible.noise.integers.tail import SquareShape

Which = Any  # an index for each set, or one for all
_LEAST = np.finfo(np.float64).tiny  # stands for a variance that is 0, or too small, in some of the sets


class NoiseKinds:
    """Several kinds, and the index of the one that each set has."""

    __slots__ = ("each", "far", "which")

    def __init__(self, each: tuple[NoiseKind, ...], which: NDArray[np.int64]) -> None:
        self.each, self.which = each, which
        self.far: Floats = np.array([kind.far for kind in each])[which]


class _Pairs(NamedTuple):
    """The different pairs of kinds that two parts have, and the index of the pair that each set has."""

    each: list[tuple[NoiseKind, NoiseKind]]
    which: Which


class BlockParts(Parts):
    """`Parts` for many sets at once. Where `Parts` has a kind, this has one kind that all sets share, or
    `NoiseKinds`."""

    def part(self, variance: Any, shape: SquareShape, slots: float) -> Some:
        if not np.any(variance):
            return None
        bits = np.log2(np.maximum(variance, _LEAST))
        return NoisePart(bits, bits, self.kind(shape, slots))

    def prevailing(self, x: NoisePart, y: NoisePart) -> NoiseKind | NoiseKinds:
        if isinstance(x.kind, NoiseKind) and isinstance(y.kind, NoiseKind):
            return self._prevailing_alone(x, y)
        pairs = _pairs(x.kind, y.kind)
        y_is_heavy = np.array([a.far <= b.far for a, b in pairs.each])[pairs.which]
        heavier = (y.worst + 2 * y.kind.far) - (x.worst + 2 * x.kind.far)
        counts = np.where(y_is_heavy, heavier, -heavier) >= NEGLIGIBLE
        kinds: list[NoiseKind] = []
        for a, b in pairs.each:
            light, heavy = (a, b) if a.far <= b.far else (b, a)
            kinds += light, self.narrower(heavy, light)
        return _chosen(kinds, 2 * pairs.which + counts)

    def _prevailing_alone(self, x: NoisePart, y: NoisePart) -> NoiseKind | NoiseKinds:
        """The kind of the sum of two noises (`prevailing`), each of which has a single kind for all sets."""
        light, heavy = (x, y) if x.kind.far <= y.kind.far else (y, x)
        kind: NoiseKind = light.kind
        narrower = self.narrower(heavy.kind, kind)
        if narrower is kind:
            return kind
        counts = (heavy.worst + 2 * heavy.kind.far) - (light.worst + 2 * light.kind.far) >= NEGLIGIBLE
        if not np.any(counts):
            return kind
        return narrower if np.all(counts) else NoiseKinds((kind, narrower), counts.astype(np.int64))

    def turned(self, kind: Any, x: Any, y: Any) -> Any:
        pairs = _pairs(x, y)
        wide = _chosen([super(BlockParts, self).turned(a, a, b) for a, b in pairs.each], pairs.which)
        pairs = _pairs(kind, wide)
        return _chosen([self.kind(a.shape, b.slots) for a, b in pairs.each], pairs.which)

    def joined(self, x: Any, y: Any, same: bool, apart: bool) -> tuple[Any, Any, Any]:
        if isinstance(x, NoiseKind) and isinstance(y, NoiseKind):
            return super().joined(x, y, same, apart)
        pairs = _pairs(x, y)
        found = [super(BlockParts, self).joined(a, b, same, apart) for a, b in pairs.each]
        numbers = np.array([each[1:] for each in found])[pairs.which]
        return _chosen([kind for kind, _, _ in found], pairs.which), numbers[:, 0], numbers[:, 1]

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
        return _chosen([super(BlockParts, self).repeated(k, times) for k in kind.each], kind.which)

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
        return np.logaddexp2(x, y)

    @staticmethod
    def least(room: Any, bits: list[Any], so_far: Any) -> Any:
        return np.minimum(so_far, room - reduce(np.logaddexp2, bits))


block_parts = lru_cache(maxsize=64)(BlockParts)


def _pairs(x: NoiseKind | NoiseKinds, y: NoiseKind | NoiseKinds) -> _Pairs:
    if isinstance(x, NoiseKind) and isinstance(y, NoiseKind):
        return _Pairs([(x, y)], 0)
    (first, of_x), (second, of_y) = _apart(x), _apart(y)
    every = [(a, b) for a in first for b in second]
    code = of_x * len(second) + of_y
    there = np.flatnonzero(np.bincount(code, minlength=len(every)))
    return _Pairs([every[i] for i in there], np.searchsorted(there, code))


def _apart(x: NoiseKind | NoiseKinds) -> tuple[tuple[NoiseKind, ...], Which]:
    return ((x,), 0) if isinstance(x, NoiseKind) else (x.each, x.which)


def _chosen(kinds: Sequence[NoiseKind], which: Which) -> NoiseKind | NoiseKinds:
    """The kind of each set, chosen from `kinds` by index; a single kind where all sets have the same one."""
    if np.ndim(which) == 0:
        return kinds[int(which)]
    there = np.bincount(which, minlength=len(kinds)).tolist()
    number: dict[NoiseKind, int] = {}
    numbers = [
        number.setdefault(kind, len(number)) if count else 0 for kind, count in zip(kinds, there, strict=True)
    ]
    if len(number) == 1:
        return next(iter(number))
    return NoiseKinds(tuple(number), np.array(numbers)[which])
