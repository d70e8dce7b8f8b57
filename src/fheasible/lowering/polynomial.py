"""Polynomials of one ciphertext in few products and least depth [PatSto73], [BMTH21, Sec. 5].

A series of degree < 2^k takes k levels. It is split into p = q * B_m + r, with m the largest power of two.
The parts q and r are split in turn, down to leaves that are linear combinations of the first powers. A leaf
is formed directly at the level where it is added, so that it costs no rescaling of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import ProgramBuilder, Value, scalar
from fheasible.program.style import Style
from fheasible.program.types import Action

Coefficients = tuple[float, ...]


def chebyshev_series(on: Arithmetic, x: Value, coefficients: Sequence[float]) -> Value:
    """sum_i coefficients[i] T_i(x) for x in [-1, 1]."""
    return _evaluate(on, x, tuple(coefficients), chebyshev=True)


def library_series(on: Arithmetic, x: Value, coefficients: Sequence[float], low: float, high: float) -> Value:
    """The Chebyshev series of x in [low, high], by the library's own function.

    What happens inside is taken to be what our own algorithm would do.
    """
    assert on.style.series_depth is not None
    c = trimmed(tuple(coefficients))
    levels = on.style.series_depth(len(c) - 1, (low, high) == (-1.0, 1.0))
    return on.eval_chebyshev(
        x, np.array([low, high, *c]), levels, _inside(replace(on.style, series_depth=None), c)
    )


@lru_cache(maxsize=512)
def _inside(style: Style, coefficients: Coefficients) -> tuple[tuple[str, int], ...]:
    """The operations of our own algorithm for the series, each with its depth below x."""
    build = ProgramBuilder(style, 1, False)
    x = build.emit(Action.ENCRYPT, [], depth=0, source="x")
    chebyshev_series(Arithmetic(build), x, coefficients)
    return build.trace()


def polynomial(on: Arithmetic, x: Value, coefficients: Sequence[float]) -> Value:
    """sum_i coefficients[i] x^i."""
    return _evaluate(on, x, tuple(coefficients), chebyshev=False)


def _evaluate(on: Arithmetic, x: Value, coefficients: Coefficients, chebyshev: bool) -> Value:
    coefficients = trimmed(coefficients)
    degree = len(coefficients) - 1
    if degree == 0:
        return on.add_plain(on.zero(x), scalar(coefficients[0], on.style.exact))
    series = _Series(on, x, _best_baby(on.style, coefficients, chebyshev), chebyshev)
    return series.at(coefficients, on.settled_depth(x) + degree.bit_length() - 1)


def _best_baby(style: Style, coefficients: Coefficients, chebyshev: bool) -> int:
    """The number of baby steps with the fewest relinearisations; the least of several such numbers.

    In a polynomial it depends only on which coefficients are zero, unless there are two equal parts, which
    would be one.
    """
    if not chebyshev and not _repeats(coefficients):
        coefficients = tuple([float(k + 2) if c else 0.0 for k, c in enumerate(coefficients)])
    return _fewest(_relinearising(style), coefficients, chebyshev)


def _repeats(c: Coefficients) -> bool:
    """Whether two parts of the coefficients may be equal: two neighbours are, of which the second is not
    zero. Parts of a single coefficient take no product."""
    pairs = [pair for pair in pairwise(c) if pair[1]]
    return len(set(pairs)) < len(pairs)


def _relinearising(style: Style) -> Style:
    """The style without what no relinearisation depends on, such as how values are brought to one level."""
    return replace(
        style, automatic=False, extended=False, exact_scales=True, signed_numbers=True,
        loses_last_summands=False, hoists=False, as_written=False, spare=0, budget=None,
    )  # fmt: skip


@lru_cache(maxsize=512)
def _fewest(style: Style, coefficients: Coefficients, chebyshev: bool) -> int:
    """As `_best_baby`: each power of two is tried, likely ones first, and given up once it is worse than the
    best so far."""
    likely = len(coefficients).bit_length() / 2
    fewest, best = _Sketch.NO_LIMIT, 0
    for steps in sorted(range(1, len(coefficients).bit_length() + 1), key=lambda steps: abs(steps - likely)):
        count = _relinearisations(style, coefficients, 1 << steps, chebyshev, fewest)
        if count is not None and (count, 1 << steps) < (fewest, best or 1 << steps + 1):
            fewest, best = count, 1 << steps
    return best


def _relinearisations(
    style: Style, coefficients: Coefficients, baby: int, chebyshev: bool, most: int
) -> int | None:
    """The number of relinearisations; None if there are more than `most`."""
    build = _Sketch(style, most)
    x = build.emit(Action.ENCRYPT, [], depth=0, source="x")
    try:
        _SketchedSeries(Arithmetic(build), x, baby, chebyshev).at(
            coefficients, (len(coefficients) - 1).bit_length() - 1
        )
    except _TooMany:
        return None
    return build.relinearisations


class _TooMany(Exception):
    """The series takes more relinearisations than the most that are allowed."""


class _Sketch(ProgramBuilder):
    """A builder that only counts the relinearisations of what it would build."""

    NO_LIMIT = 1 << 30

    def __init__(self, style: Style, most: int) -> None:
        super().__init__(style, 1, False)
        self.most, self.relinearisations = most, 0

    def emit(
        self, action: Action, args: Sequence[Value], *, depth: int, degree: int = 1, size: int = 2,
        plain: NDArray[Any] | None = None, steps: int = 0, source: str = "", chunk: int = 0,
        internal: tuple[tuple[str, int], ...] = (),
    ) -> Value:  # fmt: skip
        number = None if plain is None else plain.tobytes()
        key = (action, tuple([a.id for a in args]), depth, number, steps, source, chunk)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Value(len(self._made), depth, degree, size)
            self.relinearisations += action is Action.RELINEARIZE
            if self.relinearisations > self.most:
                raise _TooMany
        return found


class _Series:
    """Evaluates series in powers (or Chebyshev polynomials) B_k of one x."""

    def __init__(self, on: Arithmetic, x: Value, baby: int, chebyshev: bool) -> None:
        self.on = on
        self.baby = baby
        self.chebyshev = chebyshev
        self._in_unit = chebyshev and on.build.bounds.get(x.id, inf) <= 1  # so that all B_k are in [-1, 1]
        self._powers = {1: on.settle(x)}

    def power(self, k: int) -> Value:
        """B_k, of depth ceil(log2 k) above x."""
        if k not in self._powers:
            high, low = (k + 1) // 2, k // 2
            product = self.on.mul(self.power(high), self.power(low))
            if self.chebyshev:
                product = self._minus_difference(self.on.add(product, product), high - low)
            self._powers[k] = self.on.settle(product)
            if self._in_unit:
                self.on.build.bounded(self._powers[k], 1.0)
        return self._powers[k]

    def _minus_difference(self, doubled: Value, difference: int) -> Value:
        """T_(a+b) = 2 T_a T_b - T_(a-b), with 2 T_a T_b given as `doubled` and a - b as `difference`."""
        if difference == 0:
            return self.on.add_plain(doubled, scalar(-1, self.on.style.exact))
        return self.on.sub(doubled, self.power(difference))

    def at(self, c: Coefficients, depth: int) -> Value:
        """The series as an unrescaled value of `depth` (of its own depth where products use up no level)."""
        degree = len(c) - 1
        if self._is_leaf(c, depth):
            return self._leaf(c, depth)
        m = 1 << (degree.bit_length() - 1)
        quotient, remainder = self._divide(c, m)
        return self._plus(self._times_power(quotient, m, depth), remainder, depth)

    def _is_leaf(self, c: Coefficients, depth: int) -> bool:
        """Whether the series is a linear combination of powers that all exist by `depth`."""
        degree = len(c) - 1
        start = self.on.settled_depth(self._powers[1])
        return degree == 1 or (degree < self.baby and start + (degree - 1).bit_length() <= depth)

    def _leaf(self, c: Coefficients, depth: int) -> Value:
        terms = [self._term(k, a, depth) for k, a in enumerate(c) if k > 0 and a != 0]
        terms.sort(key=lambda v: v.depth)  # so that automatic alignment touches the sum least
        return self._plus_constant(_fold(self.on.add, terms), c[0])

    def _term(self, k: int, a: float, depth: int) -> Value:
        return self.on.mul_plain(self.power(k), scalar(a, self.on.style.exact), at=depth)

    def _times_power(self, quotient: Coefficients, m: int, depth: int) -> Value:
        if len(quotient) == 1:
            return self._term(m, quotient[0], depth)
        settled = self.on.settle(self.at(quotient, depth - 1))
        return self.on.mul(settled, self.power(m))

    def _plus(self, value: Value, remainder: Coefficients, depth: int) -> Value:
        if len(remainder) == 1:
            return self._plus_constant(value, remainder[0])
        return self.on.add(value, self.at(remainder, depth))

    def _plus_constant(self, value: Value, c: float) -> Value:
        return value if c == 0 else self.on.add_plain(value, scalar(c, self.on.style.exact))

    def _divide(self, c: Coefficients, m: int) -> tuple[Coefficients, Coefficients]:
        """(q, r) with c = q * B_m + r, for m <= degree < 2m."""
        high = list(c[m:])
        low = list(c[:m])
        if self.chebyshev:  # T_(m+i) = 2 T_m T_i - T_(m-i)
            for i in range(1, len(high)):
                low[m - i] -= high[i]
                high[i] *= 2
        return trimmed(tuple(high)), trimmed(tuple(low))


class _SketchedSeries(_Series):
    """A series of which only relinearisations are counted. A leaf has one term for all powers that are alike:
    it makes none itself, and its value is as deep as with all of them."""

    def _leaf(self, c: Coefficients, depth: int) -> Value:
        powers = ((k, self.power(k)) for k, a in enumerate(c) if k > 0 and a != 0)
        kinds = {(power.depth, power.degree, power.size): k for k, power in powers}
        terms = sorted((self._term(k, c[k], depth) for k in kinds.values()), key=lambda v: v.depth)
        return self._plus_constant(_fold(self.on.add, terms), c[0])


def trimmed(c: Coefficients) -> Coefficients:
    """c without the zeros of its highest powers; at least its constant is kept."""
    degree = max((k for k, a in enumerate(c) if a != 0), default=0)
    return tuple(c[: degree + 1])


def _fold(f: Callable[[Value, Value], Value], values: list[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = f(total, value)
    return total
