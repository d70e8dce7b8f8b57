"""Parameter sets by two figures, with their kinds as colour and shape and a third figure as the strength of
the colour; the front as a line, and the chosen set in a ring."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fheasible.reports import axes, theme
from fheasible.reports.agreement import looks_of
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.ends import part
from fheasible.reports.figures import Cloud, Dot, least
from fheasible.reports.theme import Frame

# the names by which a page finds the layers in the drawing
SETS, FRONT, TIES, CHOSEN, WORD = "sets", "front", "ties", "chosen", "word"
_POINT: dict[str, Any] = {"filled": True, "size": 75}
_RING: dict[str, Any] = {"filled": False, "size": 420, "strokeWidth": 2.4, "color": theme.INK, "opacity": 1}
_THIN: dict[str, Any] = {"filled": False, "size": 230, "strokeWidth": 1.2, "color": theme.INK}
_WORD: dict[str, Any] = {"fontSize": 14, "fontWeight": "bold", "color": theme.INK}
_WORD_PIXELS = (100, 16)
_MARK_PIXELS = 9  # from the middle of a mark to the edge of its ring
_BESIDE_AXES = (104, 144)  # pixels of a frame that axes and legends take


def layers(figure: Cloud, frame: Frame) -> alt.LayerChart:
    """The layers from bottom to top: the steps of the front, the rings of ties, all sets, then the chosen
    one's ring and its word."""
    x = axes.upwards([dot.x for dot in figure.dots], log=True)
    y = axes.upwards([dot.y for dot in figure.dots], log=True)
    where = {
        "x": position(alt.X, "x", figure.x_label, x),
        "y": position(alt.Y, "y", figure.y_label, y),
    }
    ties = [_ties(figure.dots, where)] if any(dot.tie for dot in figure.dots) else []
    drawn = [_steps(figure.dots, where), *ties, _points(figure, where, frame)]
    if figure.chosen is not None:
        dot = figure.dots[figure.chosen]
        places = [(part(x, d.x), part(y, d.y)) for d in figure.dots if d is not dot]
        drawn += _ring(dot, where, _room((part(x, dot.x), part(y, dot.y)), places, frame))
    return alt.LayerChart(layer=drawn)


def _steps(dots: Sequence[Dot], where: dict[str, Any]) -> alt.Chart:
    rows = [{"x": dot.x, "y": dot.y} for dot in least(dots)]
    line = alt.Chart(alt.InlineData(rows), name=FRONT).mark_line(
        interpolate="step-after", color=theme.PALE, strokeWidth=1.4, strokeDash=list(theme.SHORT_DASHES)
    )
    drawn: alt.Chart = line.encode(**where)
    return drawn


def _ties(dots: Sequence[Dot], where: dict[str, Any]) -> alt.Chart:
    """A thin ring for every dot, in the order of the dots; only the rings of ties are visible."""
    rows = [{"x": dot.x, "y": dot.y, "tie": dot.tie} for dot in dots]
    ring = alt.Chart(alt.InlineData(rows), name=TIES).mark_point(**_THIN)
    drawn: alt.Chart = ring.encode(
        **where, opacity=alt.condition("datum.tie", alt.value(0.9), alt.value(0.0))
    )
    return drawn


def _points(figure: Cloud, where: dict[str, Any], frame: Frame) -> alt.Chart:
    rows = [
        {name: getattr(d, name) for name in Dot.__slots__} | {"dark": dark}
        for d, dark in zip(figure.dots, figure.darkness, strict=True)
    ]
    kinds = list(dict.fromkeys(d.kind for d in figure.dots))
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), name=SETS)
        .mark_point(**_POINT)
        .encode(
            **where,
            **looks_of(kinds, frame, "kind"),
            fillOpacity=alt.FillOpacity("dark:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None),
            stroke=alt.condition("datum.edge", alt.value(theme.INK), alt.value(theme.PALE)),
            strokeWidth=alt.condition("datum.edge", alt.value(1.6), alt.value(0.6)),
            description="label:N",
        )
    )
    return drawn


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a word, in pixels from the middle of the mark that it names: `across` to its near end,
    `down` to its middle. `right`: the word extends to the right."""

    right: bool
    across: int
    down: int

    def box(self, x: float, y: float) -> tuple[float, float, float, float]:
        """The edges of the word (left, right, top, bottom) where the middle of its mark lies at x and y."""
        wide, high = _WORD_PIXELS
        left = x + self.across if self.right else x + self.across - wide
        return left, left + wide, y + self.down - high / 2, y + self.down + high / 2


_CORNERS = [
    Place(right, -8 if right else 8, down)
    for away in (22, 40, 60, 80)
    for right in (True, False)
    for down in (-away, away)
]
_PLACES = (*_CORNERS[:4], Place(True, 18, 0), Place(False, -18, 0), *_CORNERS[4:])  # the nearest first


def _ring(dot: Dot, where: dict[str, Any], at: Place) -> list[alt.Chart]:
    """The ring around the chosen dot, and its word."""
    base = alt.Chart(alt.InlineData([{"x": dot.x, "y": dot.y}]))
    word = base.properties(name=WORD).mark_text(
        text="recommended", align="left" if at.right else "right", dx=at.across, dy=at.down, **_WORD
    )
    return [base.properties(name=CHOSEN).mark_point(**_RING).encode(**where), word.encode(**where)]


def _room(at: tuple[float, float], dots: Sequence[tuple[float, float]], frame: Frame) -> Place:
    """The place where the word covers the fewest dots and stays inside the frame. `at` and `dots` are
    positions as fractions of both axes."""
    wide, high = frame.width - _BESIDE_AXES[0], frame.height - _BESIDE_AXES[1]
    marks = [(x * wide, (1 - y) * high) for x, y in dots]

    def hidden(place: Place) -> int:
        left, right, top, bottom = place.box(at[0] * wide, (1 - at[1]) * high)
        out = left < 0 or right > wide or top < 0 or bottom > high
        on = sum(
            left - _MARK_PIXELS < x < right + _MARK_PIXELS and top - _MARK_PIXELS < y < bottom + _MARK_PIXELS
            for x, y in marks
        )
        return on + out * (len(marks) + 1)

    return min(_PLACES, key=hidden)
