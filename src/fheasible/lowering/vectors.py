"""Vector operations of a circuit, as operations on the ciphertexts that hold the vectors."""

from collections.abc import Callable
from dataclasses import replace
from math import log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.matrix import Matrix
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import Value, scalar
from fheasible.lowering.diagonals import Need
from fheasible.lowering.linear import linear_map
from fheasible.lowering.packing import PackedVector, chunks_of, has_padding, valid
from fheasible.lowering.rotation import rotate_vector

FARTHEST_FACTOR_BITS: Final = 12.0  # from 1, of a factor that waits; a level takes 20 to 60 bits of modulus


class Vectors:
    """The operations on vectors. With `fold`, constant factors wait for each other to save levels."""

    def __init__(self, arithmetic: Arithmetic, fold: bool) -> None:
        self.on = arithmetic
        self.slots = arithmetic.build.slots
        self.exact = arithmetic.style.exact
        self.fold = fold and not self.exact
        self.zeros = False  # whether the users of the next result need zeros beyond its end

    # -- inputs and constants --------------------------------------------------------------------

    def encrypt(self, name: str, length: int, tiled: bool) -> PackedVector:
        """The input `name`, one encryption per chunk. If `tiled`, it repeats its first elements beyond its
        end instead of zeros."""
        values = [self.on.encrypt(name, c) for c in range(chunks_of(length, self.slots))]
        tiled = tiled and has_padding(length, self.slots)
        return PackedVector(length, tuple(values), clean=not tiled, tiled=tiled)

    def bounded(self, x: PackedVector, low: float, high: float) -> None:
        """Remembers that the elements of x lie in [low, high], where that holds for all slots.

        Slots beyond the end do if they hold zeros or repeat elements.
        """
        if x.factor and (x.clean or x.tiled or x.spread or not has_padding(x.length, self.slots)):
            for v in x.values:
                self.on.build.bounded(v, float(max(abs(low), abs(high))) / abs(x.factor))

    # -- sums ------------------------------------------------------------------------------------

    def add(self, x: PackedVector, y: PackedVector) -> PackedVector:
        return self._combine(self.on.add, x, y)

    def sub(self, x: PackedVector, y: PackedVector) -> PackedVector:
        return self._combine(self.on.sub, x, y)

    def negate(self, x: PackedVector) -> PackedVector:
        return replace(x, values=tuple(self.on.negate(v) for v in x.values))

    def add_plain(self, x: PackedVector, plain: NDArray[Any]) -> PackedVector:
        """x + plain. Zeros in the padding stay zeros: there, plain is added to the elements alone."""
        x = self.multiplied_in(x)
        if len(plain) > 1 and x.spread:
            x = self._stretched(x, len(plain))
        zeros = x.length < x.period or (x.clean and has_padding(x.length, self.slots))
        if len(plain) == 1 and not zeros:
            added = [self.on.add_plain(v, self._number(plain[0])) for v in x.values]
            return replace(x, values=tuple(added))
        rows = self._rows(plain, x.length, x.period, x.tiled)
        added = [self.on.add_plain(v, self._shortest(r)) for v, r in zip(x.values, rows, strict=True)]
        return replace(x, values=tuple(added))

    def _combine(self, f: Callable[[Value, Value], Value], x: PackedVector, y: PackedVector) -> PackedVector:
        """The sum or difference of x and y, by f; a factor that both have goes on waiting."""
        if x.factor != y.factor:
            x, y = self._beside(x, y), self._beside(y, x)
        clean = x.clean and y.clean and not self._padding_differs(x, y)
        length = max(x.length, y.length)
        values = self._pairwise(f, x, y, length)
        return PackedVector(length, values, clean, x.factor, *_beyond(x, y, clean), _tiled(x, y))

    def _beside(self, x: PackedVector, other: PackedVector) -> PackedVector:
        """x with its waiting factor multiplied in, to be added to `other`.

        A single value that is to meet a padded vector is not spread over its padding. The product that is due
        anyway leaves zeros there, and saves the level of a mask.
        """
        if x.spread and x.factor != 1.0 and other.clean and has_padding(other.length, self.slots):
            return self._times_rows(self._stretched(x, other.length), np.full(other.length, x.factor))
        return self.multiplied_in(x)

    def _padding_differs(self, x: PackedVector, y: PackedVector) -> bool:
        """Whether one is a single value that fills the padding of the other when they are added."""
        return x.length != y.length and has_padding(max(x.length, y.length), self.slots)

    def _pairwise(
        self, f: Callable[[Value, Value], Value], x: PackedVector, y: PackedVector, length: int
    ) -> tuple[Value, ...]:
        count = chunks_of(length, self.slots)
        xs = x.values * count if x.spread else x.values
        ys = y.values * count if y.spread else y.values
        return tuple(f(a, b) for a, b in zip(xs, ys, strict=True))

    # -- products --------------------------------------------------------------------------------

    def mul(self, x: PackedVector, y: PackedVector) -> PackedVector:
        """The elementwise product; factors that wait are multiplied together.

        A factor that would be far from 1 is multiplied in before. Without it, values would outgrow what the
        level that it saves can hold, or would vanish in noise.
        """
        x, y = self._spared_a_level(x, y)
        if x.factor and y.factor and abs(log2(abs(x.factor)) + log2(abs(y.factor))) > FARTHEST_FACTOR_BITS:
            x, y = (self.multiplied_in(x),) * 2 if x is y else (self.multiplied_in(x), self.multiplied_in(y))
        length = max(x.length, y.length)
        clean = (x.clean and not x.spread) or (y.clean and not y.spread) or length == 1
        values = self._pairwise(self.on.mul, x, y, length)
        return PackedVector(length, values, clean, x.factor * y.factor, *_beyond(x, y, clean), _tiled(x, y))

    def _spared_a_level(self, x: PackedVector, y: PackedVector) -> tuple[PackedVector, PackedVector]:
        """The operands; what waits is multiplied into the one that has a level to spare, if one has.

        After the product, what waits might cost another level.
        """
        factor, deeper = x.factor * y.factor, self._depth(x) - self._depth(y)
        if factor == 1.0 or not deeper:
            return x, y
        x, y = replace(x, factor=1.0), replace(y, factor=1.0)
        if deeper < 0:
            return self.multiplied_in(replace(x, factor=factor)), y
        return x, self.multiplied_in(replace(y, factor=factor))

    def _depth(self, x: PackedVector) -> int:
        return max(map(self.on.settled_depth, x.values))

    def mul_plain(self, x: PackedVector, plain: NDArray[Any]) -> PackedVector:
        if len(plain) == 1:
            return self.scale(x, plain[0])
        if x.spread:
            x = self._stretched(x, len(plain))
            if bool((plain == plain[0]).all()):
                return self.scale(x, plain[0])
        tiled = x.tiled and not self.zeros
        return self._times_rows(x, plain * x.factor if x.factor != 1.0 else plain, tiled)

    def scale(self, x: PackedVector, by: Any) -> PackedVector:
        """x times one number; 1, -1 and 2 cost no level."""
        if by == 1:
            return x
        if by == -1:
            return self.negate(x)
        if by == 2:
            return self._combine(self.on.add, x, x)
        if not self.exact:
            waiting = replace(x, factor=x.factor * float(by))
            return waiting if self.fold else self.multiplied_in(waiting)
        return replace(x, values=tuple(self.on.mul_plain(v, scalar(by, True)) for v in x.values))

    def multiplied_in(self, x: PackedVector) -> PackedVector:
        """x with its waiting factor multiplied in."""
        if x.factor == 1.0:
            return x
        spared = x.period or (x.tiled and not self.zeros)
        if not x.clean and not spared and has_padding(x.length, self.slots):
            return self.cleaned(x)
        values = [self.on.mul_plain(v, scalar(x.factor, False)) for v in x.values]
        return replace(x, values=tuple(values), factor=1.0)

    def cleaned(self, x: PackedVector) -> PackedVector:
        """x with zeros in its padding, by a mask that also carries a waiting factor."""
        if x.clean or not has_padding(x.length, self.slots):
            return x
        if x.factor == 1.0:
            return self._masked_end(x)
        return self._times_rows(x, np.full(x.length, x.factor))

    def tamed(self, x: PackedVector) -> PackedVector:
        """x with nothing in its padding that a function could not take."""
        return self.cleaned(x) if x.wild else x

    def _masked_end(self, x: PackedVector) -> PackedVector:
        """x with its last chunk masked. Only that chunk has padding; the others need no product."""
        *whole, last = x.values
        mask = valid(x.length, self.slots, len(whole)).astype(np.int64 if self.exact else np.float64)
        return PackedVector(x.length, (*whole, self.on.mul_plain(last, mask)))

    def _times_rows(self, x: PackedVector, plain: NDArray[Any], tiled: bool = False) -> PackedVector:
        """x times a plain vector, with zeros beyond the end, or with repeated first elements if `tiled`."""
        rows = self._rows(plain, x.length, tiled=tiled)
        pairs = zip(x.values, rows, strict=True)
        values = tuple(self.on.mul_plain(v, self._shortest(r)) for v, r in pairs)
        return PackedVector(x.length, values, clean=not tiled, tiled=tiled)

    def _shortest(self, row: NDArray[Any]) -> NDArray[Any]:
        """The row, or only one number if every slot has the same."""
        return row[:1] if bool(np.all(row == row[0])) else row

    def _rows(
        self, plain: NDArray[Any], length: int, period: int = 0, tiled: bool = False
    ) -> list[NDArray[Any]]:
        """A plain vector or number as one row of slots per chunk, with zeros beyond the end of each period,
        or if `tiled` with the first elements repeated."""
        kind = np.int64 if self.exact else np.float64
        if tiled:
            whole = np.broadcast_to(plain, length).astype(kind)
            return list(np.resize(whole, (chunks_of(length, self.slots), self.slots)))
        full = np.zeros(chunks_of(length, self.slots) * self.slots, dtype=kind)
        full.reshape(-1, period or len(full))[:, :length] = plain
        return list(full.reshape(-1, self.slots))

    def _number(self, value: Any) -> NDArray[Any]:
        return scalar(value, self.exact)

    def _stretched(self, x: PackedVector, length: int) -> PackedVector:
        """A single value as a vector of `length` equal elements; its padding is not zero."""
        clean = not has_padding(length, self.slots)
        return PackedVector(length, x.values * chunks_of(length, self.slots), clean, x.factor)

    # -- across slots ----------------------------------------------------------------------------

    def sum(self, x: PackedVector) -> PackedVector:
        """The sum of all elements, in every slot: chunks are added first, then log-many rotations."""
        if x.spread:
            return x
        x = self.cleaned(x)
        total = self._balanced_sum(list(x.values))
        if self.on.style.composites:
            return PackedVector(1, (self.on.eval_sum(total),), True, x.factor)
        steps = 1
        while steps < self.on.build.row:
            total = self.on.settle(total)
            total = self.on.add(total, self.on.rotate(total, steps))
            steps *= 2
        if self.on.build.two_rows:
            total = self.on.settle(total)
            total = self.on.add(total, self.on.swap_rows(total))
        return PackedVector(1, (total,), True, x.factor)

    def _balanced_sum(self, values: list[Value]) -> Value:
        total = values[0]
        for value in values[1:]:
            total = self.on.add(total, value)
        return total

    def mean(self, x: PackedVector) -> PackedVector:
        """The sum times 1/n; where a mask is due anyway, the mask carries the 1/n."""
        n = x.length
        if not x.clean and has_padding(n, self.slots):
            return self.sum(replace(x, factor=x.factor / n))
        return self.scale(self.sum(x), 1 / n)

    def linear(self, x: PackedVector, matrix: Matrix, need: Need) -> PackedVector:
        """A plain matrix times x."""
        return linear_map(self.on, x, matrix, need)

    def rotate(self, x: PackedVector, steps: int) -> PackedVector:
        """x rotated: element i of the result is element i + steps, cyclically over the logical vector."""
        if x.spread or steps % x.length == 0:
            return x
        values, masked = rotate_vector(self.on, x.values, x.length, steps % x.length, x.factor)
        return PackedVector(x.length, values, True, 1.0 if masked else x.factor)

    # -- anything elementwise --------------------------------------------------------------------

    def each(self, f: Callable[[Value], Value], x: PackedVector, keeps_zero: bool) -> PackedVector:
        """x with f applied to every ciphertext; `keeps_zero` says that f leaves zeros as they are."""
        x = self.multiplied_in(x)
        return replace(x, values=tuple(f(v) for v in x.values), clean=x.clean and keeps_zero)


def _tiled(x: PackedVector, y: PackedVector) -> bool:
    """Whether an elementwise result of two vectors repeats its first elements beyond its end."""
    return (x.tiled or y.tiled) and all(v.tiled or v.spread for v in (x, y))


def _beyond(x: PackedVector, y: PackedVector, clean: bool) -> tuple[int, bool]:
    """`period` and `wild` of an elementwise result of two vectors."""
    periods = {v.period for v in (x, y) if not v.spread}
    if clean or not periods:
        return 0, False
    if len(periods) > 1:
        return 0, True  # only one of the two repeats, or they have different periods
    return periods.pop(), x.wild or y.wild
