"""Predicted against measured values: points about a diagonal with its band, or the error of each point."""

from collections.abc import Sequence
from typing import Any

from fheasible.reports import axes
from fheasible.reports.axes import Axis
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Agreement, Series
from fheasible.reports.meanings import looks
from fheasible.reports.theme import BROAD, Frame

BAND: dict[str, Any] = {"color": "#7F7F7F", "opacity": 0.18}
DIAGONAL: dict[str, Any] = {"color": "#555555", "strokeWidth": 1}
_COLUMNS = 4  # the legend's columns, so that seven names fit; one less where a name is longer than _LETTERS
_LETTERS = 20
POINT: dict[str, Any] = {"filled": True, "size": 26, "opacity": 0.65}


def layers(figure: Agreement, frame: Frame) -> alt.LayerChart:
    """The chart's layers: the band below, the points above. Without `deviation` both axes have the same
    range."""
    across = axes.upwards(_measured(figure), log=True)
    if not figure.deviation:
        every = [*_measured(figure), *(y for one in figure.series for y in one.y)]
        across = axes.upwards(every, log=True)
    up = _percent(figure) if figure.deviation else across
    where = {
        "x": position(alt.X, "x", figure.x_label, across),
        "y": position(alt.Y, "y", figure.y_label, up),
    }
    drawn = [*_ground(figure, across, up, where), _points(figure, where, frame)]
    return alt.LayerChart(layer=drawn)


def _measured(figure: Agreement) -> list[float]:
    return [x for one in figure.series for x in one.x]


def _percent(figure: Agreement) -> Axis:
    """The vertical axis in per cent. It reaches as far down as up, and the band lies inside."""
    farthest = max(100 * figure.band, *(abs(d) for one in figure.series for d in _off(one)))
    return axes.upwards([-farthest, farthest])


def _off(one: Series) -> list[float]:
    """The error of each prediction in per cent."""
    return [100 * (y / x - 1) for x, y in zip(one.x, one.y, strict=True)]


def _ground(figure: Agreement, across: Axis, up: Axis, where: dict[str, Any]) -> list[alt.Chart]:
    """The band and the line of perfect predictions, from edge to edge."""
    low, high = across.low, across.high
    share = figure.band
    if figure.deviation:
        rows = [{"x": x, "y": 0.0, "low": -100 * share, "high": 100 * share} for x in (low, high)]
    else:
        rows = [_at(x, share, low, high) for x in (low, low / (1 - share), high / (1 + share), high)]
    base = alt.Chart(alt.InlineData(rows)).encode(x=where["x"])
    band = where["y"].copy()
    band.shorthand = "low"
    return [
        base.mark_area(**BAND).encode(y=band, y2="high:Q"),
        base.mark_line(**DIAGONAL).encode(y=where["y"]),
    ]


def _at(x: float, share: float, low: float, high: float) -> dict[str, float]:
    """The band at x, cut off where it would leave the picture."""
    return {"x": x, "y": x, "low": max(x * (1 - share), low), "high": min(x * (1 + share), high)}


def _points(figure: Agreement, where: dict[str, Any], frame: Frame) -> alt.Chart:
    rows = [
        {"name": one.name, "x": float(x), "y": float(y)}
        for one in figure.series
        for x, y in zip(one.x, _off(one) if figure.deviation else one.y, strict=True)
    ]
    looks = looks_of([one.name for one in figure.series], frame)
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_point(**POINT).encode(**where, **looks)
    return drawn


def looks_of(names: Sequence[str], frame: Frame = BROAD, field: str = "name") -> dict[str, Any]:
    """A colour and a shape for each name; `field` has the names."""
    found = looks(names)
    return {
        name: channel(
            f"{field}:N",
            scale=alt.Scale(domain=names, range=list(given)),
            sort=None,
            legend=_legend(names, frame),
        )
        for name, channel, given in (
            ("color", alt.Color, [look.colour for look in found]),
            ("shape", alt.Shape, [look.shape for look in found]),
        )
    }


def _legend(names: Sequence[str], frame: Frame) -> alt.Legend:
    most = _COLUMNS if max(map(len, names)) <= _LETTERS else _COLUMNS - 1
    columns = max(1, most * frame.legend_width // BROAD.legend_width)
    return alt.Legend(
        title=None,
        orient="top",
        direction="horizontal",
        columns=columns,
        symbolSize=70,
        symbolOpacity=1,
        symbolStrokeWidth=1,
    )
