"""Predicted bits against measured bits, with the confidence intervals of the measured ones."""

from typing import Any

from fheasible.reports import axes
from fheasible.reports.agreement import BAND, DIAGONAL, POINT, looks_of
from fheasible.reports.axes import Axis
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import FigureSamples, Scatter

_WHISKER: dict[str, Any] = {"strokeWidth": 1, "opacity": 0.5}
_MARGIN = 0.5  # bits above and below the band, where no point lies outside it


def layers(figure: Scatter) -> alt.LayerChart:
    """The layers from bottom to top: the band, the line of perfect predictions, whiskers and points."""
    rows = [row for one in figure.series for row in _rows(one, figure.difference)]
    across = axes.along([row["x"] for row in rows])
    where = {
        "x": position(alt.X, "x", figure.x_label, across),
        "y": position(alt.Y, "y", figure.y_label, _up(figure, rows, across)),
    }
    return alt.LayerChart(layer=[*_ground(figure, across, where), *_points(figure, rows, where)])


def _rows(one: FigureSamples, difference: bool) -> list[dict[str, Any]]:
    """The points of a series with the ends of their whiskers, which are vertical for a difference and
    horizontal for a prediction."""
    found = []
    for x, predicted, half in zip(one.measured, one.predicted, one.intervals, strict=True):
        y = predicted - x if difference else predicted
        middle = y if difference else x
        found.append({"name": one.name, "x": x, "y": y, "low": middle - half, "high": middle + half})
    return found


def _up(figure: Scatter, rows: list[dict[str, Any]], across: Axis) -> Axis:
    if not figure.difference:
        return axes.upwards([row["y"] for row in rows])
    edges = (figure.low - _MARGIN, figure.high + _MARGIN)
    return axes.upwards([*edges, *(row[end] for row in rows for end in ("low", "high"))])


def _ground(figure: Scatter, across: Axis, where: dict[str, Any]) -> list[alt.Chart]:
    """The band and the line of perfect predictions, from edge to edge."""
    base = [(x, 0.0 if figure.difference else x) for x in (across.low, across.high)]
    rows = [{"x": x, "y": y, "low": y + figure.low, "high": y + figure.high} for x, y in base]
    chart = alt.Chart(alt.InlineData(rows)).encode(x=where["x"])
    band = where["y"].copy()
    band.shorthand = "low"
    return [
        chart.mark_area(clip=True, **BAND).encode(y=band, y2="high:Q"),
        chart.mark_line(clip=True, **DIAGONAL).encode(y=where["y"]),
    ]


def _points(figure: Scatter, rows: list[dict[str, Any]], where: dict[str, Any]) -> list[alt.Chart]:
    looks, chart = looks_of([one.name for one in figure.series]), alt.Chart(alt.InlineData(rows))
    along = "y" if figure.difference else "x"
    ends = {along: where[along].copy(), f"{along}2": "high:Q"}
    ends[along].shorthand = "low"
    return [
        chart.mark_rule(clip=True, **_WHISKER).encode(**where | ends, color=looks["color"]),
        chart.mark_point(**POINT).encode(**where, **looks),
    ]
