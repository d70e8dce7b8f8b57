"""Quotients and remainders by plain numbers, and the bits of encrypted integers."""

from collections.abc import Callable
from functools import partial

from fheasible.aliases import Interval
from fheasible.circuit.discrete import Function
from fheasible.errors import UnsupportedOperation
from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term

_BITWISE: dict[Function, Callable[[int, int], int]] = {
    Function.AND: lambda x, y: x & y,
    Function.OR: lambda x, y: x | y,
    Function.XOR: lambda x, y: x ^ y,
}


class Dividing:
    """Quotients, remainders and bits on sums of digits that do not wrap around."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def floor(self, x: Number, by: int, span: Interval) -> Number:
        """floor(x / by)."""
        x = self.on.added(x, span)
        whole, rest = divmod(x.low, by)
        above = self.on.digits(Number(x.length, rest, x.columns), 0, (0, int(span[1]) - x.low + rest))
        drop, left = 0, by
        while left % self.on.base == 0:
            drop, left = drop + 1, left // self.on.base
        kept = Number(x.length, 0, above.columns[drop:])
        found = kept if left == 1 else self._divided(kept, left)
        return Number(x.length, found.low + whole, found.columns)

    def _divided(self, x: Number, by: int) -> Number:
        """floor(x / by) of digits without anything below them."""
        ways = [partial(self._by_reciprocal, x, by)]
        if by * self.on.base <= self.on.on.modulus:
            ways.append(partial(self._by_digits, x, by))
        return self.on.on.cheapest(ways)

    def _by_digits(self, x: Number, by: int) -> Number:
        """Long division from the highest digit down: the remainder and the next digit fit a ciphertext."""
        rest, columns = Term(0, 0), []
        for column in reversed(x.columns):
            at = _joined(self.on, rest, column)
            quotient = self.on.on.lookup(at.value, at.most, lambda v: v // by) if at.most >= by else -1
            columns.append((Term(quotient, at.most // by),) if quotient >= 0 else ())
            rest = Term(self.on.on.lookup(at.value, at.most, lambda v: v % by), min(by - 1, at.most))
        return Number(x.length, 0, tuple(reversed(columns)))

    def _by_reciprocal(self, x: Number, by: int) -> Number:
        """The highest digits of x times a rounded reciprocal [GraMon94], which are exact for all x."""
        most = sum(x.most(i) * self.on.base**i for i in range(len(x.columns)))
        shift = 1
        while (-(self.on.base**shift) % by) * (most + 1) >= self.on.base**shift:
            shift += 1
        factor = -(-(self.on.base**shift) // by)
        product = self.on.settled(x.scaled(factor), (0, most * factor))
        return Number(x.length, 0, product.columns[shift:])

    def remainder(self, x: Number, by: int, span: Interval) -> Number:
        """x - by floor(x / by): the lowest digits for a power of the base; or else by the remainders of all
        digits, where these are small, or by the quotient."""
        power = _logarithm(by, self.on.base)
        if power is not None:
            x = self.on.added(x, span)
            above = self.on.rebased(Number(x.length, x.low % by, x.columns), 0)
            cut = Arithmetic(self.on.on, power).settled(above)
            return Number(x.length, 0, cut.columns[:power])
        ways = [lambda: x.minus(self.floor(x, by, span).scaled(by))]
        if 2 * (by - 1) <= self.on.room:
            ways.append(lambda: self._of_digits(self.on.added(x), by))
        digits = partial(self.on.digits, low=0, span=(0, by - 1))
        return digits(self.on.on.cheapest(ways, digits))

    def _of_digits(self, x: Number, by: int) -> Number:
        """The remainder of the sum of each digit times the remainder of its weight, in [0, by)."""
        terms = [t for i, column in enumerate(x.columns) for t in self._light(column, i, by)]
        if not terms:
            return Number(x.length, x.low % by)
        while True:
            group, filled = [], 0
            for t in sorted(terms, key=lambda t: -t.bound):
                if filled + t.bound <= self.on.room:
                    group.append(t)
                    filled += t.bound
            chosen = set(map(id, group))
            terms = [t for t in terms if id(t) not in chosen]
            total = self.on.on.linear([t.value for t in group], [t.weight for t in group])
            plain = 0 if terms else x.low % by
            terms.append(Term(self.on.on.lookup(total, filled, partial(_remainder, 1, plain, by)), by - 1))
            if len(terms) == 1:
                return Number(x.length, 0, (tuple(terms),))

    def _light(self, column: tuple[Term, ...], i: int, by: int) -> list[Term]:
        """The digits of column i times the remainder of its weight, which a ciphertext holds."""
        weight, found = self.on.base**i % by, []
        for t in column:
            if weight * t.most <= self.on.room:
                found.append(Term(t.value, t.most, weight))
            else:
                made = self.on.on.lookup(t.value, t.most, partial(_remainder, weight, 0, by))
                found.append(Term(made, by - 1))
        return [t for t in found if t.weight]

    # -- bits ------------------------------------------------------------------------------------------------

    def bitwise(self, function: Function, x: Number, y: Number, spans: tuple[Interval, Interval]) -> Number:
        """A function of the bits of two numbers: negative ones as their two's complement."""
        width = max(int(v if v >= 0 else -v - 1).bit_length() for s in spans for v in s)
        signed = min(s[0] for s in spans) < 0
        low, flip = (-(1 << width), 1 << width) if signed else (0, 0)
        top = low + (1 << (width + signed)) - 1
        a, b = (self.on.digits(v, low, (low, top)) for v in (x, y))
        columns = []
        for i in range(-(-(width + signed) // (self.on.base.bit_length() - 1))):
            here = flip // self.on.base**i % self.on.base
            columns.append(self._bits(function, a, b, i, here))
        return Number(max(x.length, y.length), low, tuple(columns))

    def _bits(self, function: Function, a: Number, b: Number, i: int, flip: int) -> tuple[Term, ...]:
        x, y = (n.columns[i][0] if i < len(n.columns) and n.columns[i] else None for n in (a, b))
        own, base = _BITWISE[function], self.on.base
        most = base - 1
        if x is None or y is None:
            t, other = (y if x is None else x), 0
            if t is None:
                plain = own(flip, flip) ^ flip
                return () if not plain else (self._plain(plain),)
            made = self.on.on.lookup(t.value, t.most, lambda v: own(v ^ flip, other ^ flip) ^ flip)
            return (Term(made, most),)
        span = y.most + 1
        key_most = x.most * span + y.most
        if key_most > self.on.room:
            raise UnsupportedOperation(
                f"the bits of two digits below {base} do not fit a ciphertext of {self.on.on.modulus} values",
                "take a carry modulus that is at least the message modulus",
            )
        key = self.on.on.linear([x.value, y.value], [span, 1])
        made = self.on.on.lookup(key, key_most, lambda v: own((v // span) ^ flip, (v % span) ^ flip) ^ flip)
        return (Term(made, most),)

    def _plain(self, digit: int) -> Term:
        return self.on.rebased(Number(1, digit), 0).columns[0][0]


def _joined(on: Arithmetic, rest: Term, column: tuple[Term, ...]) -> Term:
    """The remainder so far times the base, plus the next digit."""
    terms = [Term(rest.value, rest.most, on.base)] if rest.most else []
    found = on.packed(Number(1, 0, ((*terms, *column),)))
    assert found is not None
    return found


def _remainder(weight: int, plain: int, by: int, v: int) -> int:
    return (v * weight + plain) % by


def _logarithm(number: int, base: int) -> int | None:
    power = 0
    while number % base == 0:
        number, power = number // base, power + 1
    return power if number == 1 else None
