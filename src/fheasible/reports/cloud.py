"""Sets by two figures, a third as colour: the front, every set in its shape, the chosen one with a ring."""

from collections.abc import Sequence
from math import log
from typing import Any

import altair as alt

from fheasible.reports import axes, theme
from fheasible.reports.axes import Axis
from fheasible.reports.curves import position
from fheasible.reports.figures import Cloud, Dot
from fheasible.reports.theme import BROAD, Frame

SETS, FRONT, CHOSEN, WORD = (
    "sets",
    "front",
    "chosen",
    "word",
)  # names by which a page finds them in the drawing
_POINT: dict[str, Any] = {"filled": True, "size": 75}
_RING: dict[str, Any] = {"filled": False, "size": 420, "strokeWidth": 2.4, "color": theme.INK, "opacity": 1}
_WORD: dict[str, Any] = {"fontSize": 14, "fontWeight": "bold", "color": theme.INK}
_AWAY = 22  # pixels from the ring to its word
_WORD_PIXELS = (140, 50)  # what the word and the way to it take, axes being somewhat smaller than the frame
_UNSHADED = theme.COLOURS[-1]


def layers(figure: Cloud, frame: Frame) -> alt.LayerChart:
    """The steps of the front below, then all sets, then the ring and its word."""
    x = axes.upwards([dot.x for dot in figure.dots], log=True)
    y = axes.upwards([dot.y for dot in figure.dots], log=True)
    where = {
        "x": position(alt.X, "x", figure.x_label, x),
        "y": position(alt.Y, "y", figure.y_label, y),
    }
    drawn = [_steps(figure.dots, where), _points(figure, where, frame)]
    if figure.chosen is not None:
        dot = figure.dots[figure.chosen]
        places = [(_part(x, d.x), _part(y, d.y)) for d in figure.dots if d is not dot]
        drawn += _ring(dot, where, *_room((_part(x, dot.x), _part(y, dot.y)), places, frame))
    return alt.LayerChart(layer=drawn)


def least(dots: Sequence[Dot]) -> list[Dot]:
    """Those with less of y than any with less of x, from left to right."""
    found: list[Dot] = []
    for dot in sorted(dots, key=lambda dot: (dot.x, dot.y)):
        if not found or dot.y < found[-1].y:
            found.append(dot)
    return found


def _steps(dots: Sequence[Dot], where: dict[str, Any]) -> alt.Chart:
    rows = [{"x": dot.x, "y": dot.y} for dot in least(dots)]
    line = alt.Chart(alt.InlineData(rows), name=FRONT).mark_line(
        interpolate="step-after", color=theme.PALE, strokeWidth=1.4, strokeDash=list(theme.SHORT_DASHES)
    )
    drawn: alt.Chart = line.encode(**where)
    return drawn


def _points(figure: Cloud, where: dict[str, Any], frame: Frame) -> alt.Chart:
    rows = [
        {name: getattr(d, name) for name in Dot.__slots__}
        | {"shade": d.shade or 0.0, "known": d.shade is not None}  # a missing number has a colour of Vega's
        for d in figure.dots
    ]
    kinds = list(dict.fromkeys(d.kind for d in figure.dots))
    legend = alt.Legend(title=None, orient="top", direction="horizontal", symbolFillColor=_UNSHADED)
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), name=SETS)
        .mark_point(**_POINT)
        .encode(
            **where,
            shape=alt.Shape(
                "kind:N", scale=alt.Scale(domain=kinds, range=list(theme.SHAPES[: len(kinds)])), legend=legend
            ),
            color=_shade(figure, frame),
            stroke=alt.condition("datum.edge", alt.value(theme.INK), alt.value(theme.PALE)),
            strokeWidth=alt.condition("datum.edge", alt.value(1.6), alt.value(0.6)),
            opacity=alt.condition("datum.edge", alt.value(1.0), alt.value(0.85)),
            description="label:N",
        )
    )
    return drawn


def _shade(figure: Cloud, frame: Frame) -> Any:
    """Colour from the least to the most; grey without a value."""
    values = [d.shade for d in figure.dots if d.shade is not None]
    if not values:
        return alt.value(theme.COLOURS[0])
    broad = frame == BROAD  # beside the shapes; elsewhere both have no room in a row
    legend = alt.Legend(
        title=figure.shade_label,
        orient="top" if broad else "bottom",
        direction="horizontal",
        gradientLength=200 if broad else 160,
        titleOrient="left",
    )
    scale = alt.Scale(domain=[min(values), max(values)], range=list(theme.RAMP))
    known = alt.Color("shade:Q", scale=scale, legend=legend)
    return alt.condition("datum.known", known, alt.value(_UNSHADED))


def _ring(dot: Dot, where: dict[str, Any], right: bool, above: bool) -> list[alt.Chart]:
    """And its word, to the right or the left of it, above or below."""
    base = alt.Chart(alt.InlineData([{"x": dot.x, "y": dot.y}]))
    beside: dict[str, Any] = {"align": "left", "dx": -8} if right else {"align": "right", "dx": 8}
    word = base.properties(name=WORD).mark_text(
        text="recommended", dy=-_AWAY if above else _AWAY, **beside, **_WORD
    )
    return [base.properties(name=CHOSEN).mark_point(**_RING).encode(**where), word.encode(**where)]


def _room(at: tuple[float, float], dots: Sequence[tuple[float, float]], frame: Frame) -> tuple[bool, bool]:
    """Whether the word stands to the right, and above: where it lies on the fewest dots and leaves no edge.
    Places are parts of both axes."""
    wide, high = _WORD_PIXELS[0] / frame.width, _WORD_PIXELS[1] / frame.height

    def hidden(side: tuple[bool, bool]) -> int:
        right, above = side
        left = at[0] if right else at[0] - wide
        low = at[1] if above else at[1] - high
        out = left < 0 or left + wide > 1 or low < 0 or low + high > 1
        on = sum(left <= x <= left + wide and low <= y <= low + high for x, y in dots)
        return on + out * (len(dots) + 1)

    return min(((True, True), (True, False), (False, True), (False, False)), key=hidden)


def _part(axis: Axis, value: float) -> float:
    """How far along a logarithmic axis that is: 0 to 1."""
    return log(value / axis.low) / log(axis.high / axis.low)
