"""Elements that change places, and sums of many elements: folded as far as a ciphertext holds them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.matrix import Matrix
from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term, total


class Moving:
    """Sums and selections of elements on sums of digits."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def picked(self, x: Number, places: NDArray[Any]) -> Number:
        """The elements in these places."""
        columns = tuple(
            tuple(t._replace(value=self.on.on.pick(t.value, places)) for t in column) for column in x.columns
        )
        return Number(len(places), x.low, columns)

    def joined(self, parts: Sequence[Number]) -> Number:
        """The elements of all parts, one part after the other."""
        least = min(p.low for p in parts)
        added = [self.on.added(self.on.rebased(p, least)) for p in parts]
        low = min(p.low for p in added)
        if any(p.low != low for p in added):
            added = [self.on.added(self.on.rebased(p, low)) for p in added]
        columns = []
        for i in range(max(len(p.columns) for p in added)):
            terms = [p.columns[i][0] if i < len(p.columns) and p.columns[i] else None for p in added]
            most = max(t.most for t in terms if t) if any(terms) else 0
            value = self.on.on.join([self._full(t, p.length) for t, p in zip(terms, added, strict=True)])
            columns.append((Term(value, most),) if most else ())
        return Number(sum(p.length for p in parts), low, tuple(columns))

    def _full(self, t: Term | None, length: int) -> int:
        """The term's value with all its elements."""
        value = self.on.on.trivial(np.zeros(1)) if t is None else t.value
        return self.on.on.join([value] * length) if self.on.on.length(value) < length else value

    def total(self, x: Number) -> Number:
        """The sum of all elements."""
        return self.sums(x, 1)

    def sums(self, x: Number, rows: int) -> Number:
        """The sum of each of so many rows of successive elements."""
        count = x.length // rows
        columns = [list(c) for c in x.columns]
        done: list[tuple[Term, ...]] = []
        for i in range(1 << 20):
            if i >= len(columns) or (self.on.limit is not None and i >= self.on.limit):
                break
            columns.append([])
            done.append(tuple(self._row_sum(columns, i, t, rows, count) for t in columns[i] if t.most))
            while columns and not columns[-1]:
                columns.pop()
        return Number(rows, x.low * count, tuple(done))

    def _row_sum(self, columns: list[list[Term]], i: int, t: Term, rows: int, count: int) -> Term:
        """The row sums of one term of column i; what it carries goes to the next column."""
        if self.on.on.length(t.value) == 1 and rows * count > 1:
            return t.times(t.weight * count)  # one element stands for all
        left = self.on.on.length(t.value) // rows
        while left > 1:
            if 2 * t.most > self.on.room:
                t = self._split(columns, i, t, rows)
            group = min(self.on.room // t.most, left)
            t = Term(self._folded(t.value, rows, left, group), group * t.most, t.weight)
            left = -(-left // group)
            if left > 1:
                t = self._split(columns, i, t, rows)
        return t

    def _split(self, columns: list[list[Term]], i: int, t: Term, rows: int) -> Term:
        low, carry = self.on.split(t)
        if carry.most:
            columns[i + 1].append(carry.times(t.weight))
        return low.times(t.weight)

    def _folded(self, value: int, rows: int, count: int, group: int) -> int:
        """Sums of `group` neighbours in each row of `count`; the last one of a row may have fewer."""
        if rows == 1 or count % group == 0:
            return self.on.on.fold(value, group)
        zero = self.on.on.trivial(np.zeros(1))
        whole = -(-count // group) * group
        places = np.full((rows, whole), rows * count)
        places[:, :count] = np.arange(rows * count).reshape(rows, count)
        return self.on.on.fold(self.on.on.pick(self.on.on.join([value, zero]), places.reshape(-1)), group)

    # -- plain matrices ------------------------------------------------------------------------------------

    def linear(self, x: Number, matrix: Matrix) -> Number:
        """A plain matrix times x: for each weight, the elements with that weight are picked and summed."""
        if matrix.selects and len(matrix) == matrix.shape[0]:
            return self.picked(x, matrix.columns)
        moved = Number(x.length, 0, x.columns)
        return total((self._lows(x.low, matrix), *self._weighted(moved, matrix)))

    def _weighted(self, x: Number, matrix: Matrix) -> Iterator[Number]:
        """What each weight of a matrix adds, for a number without a `low`."""
        for weight in np.unique(matrix.values).tolist():
            there = matrix.values == weight
            found = self._gathered(x, matrix.rows[there], matrix.columns[there], matrix.shape[0])
            yield found.scaled(weight)

    def _lows(self, low: int, matrix: Matrix) -> Number:
        sums = np.zeros(matrix.shape[0], dtype=object)
        np.add.at(sums, matrix.rows, matrix.values.astype(object))
        return self.on.plain(sums * low)

    def _gathered(self, x: Number, rows: NDArray[Any], columns: NDArray[Any], count: int) -> Number:
        """In each row, the sum of the elements of x in these columns; 0 where there are none."""
        each = np.bincount(rows, minlength=count)
        widest = int(each.max())
        places = np.full((count, widest), x.length)
        order = np.arange(len(rows)) - np.repeat(np.cumsum(each) - each, each)
        places[rows, order] = columns
        zero = self.on.on.trivial(np.zeros(1))
        padded = Number(
            x.length + 1,
            0,
            tuple(
                tuple(t._replace(value=self.on.on.join([self._full(t, x.length), zero])) for t in c)
                for c in x.columns
            ),
        )
        return self.sums(self.picked(padded, places.reshape(-1)), count)
