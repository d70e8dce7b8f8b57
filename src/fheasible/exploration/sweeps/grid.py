"""Parameter sets to analyse: every combination of a few values of each parameter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from fheasible.errors import UsageError
from fheasible.schemes.parameters import RingParameters

NAMES = ("n", "log_q", "t", "log_w", "sigma")
DEFAULTS: dict[str, Any] = {f.name: f.default for f in fields(RingParameters)}
REQUIRED = ("n", "log_q")
MOST_VALUES = 10_000_000  # of one parameter: more are a mistake rather than a wish

Number = int | float
Point = dict[str, Number]


@dataclass(frozen=True, slots=True)
class GridAxis:
    """A parameter and its values, in the order in which they were given."""

    name: str
    values: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of parameter sets: the parameters of `axes` vary, the last one fastest, and those of `fixed` do
    not."""

    axes: tuple[GridAxis, ...] = ()
    fixed: Point = field(default_factory=dict)

    def __len__(self) -> int:
        return prod(len(axis.values) for axis in self.axes)

    def points(self) -> Iterator[Point]:
        """Every set, with all its parameters."""
        names = [axis.name for axis in self.axes]
        for values in product(*(axis.values for axis in self.axes)):
            yield self.fixed | dict(zip(names, values, strict=True))

    def chunks(self, size: int) -> Iterator[list[Point]]:
        """All points in their order, `size` at a time."""
        points = self.points()
        while chunk := list(islice(points, size)):
            yield chunk

    def check(self) -> None:
        """Raises InfeasibleParameters where a set lies outside what rings compute with."""
        n, log_q, t, log_w, sigma = (np.array(self.values(name)) for name in NAMES)
        RingParameters(n, log_q, sigma=sigma).checked()
        RingParameters(n, int(log_q.min()), t, log_w).checked()

    def values(self, name: str) -> tuple[Number, ...]:
        """All values that the parameter takes."""
        return next((a.values for a in self.axes if a.name == name), None) or (self.fixed[name],)

    def slices(self, name: str, most: int) -> list["Grid"]:
        """Grids in which that parameter alone varies: one for each combination of the others where there are
        at most `most` of these, else only the one with the others at their first values."""
        (axis,) = (a for a in self.axes if a.name == name)
        others = Grid(tuple(a for a in self.axes if a.name != name), self.fixed)
        count = len(others) if len(others) <= most else 1
        return [Grid((axis,), _without(point, name)) for point in islice(others.points(), count)]


def _without(point: Point, name: str) -> Point:
    return {k: v for k, v in point.items() if k != name}


def parameters(points: Sequence[Point]) -> RingParameters:
    """The sets as arrays; a parameter that is the same in all of them is a single number."""
    columns = {name: [point[name] for point in points] for name in NAMES}
    return RingParameters(**{name: _column(name, values) for name, values in columns.items()})


def _column(name: str, values: Sequence[Number]) -> Any:
    first = values[0]
    if all(value == first for value in values):
        return first
    return np.array(values, dtype=np.float64 if name == "sigma" else np.int64)


def grid(vary: Sequence[str], fix: Sequence[str], words: Sequence[str] = ()) -> Grid:
    """The grid of settings name=value. Those of `vary` vary, those of `fix` do not, and those of `words` vary
    where they have several values.

    UsageError for unknown names, for what is given twice or not at all, and for ranges that are not possible.
    """
    axes: dict[str, GridAxis] = {}
    fixed: Point = {}
    for setting in vary:
        axis = _axis(setting)
        _once(axis.name, axes, fixed)
        axes[axis.name] = axis
    for setting in (*fix, *words):
        axis = _axis(setting)
        _once(axis.name, axes, fixed)
        if len(axis.values) > 1 and setting in fix:
            raise UsageError(f"--fix {setting} has {len(axis.values)} values", f"write --vary {setting}")
        if len(axis.values) > 1:
            axes[axis.name] = axis
        else:
            fixed[axis.name] = axis.values[0]
    return _complete(Grid(tuple(axes.values()), fixed))


def _once(name: str, axes: dict[str, GridAxis], fixed: Point) -> None:
    if name in axes or name in fixed:
        raise UsageError(f"{name} is given twice", f"give {name} once, as a range or a list: {name}=1,2,3")


def _complete(found: Grid) -> Grid:
    given = {a.name for a in found.axes} | set(found.fixed)
    missing = [name for name in REQUIRED if name not in given]
    if missing:
        remedy = " ".join(f"{name}={'4096' if name == 'n' else '300'}" for name in missing)
        raise UsageError(f"{' and '.join(missing)} must be given", f"add --fix {remedy}")
    defaults: Point = {name: DEFAULTS[name] for name in NAMES if name not in given}
    made = Grid(found.axes, found.fixed | defaults)
    made.check()
    return made


def _axis(setting: str) -> GridAxis:
    name, equals, text = setting.partition("=")
    if not equals or not text:
        raise UsageError(
            f"'{setting}' is not a setting", "write name=value, such as n=4096 or log_q=100:300:10"
        )
    name = name.strip().lower().replace("-", "_")
    if name not in NAMES:
        raise UsageError(f"there is no parameter {name!r}", f"choose among {', '.join(NAMES)}")
    values = tuple(_values(setting, name, text))
    if len(set(values)) < len(values):
        raise UsageError(f"'{setting}' has a value twice", "give every value once")
    return GridAxis(name, values)


def _values(setting: str, name: str, text: str) -> Iterator[Number]:
    if ":" not in text:
        yield from (_number(setting, name, word) for word in text.split(","))
        return
    words = text.split(":")
    if len(words) not in (2, 3):
        raise UsageError(f"'{setting}' is not a range", f"write {name}=start:stop:step")
    start, stop = (_decimal(setting, word) for word in words[:2])
    factor = words[2].startswith("*") if len(words) == 3 else False
    step = _decimal(setting, words[2].removeprefix("*") if len(words) == 3 else "1")
    if stop < start or step <= (1 if factor else 0) or (factor and start <= 0):
        raise UsageError(
            f"'{setting}' is an empty range", f"write {name}=start:stop:step, with stop >= start"
        )
    if not factor and (stop - start) / step > MOST_VALUES:
        raise UsageError(f"'{setting}' has more than {MOST_VALUES:,} values", "take a larger step")
    value = start
    while value <= stop:
        yield _number(setting, name, str(value))
        value = value * step if factor else value + step


def _decimal(setting: str, word: str) -> Decimal:
    try:
        value = Decimal(word.strip())
    except InvalidOperation:
        raise UsageError(f"'{word}' in '{setting}' is not a number", "write whole numbers") from None
    if not value.is_finite():
        raise UsageError(f"'{word}' in '{setting}' is not a number", "write whole numbers")
    return value


def _number(setting: str, name: str, word: str) -> Number:
    value = _decimal(setting, word)
    if name == "sigma":
        return float(value)
    if value != value.to_integral_value():
        raise UsageError(f"{name} = {value} in '{setting}' is not a whole number", "write whole numbers")
    if abs(value) >= 2**62:
        raise UsageError(f"{name} = {value} in '{setting}' is too large", "stay below 2^62")
    return int(value)
