"""Digits added up in as few look-ups as possible: carries are looked up only where a column overflows."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Interval
from fheasible.lowering.lookups.builder import LookupBuilder
from fheasible.lowering.lookups.number import Number, Term, tightened

_Entry = tuple[int, int, int, Term]  # minus a term's length, its bound, and minus when it came


class Arithmetic:
    """Sums of digits on a builder. `limit`: how many columns there are where integers wrap around."""

    def __init__(self, on: LookupBuilder, limit: int | None = None) -> None:
        self.on, self.limit = on, limit
        self.base, self.room = on.base, on.modulus - 1

    # -- plain numbers -----------------------------------------------------------------------------

    def plain(self, numbers: NDArray[Any]) -> Number:
        """Plain integers, without any look-up."""
        low = int(numbers.min())
        rest = numbers.astype(object) - low
        columns = []
        while rest.any():
            digit = (rest % self.base).astype(np.int64)
            columns.append((Term(self.on.trivial(digit), int(digit.max())),) if digit.any() else ())
            rest = rest // self.base
        return Number(len(numbers), low, tuple(columns))

    def constant(self, value: int, length: int = 1) -> Number:
        return Number(length, value)

    def rebased(self, x: Number, low: int) -> Number:
        """The same number with another `low`, at most its own: the rest becomes plain digits.

        Where integers wrap around, any `low` is possible.
        """
        rest = x.low - low
        if self.limit is not None:
            rest %= self.base**self.limit
        assert rest >= 0
        digits = []
        while rest:
            digit = rest % self.base
            digits.append((Term(self.on.trivial(np.array([digit])), digit),) if digit else ())
            rest //= self.base
        return replace(Number(x.length, 0, x.columns).plus(Number(1, 0, tuple(digits))), low=low)

    def digits(self, x: Number, low: int, span: Interval) -> Number:
        """x, whose values lie in that interval, in digits below the base from `low` on.

        Carries and borrows that leave the highest digit are dropped, and so is what lies above it.
        """
        count = 1
        while self.base**count <= int(span[1]) - low:
            count += 1
        cut = Arithmetic(self.on, count)
        found = cut.settled(cut.rebased(cut.added(x), low))
        return tightened(Number(x.length, low, found.columns), (low, int(span[1])), self.base)

    # -- adding up -----------------------------------------------------------------------------------

    def added(self, x: Number, span: Interval | None = None) -> Number:
        """x with one value for each column, below the modulus of a ciphertext."""
        return self._compressed(x, self.room, span)

    def settled(self, x: Number, span: Interval | None = None) -> Number:
        """x with one digit below the base for each column."""
        return self._compressed(x, self.base - 1, span)

    def _compressed(self, x: Number, cap: int, span: Interval | None) -> Number:
        columns = [[t for t in c if t.most] for c in x.columns]
        low, done, i = x.low, [], 0
        while i < len(columns) and (self.limit is None or i < self.limit):
            columns.append([])
            digit, taken = self._column(columns, i, cap)
            low -= taken * self.base**i
            done.append((digit,) if digit and digit.most else ())
            while columns and not columns[-1]:
                columns.pop()
            i += 1
        found = Number(x.length, low, tuple(done))
        return tightened(found, span, self.base) if span and self.limit is None else found

    def _column(self, columns: list[list[Term]], i: int, cap: int) -> tuple[Term | None, int]:
        """Column i as one term of at most `cap`, and the number that was added so that none is negative.

        Carries go to the next column, which there is.
        """
        waiting, taken = _Waiting(self._light(columns, i), self.on.length), 0
        while len(waiting) > 1 or waiting.most > cap or waiting.weighted:
            whole = waiting.most <= self.room
            one, shift = self._sum(waiting.all() if whole else waiting.group(self.room, self.base))
            taken += shift
            if whole and one.most <= cap:
                return one, taken
            low, carry = self.split(one)
            waiting.add(low)
            if carry.most:
                columns[i + 1].append(carry)
        return (waiting.all()[0] if waiting else None), taken

    def _light(self, columns: list[list[Term]], i: int) -> list[Term]:
        """The terms of column i, with weights that a ciphertext can hold; the rest goes to the next."""
        light: list[Term] = []
        waiting = list(columns[i])
        while waiting:
            t = waiting.pop()
            if t.bound <= self.room:
                light.append(t)
            elif t.most >= self.base:
                low, carry = self.split(t)
                waiting.append(low.times(t.weight))
                columns[i + 1].append(carry.times(t.weight))
            else:
                sign = 1 if t.weight > 0 else -1  # a positive weight has no negative part, and shifts nothing
                higher, rest = divmod(abs(t.weight), self.base)
                columns[i + 1].append(t.times(sign * higher))
                light.extend(self._parts(t.times(sign * rest)))
        return [t for t in light if t.weight]

    def _parts(self, t: Term) -> list[Term]:
        """The term as several ones that each fit a ciphertext."""
        most = self.room // t.most
        whole, rest = divmod(abs(t.weight), most)
        sign = 1 if t.weight > 0 else -1
        return [t.times(sign * w) for w in (*[most] * whole, rest) if w]

    def _sum(self, group: Sequence[Term]) -> tuple[Term, int]:
        """The sum of terms as one, and the number that was added so that it is never negative."""
        shift = sum([t.bound for t in group if t.weight < 0])
        value = self.on.linear([t.value for t in group], [t.weight for t in group], shift)
        return Term(value, sum([t.bound for t in group])), shift

    def split(self, t: Term) -> tuple[Term, Term]:
        """A value's lowest digit, and what it carries to the next column, whatever the term's weight is."""
        base = self.base
        low, carry = _digits_and_carries(t.most, base)
        return (
            Term(self.on.listed(t.value, low), min(base - 1, t.most)),
            Term(self.on.listed(t.value, carry), t.most // base),
        )

    # -- several columns as one value ------------------------------------------------------------------

    def packed(self, x: Number, start: int = 0, count: int | None = None) -> Term | None:
        """Columns that are added up, as one value; None where it would not fit a ciphertext."""
        chosen = x.columns[start:] if count is None else x.columns[start : start + count]
        terms = [t.times(t.weight * self.base**i) for i, column in enumerate(chosen) for t in column]
        if sum([t.bound for t in terms]) > self.room:
            return None
        if not terms:
            return Term(self.on.trivial(np.array([0])), 0)
        return self._sum(terms)[0]

    def digits_of(self, value: Term, low: int, function: Any) -> Number:
        """The function of `low` plus the value, by one table, or by one for each digit of the result."""
        results = [int(function(low + v)) for v in range(value.most + 1)]
        least, span = min(results), max(results) - min(results)
        at = self.on.length(value.value)
        if span <= self.room:
            whole = self.on.lookup(value.value, value.most, lambda v: results[v] - least)
            return Number(at, least, ((Term(whole, span),),) if span else ())
        columns = []
        power = 1
        while power <= span:
            digits = [(r - least) // power % self.base for r in results]
            made = self.on.lookup(value.value, value.most, digits.__getitem__)
            columns.append((Term(made, max(digits)),) if any(digits) else ())
            power *= self.base
        return Number(at, least, tuple(columns))


class _Waiting:
    """The terms of a column that are not added up yet, in the order in which they came."""

    def __init__(self, terms: Iterable[Term], length: Callable[[int], int]) -> None:
        self._length, self._came = length, 0
        # short ones last, of these the largest, of these the earliest
        self._sorted: list[_Entry] = sorted([self._entry(t) for t in terms])
        self.most = sum([bound for _, bound, *_ in self._sorted])  # of their sum

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, t: Term) -> None:
        insort(self._sorted, self._entry(t))
        self.most += t.bound

    def _entry(self, t: Term) -> _Entry:
        self._came += 1
        return -self._length(t.value), t.bound, -self._came, t

    @property
    def weighted(self) -> bool:
        """Whether the first term has another weight than 1."""
        return bool(self._sorted) and self._sorted[-1][3].weight != 1

    def all(self) -> list[Term]:
        """All terms, which are taken."""
        found = [t for *_, t in sorted(self._sorted, key=itemgetter(2), reverse=True)]
        self._sorted, self.most = [], 0
        return found

    def group(self, room: int, base: int) -> list[Term]:
        """Terms that fill one ciphertext, which are taken: short ones first, and of these the largest that
        still fit."""
        places: list[int] = []
        free, at = room, len(self._sorted) - 1
        while at >= 0:
            minus_length, bound, *_ = self._sorted[at]
            if bound <= free:
                places.append(at)
                free -= bound
                at -= 1
            else:  # on to the first one of this length that fits, or to a longer one
                at = bisect_left(self._sorted, (minus_length, free + 1), 0, at) - 1
        if len(places) == 1 < len(self._sorted) and self._sorted[places[0]][1] < base:
            # Nothing fits beside this digit. Something else is no digit yet, and is split by itself: two
            # digits always fit.
            places = [max(range(len(self._sorted)), key=lambda i: self._sorted[i][1:3])]
        return self._taken(places)

    def _taken(self, places: Sequence[int]) -> list[Term]:
        """The terms in these places, in descending order, which are taken."""
        found = [self._sorted.pop(i) for i in places]
        self.most -= sum([bound for _, bound, *_ in found])
        return [t for *_, t in found]


@cache
def _digits_and_carries(most: int, base: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lowest digit of each number up to `most`, and the rest over the base."""
    return tuple([v % base for v in range(most + 1)]), tuple([v // base for v in range(most + 1)])
