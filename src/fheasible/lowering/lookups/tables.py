"""Functions of one encrypted integer by tables: one look-up where a ciphertext holds all its values, else one
for each different part of the table."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.discrete import Discrete
from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term

Span = tuple[int, int]


class Tables:
    """Tables on sums of digits that do not wrap around."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def one(self, x: Number, span: Span | None, function: Callable[[int], int]) -> Number | None:
        """The function of x; None where one ciphertext does not hold all values of x."""
        added = self.on.added(x, span)
        value = self.on.packed(added)
        if value is None and span is not None and span[1] - added.low <= self.on.room:
            value = self.on.packed(self.on.settled(x, span))
        if value is None:
            return None
        least = span[0] if span else added.low
        made = self.on.digits_of(value, added.low, lambda v: function(max(v, least)))
        return Number(x.length, made.low, made.columns)

    def many(self, x: Number, span: Span, found: Discrete) -> Number:
        """The entry of a long table: its parts by the lowest digits, each times 1 where the other digits
        choose it."""
        digits = self.on.digits(x, span[0], span)
        count = int(np.prod([self._range(digits, i) for i in range(len(digits.columns))]))
        places = np.clip(np.arange(count) + digits.low - found.number, 0, len(found.table) - 1)
        entries = np.array(found.table, dtype=np.int64)[places]
        least = int(entries.min())
        rest, columns = entries - least, []
        while rest.any():
            columns.append(self._digit(digits, rest % self.on.base))
            rest = rest // self.on.base
        return Number(x.length, least, tuple((t,) if t else () for t in columns))

    def _range(self, digits: Number, i: int) -> int:
        """The number of values of a digit; whole ranges below the highest, so that places are products."""
        return self.on.base if i < len(digits.columns) - 1 else digits.most(i) + 1

    def _digit(self, digits: Number, entries: NDArray[Any]) -> Term | None:
        """The entry, below the base, for digits that count through the entries."""
        if not entries.any():
            return None
        count, below = 1, self._range(digits, 0)
        while count < len(digits.columns) and self.on.packed(digits, 0, count + 1) is not None:
            below *= self._range(digits, count)
            count += 1
        low = self.on.packed(digits, 0, count)
        assert low is not None
        if count == len(digits.columns):
            made = [int(v) for v in entries]
            return Term(self.on.on.lookup(low.value, low.most, made.__getitem__), max(made))
        above = Number(digits.length, 0, digits.columns[count:])
        rows, which = np.unique(entries.reshape(-1, below), axis=0, return_inverse=True)
        return self._chosen(low, above, rows, which.reshape(-1))

    def _chosen(self, low: Term, above: Number, rows: NDArray[Any], which: NDArray[Any]) -> Term | None:
        """The sum over the different rows of their entry, where the higher digits choose the row, else 0."""
        if len(rows) == 1:
            return self._entry(low, rows[0])
        terms = []
        for i, row in enumerate(rows):
            if row.any():
                mask = self._digit(above, (which == i).astype(np.int64))
                assert mask is not None
                terms.append(self._masked(mask, low, row))
        value = self.on.on.linear([t.value for t in terms], [t.weight for t in terms])
        return Term(value, int(rows.max()))

    def _entry(self, low: Term, row: NDArray[Any]) -> Term:
        made = [int(v) for v in row]
        return Term(self.on.on.lookup(low.value, low.most, made.__getitem__), max(made))

    def _masked(self, mask: Term, low: Term, row: NDArray[Any]) -> Term:
        if bool((row == row[0]).all()):
            return Term(mask.value, int(row[0]), int(row[0]))
        entry = self._entry(low, row)
        span = entry.most + 1
        key = self.on.on.linear([mask.value, entry.value], [span, 1])
        made = self.on.on.lookup(key, 2 * span - 1, lambda v: v - span if v >= span else 0)
        return Term(made, entry.most)
