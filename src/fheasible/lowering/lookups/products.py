"""Products of encrypted integers, digit by digit: by tables of two digits, or by squares of sums and
differences, whichever takes fewer look-ups."""

from collections.abc import Callable
from functools import partial

from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term

Columns = list[list[Term]]
Maker = Callable[[Term, Term, bool], Columns | None]


class Products:
    """Products on sums of digits."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def of(self, x: Number, y: Number, then: Callable[[Number], Number]) -> Number:
        """x times y, as terms that are not added up yet, by the way with the fewest look-ups once `then` has
        added them up."""
        a, b = self.on.settled(x), self.on.settled(y)
        whole = (False, True) if self.on.base > 2 else (False,)
        ways = [partial(self._by, a, b, make, w) for make in self._makers() for w in whole]
        return self.on.on.cheapest(ways, then)

    def _makers(self) -> list[Maker]:
        return [self._table, self._squares]

    def _by(self, a: Number, b: Number, make: Maker, whole: bool) -> Number:
        """The product with that way for each pair of digits; another way where it does not fit."""
        length, square = max(a.length, b.length), a == b
        columns: Columns = [[] for _ in range(len(a.columns) + len(b.columns) + 1)]
        for i, left in enumerate(a.columns):
            for j, right in enumerate(b.columns):
                if left and right and not (square and j < i) and not self._beyond(i + j):
                    weight = 2 if square and j > i else 1
                    for k, terms in enumerate(self._pair(left[0], right[0], make, whole)):
                        columns[i + j + k].extend(t.times(weight * t.weight) for t in terms)
        found = Number(length, a.low * b.low, tuple(map(tuple, columns)))
        for number, low in ((a, b.low), (b, a.low)):
            found = found.plus(Number(length, 0, number.columns).scaled(low))
        return found

    def _beyond(self, column: int) -> bool:
        return self.on.limit is not None and column >= self.on.limit

    def _pair(self, x: Term, y: Term, make: Maker, whole: bool) -> Columns:
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
        return found + [[Term(t.value, t.most, -t.weight) for t in terms] for terms in less[len(found) :]]

    def _looked_up(self, key: int, most: int, function: Callable[[int], int], whole: bool) -> Columns:
        """The function of a value: one value if `whole` and it fits, else one for each digit."""
        largest = max(map(function, range(most + 1)))
        if largest < self.on.base or (whole and largest <= self.on.room):
            return [[Term(self.on.on.lookup(key, most, function), largest)]]
        columns, power = [], 1
        while power <= largest:
            made = [function(v) // power % self.on.base for v in range(most + 1)]
            columns.append([Term(self.on.on.lookup(key, most, made.__getitem__), max(made))])
            power *= self.on.base
        return columns
