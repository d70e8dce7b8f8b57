"""Series as lines with their names at their ends, dashes, points or steps."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from fheasible.reports import axes, theme
from fheasible.reports.axes import Axis
from fheasible.reports.drawing import alt
from fheasible.reports.ends import End, Name, placed
from fheasible.reports.ends import layers as layers_of
from fheasible.reports.figures import Figure, FigureStyle, Series, Trace
from fheasible.reports.meanings import OTHER, Look, apart, parts
from fheasible.reports.meanings import looks as looks_of
from fheasible.reports.theme import Frame

_FEW = 4000  # steps; a trace with more of them is thinned out
_STROKE = "M-2.7,0L2.7,0"  # a line's symbol in the legend, in units of half a point's width
_LETTER_WIDTH, _SYMBOL_WIDTH, _GAP = 6.3, 54, 10  # pixels


def layers(figure: Figure | Trace, frame: Frame) -> alt.LayerChart:
    """The chart's layers: lines below, points above, and the lines' names at their ends. A trace is drawn in
    steps over its spans, and a single trace is filled down to 0."""
    steps: dict[str, Any] = {"interpolate": "step-after"} if isinstance(figure, Trace) else {}
    series = [_thinned(one) for one in figure.series] if steps else figure.series
    lines = [one for one in series if one.style != FigureStyle.POINTS]
    points = [one for one in series if one.style == FigureStyle.POINTS]
    ends = named(figure, frame)
    looks, where = _looks(figure.series, frame, ends is None), _positions(figure)
    drawn: list[alt.Chart] = _spans(figure, frame) if isinstance(figure, Trace) else []
    if steps and len(figure.series) == 1:
        colour = _drawn_as(figure.series)[0].colour
        drawn += [
            _data(series)
            .mark_area(color=colour, opacity=0.15, **steps)
            .encode(**where | {"y": where["y"].copy().stack(None)})
        ]  # stacked, values at one moment would be added up
    if lines:
        line = _data(lines).mark_line(strokeWidth=2.2, **steps)
        drawn += [line.encode(**where, color=looks["color"], strokeDash=looks["strokeDash"])]
    if points:
        point = _data(points).mark_point(filled=True, size=60, opacity=0.9)
        drawn += [point.encode(**where, color=looks["color"], shape=looks["shape"])]
    if ends is not None:
        drawn += layers_of(ends, *_axes(figure), where)
    return alt.LayerChart(layer=drawn)


def named(figure: Figure | Trace, frame: Frame) -> tuple[Name, ...] | None:
    """The names of the lines at their ends; None where a legend has them."""
    found = [
        End(one, look.colour, look.dash)
        for one, look in zip(figure.series, _drawn_as(figure.series), strict=True)
        if one.style != FigureStyle.POINTS and one.x
    ]
    return placed(found, *_axes(figure), frame)


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
    for name, shade in zip(names, parts(names), strict=True):
        shaded = alt.Chart(alt.InlineData(tuple(r for r in rows if r["name"] == name)))
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


def _drawn_as(series: Sequence[Series]) -> list[Look]:
    """How each series is drawn. Series of one group share a colour; where some have lines, what has none is
    there for comparison, and has no colour of its own."""
    groups = list(dict.fromkeys(one.group or one.name for one in series))
    lined = {one.group or one.name for one in series if one.style == FigureStyle.LINE}
    own = [group for group in groups if group in lined or not lined]
    looks = dict(zip(own, apart(looks_of(_names_of(own, series))), strict=True))
    whats = list(dict.fromkeys(_what(one) for one in series if one.style == FigureStyle.POINTS))
    other = Look(OTHER, theme.SHAPES[0])
    return [_own(one, looks.get(one.group or one.name, other), whats, bool(lined)) for one in series]


def _names_of(groups: Sequence[str], series: Sequence[Series]) -> list[str]:
    """A name for each group by which it is recognised: its own, or that of its first series."""
    first = {one.group or one.name: one.name for one in reversed(series)}
    return [first[group] for group in groups]


def _own(one: Series, look: Look, whats: Sequence[str], lines: bool) -> Look:
    """The look of a series: what is compared has short dashes, and points beside lines have the shape of what
    they are."""
    if one.style == FigureStyle.DASHED:
        return replace(look, dash=theme.SHORT_DASHES)
    if one.style == FigureStyle.POINTS and lines:
        return replace(look, shape=theme.SHAPES[whats.index(_what(one)) % len(theme.SHAPES)])
    return look


def _what(one: Series) -> str:
    """What a series of a group is, beside the group's name: 'measured' of 'FV, measured'."""
    return one.name.removeprefix(one.group).strip(" ,:") or one.name


def _looks(series: tuple[Series, ...], frame: Frame, whole: bool) -> dict[str, Any]:
    """Colour, shape and dash by name. The legend has all names where it is `whole`, else those of points:
    each kind of them once."""
    given, names = _drawn_as(series), [one.name for one in series]
    if whole:  # a legend tells lines apart by their dashes, too
        given = [
            _dashed(one, look, place) for place, (one, look) in enumerate(zip(series, given, strict=True))
        ]
    keys = [one.name for one in series] if whole else _keys(series)
    legend = _legend(series, keys, frame, whole) if keys else None
    return {
        name: channel("name:N", scale=alt.Scale(domain=names, range=looks), legend=legend, sort=None)
        for name, channel, looks in (
            ("color", alt.Color, [look.colour for look in given]),
            ("shape", alt.Shape, [_symbol(one, look) for one, look in zip(series, given, strict=True)]),
            ("strokeDash", alt.StrokeDash, [list(look.dash) for look in given]),
        )
    }


def _dashed(one: Series, look: Look, place: int) -> Look:
    dash = theme.DASHES[place % len(theme.DASHES)]
    return replace(look, dash=dash) if one.style == FigureStyle.LINE else look


def _keys(series: Sequence[Series]) -> list[str]:
    """The first series of points of each kind."""
    found: dict[str, str] = {}
    for one in series:
        if one.style == FigureStyle.POINTS:
            found.setdefault(_what(one) if one.group else one.name, one.name)
    return list(found.values())


def _symbol(one: Series, look: Look) -> str:
    return look.shape if one.style == FigureStyle.POINTS else _STROKE


def _legend(series: Sequence[Series], keys: Sequence[str], frame: Frame, whole: bool) -> alt.Legend:
    """The legend, above the curves where it hides none, in as many columns as the names leave room for."""
    told = {one.name: one.name if whole or not one.group else _what(one) for one in series}
    widest = max(len(told[key]) for key in keys) * _LETTER_WIDTH + _SYMBOL_WIDTH
    look: dict[str, Any] = {
        "title": None,
        "orient": "top",
        "direction": "horizontal",
        "columns": max(1, min(len(keys), int(frame.legend_width // widest))),
        "values": list(keys),
        "labelExpr": f"{json.dumps(told)}[datum.value]",
    }
    if any(one.style == FigureStyle.POINTS for one in series):
        return alt.Legend(**look)
    return alt.Legend(**look, symbolType=_STROKE)
