"""Rows of directions that a backward pass follows through the slots, as small as their structure allows.

Directions that are single slots stay, through rotations and sums, one kernel that is moved to each of these
slots. Once a direction has become the same in every slot, all rows are multiples of one vector. After
multiplication by values that differ, only the slots in which rows are not zero are stored if these are few;
otherwise rows are stored in full.

Rows are not frozen: a pass makes them by the hundred thousand, and freezing takes longer than everything else
in making them. Nothing changes rows that something else holds (`sums.Added` changes its own).
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from fheasible.aliases import Floats, Ints
from fheasible.noise.shape import shape
from fheasible.program.simulate import turned

FEW = 8  # zeros are left out where at most one slot in so many is other than zero
MANY = 1024  # the least number of slots with which this is worth the effort


def _dot(x: Floats, y: Floats) -> float:
    """The scalar product of two vectors, without BLAS: for so little work its threads cost more than they
    save, above all on a busy machine."""
    return float(np.einsum("i,i->", x, y))


def _by_row(rows: Floats, values: Floats) -> Floats:
    """The scalar product of each row with its own row of values, or with the same values for all."""
    found: Floats = np.einsum("is,is->i" if values.ndim == 2 else "is,s->i", rows, values)
    return found


def square_sums(rows: Floats) -> Floats:
    """The sum of each row's squares."""
    return _by_row(rows, rows)


@dataclass(eq=False)
class _Read:
    """The base of all rows; it keeps what has been read from them."""

    known: dict[str, Floats] = field(default_factory=dict, init=False)

    def whole(self, width: int | None = None) -> Floats:
        """The first `width` rows in full, or all rows."""
        raise NotImplementedError

    @property
    def mean_square(self) -> float | None:
        """The mean of `squares` over a row for each slot of the ring, where it is known for all of these;
        otherwise None. It is also the mean of `offsets`, because each slot is met equally often."""
        return None

    def add_squares(self, number: float, total: Floats) -> None:
        """Adds `number` times the squares of the first rows to `total`, slot by slot."""
        squares = np.square(self.whole(len(total)))
        squares *= number
        total += squares

    def add_products(self, number: float, total: Floats) -> None:
        """Adds `number` times the scalar products of the first rows with each other to `total`."""
        own = self.whole(len(total))
        total += number * (own @ own.T)


@dataclass(eq=False)
class Kernel(_Read):
    """A row for each slot of `at`: `kernel`, moved to that slot. If `mean`, the mean of such rows over all
    slots of the ring comes first."""

    kernel: Floats
    at: tuple[int, ...]
    mean: bool

    @property
    def slots(self) -> int:
        return len(self.kernel)

    @cached_property
    def total(self) -> float:
        return float(self.kernel.sum())

    @property
    def squares(self) -> Floats:
        """The sum of the squares of each row."""
        own = np.full(len(self.at), _dot(self.kernel, self.kernel))
        return self._with_mean(self.total**2 / self.slots, own)

    @property
    def offsets(self) -> Floats:
        """The sum of the squares of each row, where each slot counts with what it has of an offset's square
        (`shape`)."""
        if self.few:
            return self.few.offsets
        moved = _moved_shape(self.slots, self.at)
        own = _by_row(moved, self.kernel**2)
        return self._with_mean((self.total / self.slots) ** 2 * float(shape(self.slots).sum()), own)

    @property
    def mean_square(self) -> float:
        return _dot(self.kernel, self.kernel)

    @property
    def sums(self) -> Floats:
        """The sum of each row."""
        return np.full(len(self.at) + self.mean, self.total)

    def along(self, values: Floats, width: int) -> Floats:
        """The scalar products of the first rows with a value for each slot."""
        return self.few.along(values, width) if self.few else _by_row(self.whole(width), values)

    def add_squares(self, number: float, total: Floats) -> None:
        if self.few:
            self.few.add_squares(number, total)
        else:
            super().add_squares(number, total)

    def add_products(self, number: float, total: Floats) -> None:
        if self.few:
            self.few.add_products(number, total)
        else:
            super().add_products(number, total)

    def _with_mean(self, of_mean: float, own: Floats) -> Floats:
        return np.concatenate([[of_mean], own]) if self.mean else own

    def at_slot_0(self, row: int) -> float:
        unit = row - self.mean
        return float(self.kernel[-self.at[unit]]) if unit >= 0 else self.total / self.slots

    def turned(self, steps: int) -> "Kernel":
        return Kernel(turned(self.kernel, steps), self.at, self.mean)

    def plus(self, other: "Rows", factor: float) -> "Rows":
        if isinstance(other, Kernel):
            return _kernel(self.kernel + factor * other.kernel, self.at, self.mean)
        if isinstance(other, WindowRows) and self.few:
            return _united(self.few, other, factor)
        return Full(self.whole() + factor * other.whole())

    def times(self, values: Floats) -> "Rows":
        return self.few.times(values) if self.few else Full(self.whole() * values)

    @cached_property
    def few(self) -> "WindowRows | None":
        """The same rows as a `WindowRows` if they are other than zero in few slots; otherwise None."""
        away = np.flatnonzero(self.kernel)
        if self.mean or self.slots < MANY or len(away) * FEW > self.slots:
            return None
        return WindowRows(np.tile(self.kernel[away], (len(self.at), 1)), away, self.at, self.slots)

    def whole(self, width: int | None = None) -> Floats:
        mean = np.full((int(self.mean), self.slots), self.total / self.slots)
        return mean if self.mean and width == 1 else np.concatenate([mean, self._moved])[:width]

    @cached_property
    def _moved(self) -> Floats:
        twice = np.concatenate([self.kernel, self.kernel])
        return np.asarray(sliding_window_view(twice, self.slots)[self.slots - np.array(self.at)])


@lru_cache(maxsize=4)
def _moved_shape(slots: int, at: tuple[int, ...]) -> Floats:
    """A row for each slot of `at`: `shape` as seen from that slot."""
    return np.array([turned(shape(slots), -k) for k in at])


def units(at: tuple[int, ...], slots: int, mean: bool) -> Kernel:
    """A row for each of these slots, which is 1 there and 0 elsewhere; if `mean`, the mean over all slots
    comes first."""
    return Kernel((np.arange(slots) == 0).astype(np.float64), at, mean)


def _kernel(kernel: Floats, at: tuple[int, ...], mean: bool) -> "Rows":
    """The rows of a kernel; rows that are the same in every slot need none and are `Common`."""
    if kernel[0] == kernel[-1] and np.all(kernel == kernel[0]):
        return Common(np.full(len(at) + mean, kernel[0]), np.ones(len(kernel)))
    return Kernel(kernel, at, mean)


@dataclass(eq=False)
class Common(_Read):
    """Rows that are multiples of one vector."""

    factors: Floats
    vector: Floats

    @property
    def slots(self) -> int:
        return len(self.vector)

    @property
    def squares(self) -> Floats:
        return self.factors**2 * _dot(self.vector, self.vector)

    @property
    def offsets(self) -> Floats:
        return self.factors**2 * _dot(shape(self.slots), self.vector**2)

    @property
    def sums(self) -> Floats:
        return self.factors * float(self.vector.sum())

    def along(self, values: Floats, width: int) -> Floats:
        return self.factors[:width] * _dot(self.vector, values)

    def at_slot_0(self, row: int) -> float:
        return float(self.factors[row] * self.vector[0])

    def turned(self, steps: int) -> "Common":
        return Common(self.factors, turned(self.vector, steps))

    def plus(self, other: "Rows", factor: float) -> "Rows":
        if not isinstance(other, Common) or not self._alike(other):
            return Full(self.whole() + factor * other.whole())
        return Common(self.factors, self.vector + factor * other.vector)

    def _alike(self, other: "Common") -> bool:
        return self.factors is other.factors or np.array_equal(self.factors, other.factors)

    def times(self, values: Floats) -> "Common":
        return Common(self.factors, self.vector * values)

    def whole(self, width: int | None = None) -> Floats:
        return self.factors[:width, None] * self.vector


@dataclass(eq=False)
class WindowRows(_Read):
    """Rows that are zero except in the slots that are `away` from their own slot of `at`."""

    values: Floats  # (row, slot away)
    away: Ints
    at: tuple[int, ...]
    slots: int

    @cached_property
    def places(self) -> Ints:
        """The slot of each value: (row, slot away)."""
        return (np.array(self.at)[:, None] + self.away) % self.slots

    @property
    def squares(self) -> Floats:
        return square_sums(self.values)

    @property
    def offsets(self) -> Floats:
        return _by_row(self.values**2, shape(self.slots)[self.places])

    @property
    def sums(self) -> Floats:
        return np.asarray(self.values.sum(axis=1))

    def along(self, values: Floats, width: int) -> Floats:
        return _by_row(self.values[:width], values[self.places[:width]])

    def at_slot_0(self, row: int) -> float:
        return float(self.values[row, self.places[row] == 0].sum())

    def turned(self, steps: int) -> "WindowRows":
        return WindowRows(self.values, (self.away + steps) % self.slots, self.at, self.slots)

    def plus(self, other: "Rows", factor: float) -> "Rows":
        few = other.few if isinstance(other, Kernel) else other
        if isinstance(few, WindowRows):
            return _united(self, few, factor)
        return Full(self.whole() + factor * other.whole())

    def times(self, values: Floats) -> "WindowRows":
        return WindowRows(self.values * values[self.places], self.away, self.at, self.slots)

    def whole(self, width: int | None = None) -> Floats:
        found = np.zeros((len(self.values[:width]), self.slots))
        np.put_along_axis(found, self.places[:width], self.values[:width], axis=1)
        return found

    def add_squares(self, number: float, total: Floats) -> None:
        rows, places = np.arange(len(total))[:, None], self.places[: len(total)]
        total[rows, places] += number * self.values[: len(total)] ** 2

    def add_products(self, number: float, total: Floats) -> None:
        met, places = np.unique(self.places[: len(total)], return_inverse=True)
        own = np.zeros((len(total), len(met)))
        np.put_along_axis(own, places.reshape(len(total), -1), self.values[: len(total)], axis=1)
        total += number * (own @ own.T)


def _united(x: WindowRows, y: WindowRows, factor: float) -> "Rows":
    """x plus the factor times y."""
    there = np.zeros(x.slots, dtype=np.bool_)  # flags: for these few slots sorting takes several times longer
    there[x.away] = there[y.away] = True
    away = np.flatnonzero(there)
    if len(away) * FEW > x.slots:
        return Full(x.whole() + factor * y.whole())
    values = np.zeros((len(x.at), len(away)))
    values[:, np.searchsorted(away, x.away)] = x.values
    values[:, np.searchsorted(away, y.away)] += factor * y.values
    return WindowRows(values, away, x.at, x.slots)


@dataclass(eq=False)
class Full(_Read):
    """Rows of any structure, stored in full."""

    values: Floats

    @property
    def slots(self) -> int:
        return len(self.values[0])

    @property
    def squares(self) -> Floats:
        return square_sums(self.values)

    @property
    def offsets(self) -> Floats:
        return _by_row(self.values**2, shape(self.slots))

    @property
    def sums(self) -> Floats:
        return np.asarray(self.values.sum(axis=1))

    def along(self, values: Floats, width: int) -> Floats:
        return _by_row(self.values[:width], values)

    def at_slot_0(self, row: int) -> float:
        return float(self.values[row, 0])

    def turned(self, steps: int) -> "Full":
        return Full(turned(self.values, steps))

    def plus(self, other: "Rows", factor: float) -> "Full":
        whole = other.whole()
        return Full(self.values + (whole if factor == 1 else factor * whole))

    def times(self, values: Floats) -> "Full":
        return Full(self.values * values)

    def whole(self, width: int | None = None) -> Floats:
        return self.values[:width]


Rows = Kernel | Common | WindowRows | Full


def summed(rows: Rows) -> Common:
    """The rows that have, in every slot, the sum of the given row."""
    return Common(rows.sums, np.ones(rows.slots))


class Adjoint(NamedTuple):
    """A factor times rows. Multiplying all slots by one number then costs nothing and keeps the same rows."""

    factor: float
    rows: Rows

    def times(self, values: Floats) -> "Adjoint":
        """The adjoint times a value for each slot, or times one value for all."""
        if len(values) == 1:
            return Adjoint(self.factor * float(values[0]), self.rows)
        return Adjoint(self.factor, self.rows.times(values))

    def plus(self, other: "Adjoint") -> "Adjoint":
        if self.rows is other.rows:
            return Adjoint(self.factor + other.factor, self.rows)
        small, large = (self, other) if abs(self.factor) <= abs(other.factor) else (other, self)
        if not small.factor:
            return large
        return Adjoint(large.factor, large.rows.plus(small.rows, small.factor / large.factor))

    def turned(self, steps: int) -> "Adjoint":
        return Adjoint(self.factor, self.rows.turned(steps))
