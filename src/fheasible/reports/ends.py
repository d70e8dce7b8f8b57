"""Names at the ends of lines, so that nobody has to look them up in a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from textwrap import wrap
from typing import Any

from fheasible.reports import theme
from fheasible.reports.axes import Axis
from fheasible.reports.drawing import alt
from fheasible.reports.theme import Frame

ENDS = "ends"  # the name by which a page finds the layer
_LETTER, _LINE = 6.9, 15  # pixels of a letter and of a line of the names
_LEADER, _GAP = 22, 5  # pixels from the picture's edge to a name
_SIDE = 0.36  # the most of a picture's width that names may take
_WORDS: dict[str, Any] = {
    "align": "left", "baseline": "middle", "dx": _LEADER + _GAP, "fontSize": 13, "lineHeight": _LINE,
    "color": theme.INK,
}  # fmt: skip
_TALL = 0.6  # the part of a picture's height that is left for curves, at least


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line, with the name that it has."""

    name: str
    x: float
    y: float
    colour: str
    dash: tuple[int, ...] = theme.SOLID


@dataclass(frozen=True, slots=True)
class Ends:
    """The names where they stand. `lines`: those of each name; `places`: the middle of each, as a part of the
    vertical axis."""

    ends: tuple[End, ...]
    lines: tuple[tuple[str, ...], ...]
    places: tuple[float, ...]


def placed(ends: Sequence[End], up: Axis, frame: Frame) -> Ends | None:
    """The names beside the picture, moved apart where their lines end close to each other; None where there
    is no room for all of them."""
    letters = int(_SIDE * frame.width / _LETTER)
    lines = [tuple(wrap(end.name, letters, break_long_words=False)) or (end.name,) for end in ends]
    longest = max((len(line) for told in lines for line in told), default=0)
    heights = [len(told) * _LINE / (_TALL * frame.height) for told in lines]
    if longest > letters or sum(heights) > 1 or not ends:
        return None
    wanted = [part(up, end.y) for end in ends]
    return Ends(tuple(ends), tuple(lines), tuple(_apart(wanted, heights)))


def _apart(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Places as near to the wanted ones as they can be without lying on each other, between 0 and 1."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], -i))
    found, top = list(wanted), 0.0
    for i in order:  # upwards: none lies on the one below it
        found[i] = max(wanted[i], top + heights[i] / 2)
        top = found[i] + heights[i] / 2
    bottom = max(top, 1.0) if top <= 1 else 1.0
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


def layers(found: Ends, across: Axis, up: Axis, where: dict[str, Any]) -> list[alt.Chart]:
    """A thin line from the end of each curve to its name, and the names."""
    rows: list[dict[str, Any]] = [
        {"x": end.x, "y": end.y, "edge": across.high, "at": _value(up, at), "name": list(lines)}
        for end, at, lines in zip(found.ends, found.places, found.lines, strict=True)
    ]
    drawn: list[alt.Chart] = []
    for row, end in zip(rows, found.ends, strict=True):
        leader = alt.Chart(alt.InlineData([row])).mark_rule(
            color=end.colour, strokeWidth=1.6, strokeDash=list(end.dash), x2Offset=_LEADER
        )
        drawn.append(leader.encode(x=where["x"], y=where["y"], x2="edge:Q", y2="at:Q"))
    edge, at = where["x"].copy(), where["y"].copy()
    edge.shorthand, at.shorthand = "edge", "at"
    for count in sorted({len(lines) for lines in found.lines}):
        alike = [row for row in rows if len(row["name"]) == count]
        words = alt.Chart(alt.InlineData(alike), name=f"{ENDS}_{count}").mark_text(
            **_WORDS, dy=-(count - 1) * _LINE / 2
        )
        drawn.append(words.encode(x=edge, y=at, text="name:N"))
    return drawn
