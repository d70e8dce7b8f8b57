"""Products of encrypted integers, digit by digit: by tables of two digits, or by squares of sums and
differences, whichever takes fewer look-ups."""

from collections.abc import Callable
from functools import partial

from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term

Columns = list[list[Term]]


class Products:
    """Products on sums of digits."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def of(self, x: Number, y: Number) -> Number:
        """x times y, as terms that are not added up yet."""
        length = max(x.length, y.length)
        with_low = Number(length, x.low * y.low)
        for number, low in ((x, y.low), (y, x.low)):
            with_low = with_low.plus(Number(length, 0, number.columns).scaled(low))
        left, right = (Number(length, 0, v.columns) for v in (x, y))
        ways = [partial(self._by, left, right, make, whole) for make in self._makers() for whole in (0, 1)]
        return self.on.on.cheapest([partial(self._total, with_low, way) for way in ways])

    def _total(self, with_low: Number, way: Callable[[], Number]) -> Number:
        return with_low.plus(way())

    def _makers(self) -> list[Callable[[Term, Term, bool], Columns | None]]:
        return [self._table, self._squares]

    def _by(
        self, x: Number, y: Number, make: Callable[[Term, Term, bool], Columns | None], whole: bool
    ) -> Number:
        """The product with that way for each pair of digits; another way where it does not fit."""
        a, b = self.on.settled(x), self.on.settled(y)
        square = a == b
        found = Number(x.length, a.low * b.low)
        for number, low in ((a, b.low), (b, a.low)):
            found = found.plus(Number(x.length, 0, number.columns).scaled(low))
        for i, left in enumerate(a.columns):
            for j, right in enumerate(b.columns):
                if left and right and not (square and j < i) and not self._beyond(i + j):
                    terms = self._pair(left[0], right[0], make, whole)
                    weight = 2 if square and j > i else 1
                    found = found.plus(_placed(x.length, terms, i + j).scaled(weight))
        return found

    def _beyond(self, column: int) -> bool:
        return self.on.limit is not None and column >= self.on.limit

    def _pair(
        self, x: Term, y: Term, make: Callable[[Term, Term, bool], Columns | None], whole: bool
    ) -> Columns:
        if x == y:
            return self._looked_up(x.value, x.most, lambda v: v * v, whole)
        others = [m for m in self._makers() if m != make]
        found = next((c for m in (make, *others) if (c := m(x, y, whole)) is not None), None)
        assert found is not None  # squares always fit where carries do
        return found

    def _table(self, x: Term, y: Term, whole: bool) -> Columns | None:
        """The product by a table of both digits; None where a ciphertext does not hold both."""
        x, y = (x, y) if x.most < y.most else (y, x)
        span = y.most + 1
        most = x.most * span + y.most
        if most > self.on.room:
            return None
        key = self.on.on.linear([x.value, y.value], [span, 1])
        return self._looked_up(key, most, lambda v: (v // span) * (v % span), whole)

    def _squares(self, x: Term, y: Term, whole: bool) -> Columns | None:
        """The product as floor((x + y)^2 / 4) less floor((x - y)^2 / 4); None where no ciphertext holds the
        sum."""
        most = x.most + y.most
        if most > self.on.room:
            return None
        total = self.on.on.linear([x.value, y.value], [1, 1])
        apart = self.on.on.linear([x.value, y.value], [1, -1], y.most)
        found = self._looked_up(total, most, lambda v: v * v // 4, whole)
        less = self._looked_up(apart, most, lambda v: (v - y.most) ** 2 // 4, whole)
        for column, terms in zip(found, less, strict=False):
            column.extend(Term(t.value, t.most, -t.weight) for t in terms)
        return found + [
            [Term(t.value, t.most, -t.weight) for t in terms] for terms in less[len(found) :]
        ]

    def _looked_up(self, key: int, most: int, function: Callable[[int], int], whole: bool) -> Columns:
        """The function of a value: one value if `whole` and it fits, else one for each digit of the result."""
        largest = max(map(function, range(most + 1)))
        if largest < self.on.base or (whole and largest <= self.on.room):
            return [[Term(self.on.on.lookup(key, most, function), largest)]]
        columns, power = [], 1
        while power <= largest:
            made = [function(v) // power % self.on.base for v in range(most + 1)]
            columns.append([Term(self.on.on.lookup(key, most, made.__getitem__), max(made))])
            power *= self.on.base
        return columns


def _placed(length: int, terms: Columns, column: int) -> Number:
    return Number(length, 0, tuple(tuple(c) for c in [[] for _ in range(column)] + terms))
