"""Series as lines, dashes, points or steps, with one legend for all of them."""

import json
from collections.abc import Iterable
from dataclasses import replace
from math import ceil
from typing import Any

from fheasible.reports import axes, theme
from fheasible.reports.axes import Axis
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Figure, FigureStyle, Series, Trace
from fheasible.reports.theme import Frame

_FEW = 4000  # steps; a trace with more of them is thinned out
_STROKE = "M-2.7,0L2.7,0"  # a line's symbol in the legend, in units of half a point's width
_LETTER_WIDTH, _SYMBOL_WIDTH, _GAP = 6.3, 54, 10  # pixels


def layers(figure: Figure | Trace, frame: Frame) -> alt.LayerChart:
    """The chart's layers: lines below, points above. A trace is drawn in steps over its spans, and a single
    trace is filled down to 0."""
    steps: dict[str, Any] = {"interpolate": "step-after"} if isinstance(figure, Trace) else {}
    series = [_thinned(one) for one in figure.series] if steps else figure.series
    lines = [one for one in series if one.style != FigureStyle.POINTS]
    points = [one for one in series if one.style == FigureStyle.POINTS]
    looks, where = _looks(figure.series, frame, dashed=not steps), _positions(figure)
    drawn: list[alt.Chart] = _spans(figure, frame) if isinstance(figure, Trace) else []
    if steps and len(figure.series) == 1:
        drawn += [
            _data(series)
            .mark_area(color=theme.COLOURS[0], opacity=0.15, **steps)
            .encode(**where | {"y": where["y"].copy().stack(None)})
        ]  # stacked, values at one moment would be added up
    if lines:
        line = _data(lines).mark_line(strokeWidth=2.2, **steps)
        drawn += [line.encode(**where, color=looks["color"], strokeDash=looks["strokeDash"])]
    if points:
        point = _data(points).mark_point(filled=True, size=60, opacity=0.9)
        drawn += [point.encode(**where, color=looks["color"], shape=looks["shape"])]
    return alt.LayerChart(layer=drawn)


def _spans(figure: Trace, frame: Frame) -> list[alt.Chart]:
    """Layers of the shaded spans, one for each name, and a layer of the names that have room inside them."""
    if not figure.spans:
        return []
    x, y = _axes(figure)
    across, tall = position(alt.X, "begin", figure.x_label, x), position(alt.Y, "top", figure.y_label, y)
    below = position(alt.Y, "low", figure.y_label, y)
    room = frame.width / (x.high - x.low)  # pixels for each unit of time
    rows: list[dict[str, Any]] = [
        {"name": s.name, "begin": s.begin, "end": s.end, "top": y.high, "low": y.low} for s in figure.spans
    ]
    names = list(dict.fromkeys(s.name for s in figure.spans))
    drawn = []
    for place, name in enumerate(names):
        shaded = alt.Chart(alt.InlineData(tuple(r for r in rows if r["name"] == name)))
        shade = theme.PASTELS[place % len(theme.PASTELS)]
        drawn.append(
            shaded.mark_rect(color=shade, opacity=0.55).encode(
                x=across, x2="end:Q", y=tall, y2="low:Q", tooltip=[alt.Tooltip("name:N", title="phase")]
            )
        )
    wide = [r for r in rows if room * (r["end"] - r["begin"]) > _LETTER_WIDTH * len(r["name"]) + _GAP]
    if wide:
        named = alt.Chart(alt.InlineData(tuple(wide)))
        look = named.mark_text(align="left", baseline="bottom", dx=4, dy=-4, fontSize=12, color=theme.PALE)
        drawn.append(look.encode(x=across, y=below, text="name:N"))
    return drawn


def position(channel: type[alt.X] | type[alt.Y], field: str, label: str, axis: Axis) -> Any:
    """The encoding of a field along exactly that axis; Vega chooses no ticks of its own."""
    drawn = alt.Axis(
        title=label,
        values=list(axis.ticks),
        labelExpr=f"{json.dumps(axis.labels)}[indexof({json.dumps(axis.ticks)}, datum.value)]",
        labelFlush=False,
        labelOverlap=True,
    )
    scale = alt.Scale(
        type="log" if axis.log else "linear", domain=[axis.low, axis.high], nice=False, zero=False
    )
    return channel(field, type="quantitative", axis=drawn, scale=scale)


def _data(series: Iterable[Series]) -> alt.Chart:
    rows = [
        {"name": one.name, "x": float(x), "y": float(y)}
        for one in series
        for x, y in zip(one.x, one.y, strict=True)
    ]
    return alt.Chart(alt.InlineData(tuple(rows)))  # a list would be copied with each layer


def _thinned(series: Series) -> Series:
    """The series with at most `_FEW` steps. Each stretch that is too narrow to see keeps its two ends, its
    least value and its largest."""
    if len(series.x) <= _FEW:
        return series
    stretch, kept = ceil(len(series.x) / (_FEW // 4)), set[int]()
    for start in range(0, len(series.x), stretch):
        places = range(start, min(start + stretch, len(series.x)))
        kept |= {
            places[0],
            min(places, key=series.y.__getitem__),
            max(places, key=series.y.__getitem__),
            places[-1],
        }
    order = sorted(kept)
    return replace(series, x=tuple(series.x[i] for i in order), y=tuple(series.y[i] for i in order))


def _positions(figure: Figure | Trace) -> dict[str, Any]:
    across, up = _axes(figure)
    return {
        "x": position(alt.X, "x", figure.x_label, across),
        "y": position(alt.Y, "y", figure.y_label, up),
        "tooltip": [
            alt.Tooltip("name:N", title="series"),
            alt.Tooltip("x:Q", title=figure.x_label),
            alt.Tooltip("y:Q", title=figure.y_label),
        ],
    }


def _axes(figure: Figure | Trace) -> tuple[Axis, Axis]:
    x = [value for one in figure.series for value in one.x]
    y = [value for one in figure.series for value in one.y]
    if isinstance(figure, Trace):
        ends = [end for span in figure.spans for end in (span.begin, span.end)]
        return axes.along([*x, *ends]), axes.upwards([0.0, *y])
    return axes.along(x, figure.log_x), axes.upwards(y, figure.log_y)


def _looks(series: tuple[Series, ...], frame: Frame, dashed: bool) -> dict[str, Any]:
    """Colour, shape and dash by name. All three name all series, so that Vega-Lite makes one legend of them.
    Steps are not dashed, because dashed steps are hard to follow."""
    groups = list(dict.fromkeys(one.group or one.name for one in series))
    place = [groups.index(one.group or one.name) for one in series]
    colours = [theme.COLOURS[i % len(theme.COLOURS)] for i in place]
    shapes = [_shape(one.style, i) for one, i in zip(series, place, strict=True)]
    dashes = [_dash(one.style, i if dashed else 0) for one, i in zip(series, place, strict=True)]
    names, legend = [one.name for one in series], _legend(series, frame)
    return {
        name: channel("name:N", scale=alt.Scale(domain=names, range=looks), legend=legend, sort=None)
        for name, channel, looks in (
            ("color", alt.Color, colours),
            ("shape", alt.Shape, shapes),
            ("strokeDash", alt.StrokeDash, dashes),
        )
    }


def _shape(style: FigureStyle, place: int) -> str:
    return theme.SHAPES[place % len(theme.SHAPES)] if style == FigureStyle.POINTS else _STROKE


def _dash(style: FigureStyle, place: int) -> list[int]:
    if style == FigureStyle.LINE:
        return list(theme.DASHES[place % len(theme.DASHES)])
    return list(theme.SHORT_DASHES if style == FigureStyle.DASHED else theme.SOLID)


def _legend(series: tuple[Series, ...], frame: Frame) -> alt.Legend:
    """The legend, above the curves where it hides none, in as many columns as the names leave room for."""
    widest = max(len(one.name) for one in series) * _LETTER_WIDTH + _SYMBOL_WIDTH
    columns = max(1, min(len(series), int(frame.legend_width // widest)))
    if any(one.style == FigureStyle.POINTS for one in series):
        return alt.Legend(title=None, orient="top", direction="horizontal", columns=columns)
    return alt.Legend(title=None, orient="top", direction="horizontal", columns=columns, symbolType=_STROKE)
