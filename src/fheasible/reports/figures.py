"""What a figure shows, whichever program draws it. Values are in the units that the labels name.

Write 'log2 q (bit)' and '2^14' in labels: few fonts have lowered or raised figures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from fheasible import units
from fheasible.errors import UsageError

PALEST = 0.2  # opacity of the dot with the least shade


class FigureStyle(StrEnum):
    LINE = "line"  # what is predicted
    DASHED = "dashed"  # what is shown for comparison: a limit, another model
    POINTS = "points"  # what was measured


@dataclass(frozen=True, slots=True)
class Series:
    """One curve. Curves of one group share a colour; a curve without a group has its own."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: FigureStyle = FigureStyle.LINE
    group: str = ""

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            message = f"'{self.name}' has {len(self.x)} values of x but {len(self.y)} of y"
            raise UsageError(message, "Give one y for every x.")
        _expect_finite(self.name, (*self.x, *self.y))


@dataclass(frozen=True, slots=True)
class Figure:
    """Curves over one parameter. A logarithmic axis needs positive values; a note stands below the title."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [series.name for series in self.series])
        _expect_some(self.title, (x for series in self.series for x in series.x))
        for series in self.series:
            for axis, log, values in (("x", self.log_x, series.x), ("y", self.log_y, series.y)):
                if log and values and min(values) <= 0:
                    message = f"'{series.name}' has {min(values):g} on the logarithmic {axis} axis"
                    raise UsageError(message, f"Draw '{self.title}' linearly, or leave the value out.")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a trace's time, which is shaded. Spans of one name have one shade."""

    name: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Trace:
    """Quantities over time, drawn as steps from 0 upwards: each keeps its value until the next time given.
    Times ascend. Spans are shaded, and named where there is room."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    note: str = ""
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [series.name for series in self.series])
        _expect_some(self.title, (x for series in self.series for x in series.x))
        for span in self.spans:
            _expect_finite(span.name, (span.begin, span.end))


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """The values that one box sums up."""

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        _expect_some(self.name, self.values)
        _expect_finite(self.name, self.values)


@dataclass(frozen=True, slots=True)
class BoxPlot:
    """A box per group: quartiles and median, with whiskers to the least and the largest value."""

    title: str
    value_label: str
    groups: tuple[FigureGroup, ...]
    note: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [group.name for group in self.groups])
        _expect_some(self.title, self.groups)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Predicted (y) against measured values (x) of one quantity, all positive: points about the diagonal,
    with a band of the share `band` to both sides. With `deviation` the vertical axis shows by how many per
    cent they differ."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    band: float = 0.1
    deviation: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [series.name for series in self.series])
        _expect_some(self.title, (x for series in self.series for x in series.x))
        for series in self.series:
            if min((*series.x, *series.y), default=1.0) <= 0:
                message = f"'{series.name}' has a value that is not positive"
                raise UsageError(message, f"Leave it out of '{self.title}'.")


@dataclass(frozen=True, slots=True)
class FigureSamples:
    """Predicted and measured bits; `intervals` are half the widths of the measured values' confidence
    intervals."""

    name: str
    measured: tuple[float, ...]
    predicted: tuple[float, ...]
    intervals: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.measured) == len(self.predicted) == len(self.intervals):
            message = (
                f"'{self.name}' has {len(self.measured)} measured and {len(self.predicted)} predicted values "
                f"and {len(self.intervals)} intervals"
            )
            raise UsageError(message, "Give one prediction and one interval for each measured value.")
        _expect_finite(self.name, (*self.measured, *self.predicted, *self.intervals))


@dataclass(frozen=True, slots=True)
class Scatter:
    """Predicted against measured bits, about the diagonal; with `difference` the vertical axis shows
    predicted less measured bits. The band reaches from `low` to `high` bits beside the measured value."""

    title: str
    x_label: str
    y_label: str
    series: tuple[FigureSamples, ...]
    low: float
    high: float
    difference: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [series.name for series in self.series])
        _expect_some(self.title, (x for series in self.series for x in series.measured))


class Mark(StrEnum):
    BAR = "bar"  # from 0; never on a logarithmic axis
    TICK = "tick"  # across a bar
    DOT = "dot"


@dataclass(frozen=True, slots=True)
class Marks:
    """One quantity of every row; None where a row has no value."""

    name: str
    values: tuple[float | None, ...]
    mark: Mark

    def __post_init__(self) -> None:
        _expect_finite(self.name, (value for value in self.values if value is not None))


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """Named rows below one another, with marks at their values; `words` stand at the ends of the rows, and
    `bands` (low, high) behind their marks. `keyed`: whether a legend names the marks, or the rows' names
    say enough."""

    title: str
    value_label: str
    names: tuple[str, ...]
    marks: tuple[Marks, ...]
    log: bool = False
    words: tuple[str, ...] = ()
    note: str = ""
    bands: tuple[tuple[float, float], ...] = ()
    keyed: bool = True

    def __post_init__(self) -> None:
        _expect_distinct(self.title, list(self.names))
        _expect_distinct(self.title, [one.name for one in self.marks])
        _expect_some(self.title, (v for one in self.marks for v in one.values if v is not None))
        for one in self.marks:
            if len(one.values) != len(self.names):
                message = f"'{one.name}' has {len(one.values)} values in {len(self.names)} rows"
                raise UsageError(message, "Give one value for each row, or None where there is no value.")
            if self.log and min((v for v in one.values if v is not None), default=1.0) <= 0:
                message = f"'{one.name}' has a value on a logarithmic axis that is not positive"
                raise UsageError(message, f"Draw '{self.title}' linearly, or leave the value out.")


@dataclass(frozen=True, slots=True)
class Dot:
    """One dot of a cloud: its position, and its label. A dot with an edge stands out, a tie has a thin ring,
    and a dot without a shade has its full colour."""

    x: float
    y: float
    kind: str
    label: str
    shade: float | None = None
    edge: bool = False
    tie: bool = False


@dataclass(frozen=True, slots=True)
class Cloud:
    """Dots on logarithmic axes. Their kinds, a library and a scheme, have a colour and a shape each, and the
    larger its shade, the stronger a dot's colour. `chosen`: the index of the dot that has a ring."""

    title: str
    x_label: str
    y_label: str
    shade_label: str
    dots: tuple[Dot, ...]
    chosen: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        _expect_some(self.title, self.dots)
        _expect_finite(self.title, (v for d in self.dots for v in (d.x, d.y)))
        if min(min(d.x, d.y) for d in self.dots) <= 0:
            raise UsageError(f"'{self.title}' has a dot that is not positive", "Leave it out.")

    @property
    def darkness(self) -> list[float]:
        """How opaque each dot is, from the least shade to the largest; a dot without a shade is wholly so."""
        values = [d.shade for d in self.dots if d.shade is not None]
        low, high = min(values, default=0.0), max(values, default=0.0)
        return [
            1.0 if d.shade is None or low == high else PALEST + (1 - PALEST) * (d.shade - low) / (high - low)
            for d in self.dots
        ]


def least(dots: Sequence[Dot]) -> list[Dot]:
    """The dots that have a smaller y than every dot with a smaller x, from left to right."""
    found: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (dot.x, dot.y)):
        if not found or dot.y < found[-1].y:
            found.append(dot)
    return found


@dataclass(frozen=True, slots=True)
class FigurePart:
    """One part of every row's bar, with a value for each row."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Stacks:
    """A bar for each row, whose parts follow one another; `words` stand at the ends of the bars. `rest`: the
    name of the part that sums up all small ones."""

    title: str
    value_label: str
    names: tuple[str, ...]
    parts: tuple[FigurePart, ...]
    words: tuple[str, ...] = ()
    note: str = ""
    rest: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, list(self.names))
        _expect_distinct(self.title, [part.name for part in self.parts])
        _expect_some(self.title, (v for part in self.parts for v in part.values))
        for part in self.parts:
            _expect_finite(part.name, part.values)
            if len(part.values) != len(self.names) or min(part.values) < 0:
                message = f"'{part.name}' needs a value of at least 0 for each of {len(self.names)} bars"
                raise UsageError(message, "Give a value for each bar, 0 where it has none.")


@dataclass(frozen=True, slots=True)
class Strip:
    """The values that hold at the places of one row: (place, value), by rising places. `chosen`: a place that
    is marked."""

    name: str
    cells: tuple[tuple[int, str], ...]
    chosen: int | None = None


@dataclass(frozen=True, slots=True)
class Strips:
    """A strip for each row along one axis."""

    title: str
    x_label: str
    strips: tuple[Strip, ...]
    note: str = ""

    def __post_init__(self) -> None:
        _expect_distinct(self.title, [strip.name for strip in self.strips])
        _expect_some(self.title, (cell for strip in self.strips for cell in strip.cells))


Drawing = Figure | Trace | BoxPlot | Agreement | Scatter | MarkedRows | Cloud | Stacks | Strips


def _expect_finite(name: str, values: Iterable[float]) -> None:
    for value in values:
        if not isfinite(value):
            raise UsageError(f"'{name}' has the value {value}", "Leave out points that have no value.")


def _expect_some(name: str, values: Iterable[object]) -> None:
    if not any(True for _ in values):
        raise UsageError(f"'{name}' has nothing to draw", "Leave the figure out, and say why.")


def _expect_distinct(title: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"'{title}' has more than one series called {units.listing(twice)}"
        raise UsageError(message, "Give each series a different name.")
