"""Rows with bars, ticks across them and dots: what differs from row to row, and within one."""

from typing import Any

import altair as alt

from fheasible.reports import axes, theme
from fheasible.reports.axes import Axis
from fheasible.reports.curves import position
from fheasible.reports.figures import Mark, Marks, Rows

_THREAD: dict[str, Any] = {"color": "#C8C8C8", "strokeWidth": 1.5}
_ROOM = 0.16  # of the axis, for the words at the rows' ends
_LETTERS: dict[str, Any] = {"align": "left", "dx": 8, "fontSize": 13, "color": "#222222"}


def layers(figure: Rows) -> alt.LayerChart:
    """A pale line through the dots of each row, bars, ticks, dots; and the words."""
    values = [v for one in figure.marks for v in one.values if v is not None]
    axis = _axis(figure, values)
    where = {"y": _names(figure), "x": position(alt.X, "value", figure.value_label, axis)}
    drawn = [_thread(figure, where)] if figure.log else []
    drawn += [_drawn(figure, one, where) for one in _in_order(figure.marks)]
    if figure.words:
        drawn.append(_words(figure, where))
    return alt.LayerChart(layer=drawn)


def _axis(figure: Rows, values: list[float]) -> Axis:
    """Bars begin at 0; words need room behind the longest."""
    most = max(values) * (1 + _ROOM if figure.words else 1)
    return axes.upwards(values, log=True) if figure.log else axes.upwards([0.0, most])


def _in_order(marks: tuple[Marks, ...]) -> list[Marks]:
    order = [Mark.BAR, Mark.TICK, Mark.DOT]
    return sorted(marks, key=lambda one: order.index(one.mark))


def _drawn(figure: Rows, one: Marks, where: dict[str, Any]) -> alt.Chart:
    rows = [
        {"row": name, "name": one.name, "value": float(value)}
        for name, value in zip(figure.names, one.values, strict=True)
        if value is not None
    ]
    base: alt.Chart = alt.Chart(alt.InlineData(rows)).encode(**where, color=_colours(figure))
    size = max(10, min(30, 250 // len(figure.names)))
    drawn: dict[Mark, alt.Chart] = {
        Mark.BAR: base.mark_bar(size=size, opacity=0.55),
        Mark.TICK: base.mark_tick(size=size + 8, thickness=3, opacity=1),
        Mark.DOT: base.mark_point(filled=True, size=90, opacity=0.95).encode(shape=_shapes(figure)),
    }
    return drawn[one.mark]


def _thread(figure: Rows, where: dict[str, Any]) -> alt.Chart:
    rows = []
    for place, name in enumerate(figure.names):
        there = [v for one in figure.marks if (v := one.values[place]) is not None]
        if len(there) > 1:
            rows.append({"row": name, "value": min(there), "most": max(there)})
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_rule(**_THREAD).encode(**where, x2="most:Q")
    return drawn


def _words(figure: Rows, where: dict[str, Any]) -> alt.Chart:
    rows = [
        {
            "row": name,
            "word": word,
            "value": max(v for one in figure.marks if (v := one.values[i]) is not None),
        }
        for i, (name, word) in enumerate(zip(figure.names, figure.words, strict=True))
    ]
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_text(**_LETTERS).encode(**where, text="word:N")
    return drawn


def _names(figure: Rows) -> alt.Y:
    axis = alt.Axis(title=None, labelOverlap=False, labelLimit=260, ticks=False, domain=False)
    return alt.Y("row:N", sort=list(figure.names), axis=axis, scale=alt.Scale(domain=list(figure.names)))


def _colours(figure: Rows) -> alt.Color:
    return alt.Color("name:N", scale=_scale(figure, theme.COLOURS), sort=None, legend=_legend())


def _shapes(figure: Rows) -> alt.Shape:
    return alt.Shape("name:N", scale=_scale(figure, theme.SHAPES), sort=None, legend=_legend())


def _scale(figure: Rows, looks: tuple[str, ...]) -> alt.Scale:
    names = [one.name for one in figure.marks]
    return alt.Scale(domain=names, range=list(looks[: len(names)]))


def _legend() -> alt.Legend:
    return alt.Legend(title=None, orient="top", direction="horizontal", symbolOpacity=1)
