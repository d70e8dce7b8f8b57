"""Comparisons by carries and by trees of them, whichever takes fewer look-ups."""

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

from fheasible.lowering.lookups.arithmetic import Arithmetic
from fheasible.lowering.lookups.number import Number, Term

_NONE = 1 << 30  # look-ups of what is not possible


class Part(NamedTuple):
    """Successive columns that are looked up together, and what is added to them."""

    start: int
    columns: int
    plain: int
    radix: int  # what carries one to the next part
    last: bool


class Comparing:
    """Comparisons on sums of digits."""

    def __init__(self, on: Arithmetic) -> None:
        self.on = on

    def at_least(self, x: Number, least: int) -> Number:
        """1 where x >= least, else 0.

        x >= least where adding a constant carries out of the highest column. Each part of a few columns
        either takes the carry of the part before it, or is looked up alone (0: it never carries, 1: it
        carries if it takes one, 2: always), and one more look-up adds up several of these.
        """
        x = self.on.added(x)
        columns = [c[0] if c else None for c in x.columns]
        wanted = least - x.low
        most = sum(c.most * self.on.base**i for i, c in enumerate(columns) if c)
        if wanted <= 0 or wanted > most:
            return Number(x.length, int(wanted <= 0))
        plain = self.on.base ** len(columns) - wanted
        plan = _plan(tuple(c.most if c else 0 for c in columns), plain, self.on.base, self.on.on.modulus)
        if not plan:  # a column is too full to take a carry
            return self.at_least(self.on.settled(x), least)
        carry: Term | None = None
        for parts in plan:
            carry = self._one(x, parts[0], carry) if len(parts) == 1 else self._tree(x, parts, carry)
        assert carry is not None
        return Number(x.length, 0, ((carry,),) if carry.most else ())

    def _one(self, x: Number, part: Part, carry: Term | None) -> Term:
        whole = self._with_carry(x, part, carry)
        most = int(part.last) if part.last else (whole.most + part.plain) // part.radix
        return Term(
            self.on.on.lookup(
                whole.value,
                whole.most,
                lambda v: int(v + part.plain >= part.radix) if part.last else (v + part.plain) // part.radix,
            ),
            most,
        )

    def _with_carry(self, x: Number, part: Part, carry: Term | None) -> Term:
        whole = self.on.packed(x, part.start, part.columns)
        assert whole is not None
        if carry is None or not carry.most:
            return whole
        return Term(self.on.on.linear([whole.value, carry.value], [1, 1]), whole.most + carry.most)

    def _tree(self, x: Number, parts: Sequence[Part], carry: Term | None) -> Term:
        states, weights = [], []
        for j, part in enumerate(parts):
            whole = self.on.packed(x, part.start, part.columns)
            assert whole is not None
            states.append(self.on.on.lookup(whole.value, whole.most, partial(_state, part)))
            weights.append(1 << j)
        if carry is not None and carry.most:
            states.append(carry.value)
            weights.append(1)
        most, radix = sum(2 * w for w in weights), 1 << len(parts)
        return Term(
            self.on.on.lookup(
                self.on.on.linear(states, weights), min(most, self.on.room), lambda v: int(v >= radix)
            ),
            1,
        )

    def equal(self, x: Number, y: Number, x_span: tuple[int, int], y_span: tuple[int, int]) -> Number:
        """1 where x == y, else 0: digit by digit where both have digits below the base from the same number
        on, else by the digits of their difference."""
        a, b = self.on.added(x, x_span), self.on.added(y, y_span)
        base, length = self.on.base, max(x.length, y.length)
        ways = [lambda: self._difference_is_zero(x, y, (x_span[0] - y_span[1], x_span[1] - y_span[0]))]
        if a.low == b.low and a.canonical(base) and b.canonical(base):
            ways.append(lambda: self._digits_agree(a, b, length))
        at_once = self.on.added(x.minus(y), (x_span[0] - y_span[1], x_span[1] - y_span[0]))
        whole = self.on.packed(at_once)
        if whole is not None:
            ways.append(lambda: self._all([(whole, -at_once.low)], length))
        return self.on.on.cheapest(ways)

    def _difference_is_zero(self, x: Number, y: Number, span: tuple[int, int]) -> Number:
        found = self.on.settled(x.minus(y), span)
        wanted, tests, start = -found.low, [], 0
        if wanted < 0:
            return Number(found.length, 0)
        while start < len(found.columns):
            count = 1
            while start + count < len(found.columns) and self.on.packed(found, start, count + 1):
                count += 1
            whole = self.on.packed(found, start, count)
            assert whole is not None
            radix = self.on.base**count
            tests.append((whole, wanted % radix))
            wanted //= radix
            start += count
        if wanted:
            return Number(found.length, 0)
        return self._all(tests, found.length)

    def _digits_agree(self, a: Number, b: Number, length: int) -> Number:
        tests = []
        for i in range(max(len(a.columns), len(b.columns))):
            left, right = (Number(n.length, 0, n.columns[i : i + 1]) for n in (a, b))
            distance = self.on.added(left.minus(right))
            tests.append((self.on.packed(distance) or Term(0, 0), -distance.low))
        return self._all(tests, length)

    def _all(self, tests: Sequence[tuple[Term, int]], length: int) -> Number:
        """1 where every value is what is wanted of it."""
        bits = []
        for t, wanted in tests:
            if not 0 <= wanted <= t.most:
                return Number(length, 0)
            if t.most:
                bits.append(Term(self.on.on.lookup(t.value, t.most, partial(_same, wanted)), 1))
        while len(bits) > 1:
            bits = [self._both(bits[i : i + self.on.room]) for i in range(0, len(bits), self.on.room)]
        return Number(length, 0, ((bits[0],),)) if bits else Number(length, 1)

    def _both(self, bits: Sequence[Term]) -> Term:
        if len(bits) == 1:
            return bits[0]
        count = len(bits)
        total = self.on.on.linear([t.value for t in bits], [1] * count)
        return Term(self.on.on.lookup(total, count, lambda v: int(v == count)), 1)

    # -- choices -------------------------------------------------------------------------------------------

    def chosen(self, bit: Number, x: Number, y: Number, other: bool = False) -> Number:
        """x where the bit is 1, y where it is 0: y plus the bit times their difference, digit by digit, with
        one look-up for each digit where a ciphertext holds bit and difference, else with two. The `other` one
        takes the same look-ups: x less that product."""
        if not bit.columns:
            return x if bool(bit.low) != other else y
        low = min(x.low, y.low)
        x, y = (self.on.rebased(v, low) for v in (x, y))
        if not all(self._fits(v) for v in (x, y)):
            x, y = (self.on.settled(v) for v in (x, y))
            if x.low != y.low:
                return self.chosen(bit, x, y, other)
        b = self.on.packed(bit)
        assert b is not None
        columns = []
        for i in range(max(len(x.columns), len(y.columns))):
            columns.append(self._digit(b, self._column(x, i), self._column(y, i), other))
        return Number(max(bit.length, x.length, y.length), x.low, tuple(columns))

    def _fits(self, x: Number) -> bool:
        return x.summed and all(2 * (x.most(i) + 1) <= self.on.on.modulus for i in range(len(x.columns)))

    def _column(self, x: Number, i: int) -> Term | None:
        return x.columns[i][0] if i < len(x.columns) and x.columns[i] else None

    def _digit(self, bit: Term, x: Term | None, y: Term | None, other: bool) -> tuple[Term, ...]:
        if x == y:
            return (x,) if x else ()
        hx, hy = (t.most if t else 0 for t in (x, y))
        if 2 * (hx + hy + 1) > self.on.on.modulus:
            return (*self._masked(bit, x, int(not other)), *self._masked(bit, y, int(other)))
        terms = [(t.value, s) for t, s in ((x, 1), (y, -1)) if t]
        span = hx + hy + 1
        key = self.on.on.linear([bit.value, *(v for v, _ in terms)], [span, *(s for _, s in terms)], hy)
        made = self.on.on.lookup(key, 2 * span - 1, lambda v: v - span if v >= span else hy)
        start, sign, shift = (x, -1, hy) if other else (y, 1, -hy)
        if start is None:
            found = self.on.on.linear([made], [sign], shift)
        else:
            found = self.on.on.linear([start.value, made], [1, sign], shift)
        return (Term(found, max(hx, hy)),)

    def _masked(self, bit: Term, x: Term | None, where: int) -> tuple[Term, ...]:
        """x where the bit is `where`, else 0."""
        if x is None:
            return ()
        span = x.most + 1
        key = self.on.on.linear([bit.value, x.value], [span, 1])
        made = self.on.on.lookup(key, 2 * span - 1, lambda v: v % span if v // span == where else 0)
        return (Term(made, x.most),)


def _same(wanted: int, v: int) -> int:
    return int(v == wanted)


def _state(part: Part, v: int) -> int:
    """Whether the part carries: 0 never, 1 if it takes a carry, 2 always."""
    return int(v + part.plain >= part.radix - 1) + int(v + part.plain >= part.radix)


@cache
def _plan(most: tuple[int, ...], plain: int, base: int, modulus: int) -> tuple[tuple[Part, ...], ...]:
    """The fewest look-ups that find the last carry: parts one after the other, or several in a tree. Empty
    where a column has no room for the carry of the one before it.

    `most`: of each column; `plain`: what is added to them.
    """
    n = len(most)

    def part(start: int, count: int) -> Part:
        last = start + count == n
        rest = plain // base**start
        return Part(start, count, rest if last else rest % base**count, base**count, last)

    def span(start: int, count: int) -> int:
        return sum(most[start + j] * base**j for j in range(count))

    def longest(start: int, carry: int) -> int:
        count = 1
        while start + count < n and span(start, count + 1) + carry < modulus:
            count += 1
        return count

    @cache
    def best(start: int, carry: int) -> tuple[int, tuple[tuple[Part, ...], ...]]:
        if start == n:
            return 0, ()
        found = []
        for count in range(1, longest(start, carry) + 1):
            if span(start, count) + carry >= modulus:
                break
            p = part(start, count)
            out = 1 if p.last else (span(start, count) + carry + p.plain) // p.radix
            rest, plan = best(start + count, out)
            found.append((1 + rest, ((p,), *plan)))
        found.extend(trees(start, carry))
        return min(found, key=lambda f: f[0], default=(_NONE, ()))

    def trees(start: int, carry: int) -> list[tuple[int, tuple[tuple[Part, ...], ...]]]:
        found: list[tuple[int, tuple[tuple[Part, ...], ...]]] = []
        parts: list[Part] = []
        at = start
        while carry <= 1 and at < n and 2 * (2 << len(parts)) - 2 + carry < modulus:
            p = part(at, longest(at, 0))
            if not p.last and span(at, p.columns) + p.plain + 1 >= 2 * p.radix:
                break
            parts.append(p)
            at += p.columns
            if len(parts) > 1:
                rest, plan = best(at, 1)
                found.append((len(parts) + 1 + rest, (tuple(parts), *plan)))
        return found

    count, plan = best(0, 0)
    return plan if count < _NONE else ()
