"""An application while it is drawn: its values with their lengths, ranges and depths, step by step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fheasible.trial.application import AppStep, Declared
from fheasible.trial.draw import Draw

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DrawnValue:
    """An encrypted vector with elements in [low, high]. `depth`: about how many products in succession."""

    name: str
    length: int
    low: float
    high: float
    depth: int = 0

    @property
    def range(self) -> Range:
        return self.low, self.high

    @property
    def size(self) -> float:
        """The largest absolute value that an element may have."""
        return max(abs(self.low), abs(self.high))


class ApplicationBuilder:
    """Adds inputs and steps to an application.

    `most_size`: reals beyond it are scaled down, and integers beyond it are not made.
    """

    def __init__(self, draw: Draw, real: bool, modulo: int | None = None, most_depth: int = 6) -> None:
        self.draw, self.real, self.modulo, self.most_depth = draw, real, modulo, most_depth
        self.most_size = draw.weighted(((6, 1e3), (2, 1e5), (1, 1e7))) if real else float(2**45)
        self.inputs: list[Declared] = []
        self.steps: list[AppStep] = []
        self.values: list[DrawnValue] = []

    def input(
        self, length: int, low: float, high: float, name: str = "", real: bool | None = None
    ) -> DrawnValue:
        """A new encrypted input. `real`: False makes integers in an application of reals."""
        name = name or "xyzwuv"[len(self.inputs)]
        made = Declared(name, self.real if real is None else real, length, low, high, self.modulo)
        if self.modulo is not None:
            low, high = -(self.modulo // 2), self.modulo // 2
        self.inputs.append(made)
        return self._kept(DrawnValue(name, length, low, high))

    def step(
        self,
        text: str,
        *args: DrawnValue,
        range: Range,
        length: int | None = None,
        depth: int = 0,
        times: int = 1,
    ) -> DrawnValue:
        """The value that a new step computes. `depth` is what the step adds to its deepest operand."""
        name = f"v{len(self.steps) + 1}"
        self.steps.append(AppStep(name, text, tuple(a.name for a in args), times))
        low, high = self._wrapped(range)
        most = max(a.length for a in args) if length is None else length
        return self._kept(DrawnValue(name, most, low, high, max(a.depth for a in args) + depth))

    def fits(self, range: Range, depth: int = 0) -> bool:
        """Whether a value of that range and depth may be made."""
        if depth > self.most_depth:
            return False
        return self.real or self.modulo is not None or max(map(abs, range)) <= self.most_size

    def tamed(self, v: DrawnValue, size: float = 1.0) -> DrawnValue:
        """The value; reals larger than `size` are scaled down first, as a user would do it."""
        if not self.real or v.size <= max(size, 1e-9):
            return v
        tens = 0
        while v.size > size * 10.0**tens:
            tens += 1
        factor = float(f"1e-{tens}")
        text = f"{{0}} * {factor!r}" if self.draw.chance(0.5) else f"{{0}} / {10**tens}"
        return self.step(text, v, range=(v.low * factor, v.high * factor), depth=1)

    def _wrapped(self, range: Range) -> Range:
        if self.modulo is None:
            return range
        return max(range[0], -(self.modulo // 2)), min(range[1], self.modulo // 2)

    def _kept(self, v: DrawnValue) -> DrawnValue:
        self.values.append(v)
        return v


Make = Callable[[ApplicationBuilder], Sequence[DrawnValue] | None]
"""A function that adds steps. It gives its results, or None where it does not fit the values at hand."""


def added(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def negated(a: Range) -> Range:
    return -a[1], -a[0]


def times(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def squared(a: Range) -> Range:
    return powered(a, 2)


def powered(a: Range, k: int) -> Range:
    """The range of k-th powers, for k so small that no double overflows."""
    ends = sorted((a[0] ** k, a[1] ** k))
    return (0, ends[1]) if k % 2 == 0 and a[0] <= 0 <= a[1] else (ends[0], ends[1])


def hull(*ranges: Range) -> Range:
    return min(r[0] for r in ranges), max(r[1] for r in ranges)


def promised(v: DrawnValue) -> tuple[str, Range]:
    """The text 'low=-1.5, high=2' for a range that is a little wider than the value's, and that range."""
    slack = (v.high - v.low) * 0.001 or 0.001
    low, high = _rounded(v.low - slack, up=False), _rounded(v.high + slack, up=True)
    return f"low={low!r}, high={high!r}", (low, high)


def _rounded(x: float, up: bool) -> float:
    """The number, rounded outwards to about three digits."""
    unit = 1.0
    while abs(x) >= 1000 * unit:
        unit *= 10
    while unit > 1e-9 and abs(x) < 100 * unit:
        unit /= 10
    whole = x / unit
    floor = int(whole // 1)
    return float(f"{(floor + (1 if up and floor != whole else 0)) * unit:.10g}")
