"""Names at the ends of lines, so that nobody has to look them up in a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from textwrap import wrap
from typing import Any

import numpy as np

from fheasible.reports import theme
from fheasible.reports.axes import Axis
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Series
from fheasible.reports.theme import Frame

ENDS = "ends"  # the name by which a page finds the layers
_LETTER, _LINE = 6.9, 15  # pixels of a letter and of a line of the names
_LEADER, _GAP = 22, 5  # pixels from the picture's edge to a name
_BESIDE = 6  # pixels from the end of a line to a name that stands at it
_SIDE = 0.36  # the most of a picture's width that names may take
_WIDE, _TALL = 0.7, 0.6  # the parts of a frame that are left for curves, at least
_AT_THE_EDGE = 0.04  # part of the horizontal axis
_SAMPLES = 12  # places at which it is looked for what a name would lie on
_FAINT: dict[str, Any] = {"strokeWidth": 1, "strokeDash": [1, 3], "opacity": 0.7}
_WORDS: dict[str, Any] = {
    "align": "left", "baseline": "middle", "fontSize": 13, "lineHeight": _LINE, "color": theme.INK,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class End:
    """A line whose name stands at its end."""

    line: Series
    colour: str
    dash: tuple[int, ...] = theme.SOLID

    @property
    def name(self) -> str:
        return self.line.name

    @property
    def x(self) -> float:
        return float(self.line.x[-1])

    @property
    def y(self) -> float:
        return float(self.line.y[-1])


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it stands: the middle of it, as a part of the vertical axis; beside the picture, or at its
    line's own end."""

    end: End
    lines: tuple[str, ...]
    place: float
    own: bool = False


def placed(ends: Sequence[End], across: Axis, up: Axis, frame: Frame) -> tuple[Name, ...] | None:
    """The names: beside the picture, moved apart where their lines end close to each other, or at the end of
    a line that stops before, where nothing else is drawn. None where there is no room for all of them."""
    letters = int(_SIDE * frame.width / _LETTER)
    lines = [tuple(wrap(end.name, letters, break_long_words=False)) or (end.name,) for end in ends]
    longest = max((len(line) for told in lines for line in told), default=0)
    tall = _LINE / (_TALL * frame.height)
    own: list[tuple[float, float, float]] = []  # (left end, right end, place) of those at their own ends
    beside = []
    for i, end in enumerate(ends):
        at = _own(end, ends, own, across, up, frame)
        own += [at] if at else []
        beside += [] if at else [i]
    heights = [len(lines[i]) * tall for i in beside]
    if longest > letters or sum(heights) > 1 or not ends:
        return None
    wanted = [_level(ends[i], across, up, tall) for i in beside]
    places = dict(zip(beside, _apart(wanted, heights), strict=True))
    return tuple(
        Name(end, lines[i], places[i]) if i in places else Name(end, (end.name,), part(up, end.y), own=True)
        for i, end in enumerate(ends)
    )


def _level(end: End, across: Axis, up: Axis, tall: float) -> float:
    """The place beside the end of a line. Where the line stops before the picture's edge, it is rounded to
    the height of a name, so that names of lines that end alike keep the order of the lines."""
    at = part(up, end.y)
    return at if part(across, end.x) > 1 - _AT_THE_EDGE else tall * round(at / tall)


def _own(
    end: End, ends: Sequence[End], taken: Sequence[tuple[float, float, float]], across: Axis, up: Axis,
    frame: Frame,
) -> tuple[float, float, float] | None:  # fmt: skip
    """Where the name stands at its line's own end: left end, right end and middle, as parts of the axes. None
    where the line goes to the picture's edge, or where the name would lie on a line or on another name."""
    left, place = part(across, end.x), part(up, end.y)
    right = left + (len(end.name) * _LETTER + 2 * _BESIDE) / (_WIDE * frame.width)
    if left > 1 - _AT_THE_EDGE or right > 1:
        return None
    high = _LINE / (_TALL * frame.height)
    there = np.linspace(left + 0.01, right, _SAMPLES)
    for other in ends:
        x = [part(across, value) for value in other.line.x]
        y = [part(up, value) for value in other.line.y]
        seen = np.interp(there, x, y, left=np.inf, right=np.inf)
        if (np.abs(seen - place) < high).any():
            return None
    if any(left < r and right > l and abs(place - p) < high for l, r, p in taken):
        return None
    return left, right, place


def _apart(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Places as near to the wanted ones as they can be without lying on each other, between 0 and 1."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], -i))
    found, top = list(wanted), 0.0
    for i in order:  # upwards: none lies on the one below it
        found[i] = max(wanted[i], top + heights[i] / 2)
        top = found[i] + heights[i] / 2
    bottom = 1.0
    for i in reversed(order):  # and downwards from the upper edge
        found[i] = min(found[i], bottom - heights[i] / 2)
        bottom = found[i] - heights[i] / 2
    return found


def part(axis: Axis, value: float) -> float:
    """The position of the value along an axis, from 0 to 1."""
    if axis.log:
        return log(value / axis.low) / log(axis.high / axis.low)
    return (value - axis.low) / (axis.high - axis.low)


def _value(axis: Axis, at: float) -> float:
    """The value at a position along an axis."""
    if axis.log:
        return float(axis.low * (axis.high / axis.low) ** at)
    return axis.low + at * (axis.high - axis.low)


def layers(found: Sequence[Name], across: Axis, up: Axis, where: dict[str, Any]) -> list[alt.Chart]:
    """The names, and from the end of each curve to a name beside the picture a thin line, which is faint
    where it goes through the picture."""
    drawn = [_leader(name, across, up, where) for name in found if not name.own]
    edge, at = where["x"].copy(), where["y"].copy()
    edge.shorthand, at.shorthand = "edge", "at"
    for own, count in sorted({(name.own, len(name.lines)) for name in found}):
        rows = [
            {
                "edge": name.end.x if own else across.high,
                "at": _value(up, name.place),
                "name": list(name.lines),
            }
            for name in found
            if (name.own, len(name.lines)) == (own, count)
        ]
        words = alt.Chart(alt.InlineData(rows), name=f"{ENDS}_{own:d}_{count}").mark_text(
            **_WORDS, dx=_BESIDE if own else _LEADER + _GAP, dy=-(count - 1) * _LINE / 2
        )
        drawn.append(words.encode(x=edge, y=at, text="name:N"))
    return drawn


def _leader(name: Name, across: Axis, up: Axis, where: dict[str, Any]) -> alt.Chart:
    end = name.end
    row = {"x": end.x, "y": end.y, "edge": across.high, "at": _value(up, name.place)}
    through = part(across, end.x) < 1 - 2 * _AT_THE_EDGE
    look = _FAINT if through else {"strokeWidth": 1.6, "strokeDash": list(end.dash)}
    rule = alt.Chart(alt.InlineData([row])).mark_rule(color=end.colour, x2Offset=_LEADER, **look)
    drawn: alt.Chart = rule.encode(x=where["x"], y=where["y"], x2="edge:Q", y2="at:Q")
    return drawn
