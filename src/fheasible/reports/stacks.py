"""Stacked bars: a bar for each row, whose parts follow one another."""

from typing import Any

from fheasible.reports import axes, labels, theme
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Stacks
from fheasible.reports.meanings import parts
from fheasible.reports.theme import Frame

PARTS = "parts"  # the name by which a page finds the bars
_ROOM = 0.14  # share of the axis for the words at the bars' ends
_WORDS: dict[str, Any] = {"align": "left", "dx": 6, "fontSize": 13, "color": theme.INK}


def layers(figure: Stacks, frame: Frame) -> alt.LayerChart:
    """The bars, their parts in the order given, and the words at their ends."""
    ends = [sum(values) for values in zip(*(part.values for part in figure.parts), strict=True)]
    axis = axes.upwards([0.0, max(ends) * (1 + _ROOM * bool(figure.words))])
    where: dict[str, Any] = {"y": labels.rows("row", figure.names, frame.row_letters)}
    bars = _bars(figure, frame).encode(**where, **_between(figure, axis))
    if not figure.words:
        return alt.LayerChart(layer=[bars])
    rows = [
        {"row": name, "start": end, "word": word}
        for name, end, word in zip(figure.names, ends, figure.words, strict=True)
    ]
    words = alt.Chart(alt.InlineData(rows)).mark_text(**_WORDS)
    x = position(alt.X, "start", figure.value_label, axis)
    return alt.LayerChart(layer=[bars, words.encode(**where, x=x, text="word:N")])


def _between(figure: Stacks, axis: axes.Axis) -> dict[str, Any]:
    return {"x": position(alt.X, "start", figure.value_label, axis), "x2": "end:Q"}


def _bars(figure: Stacks, frame: Frame) -> alt.Chart:
    """The bars. The beginning and end of each part are computed here, so that nothing else orders the
    parts."""
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(figure.names):
        start = 0.0
        for part in figure.parts:
            end = start + part.values[place]
            if end > start:
                said = f"{name}, {part.name}: {part.values[place]:.3g} {figure.value_label}"
                rows.append({"row": name, "name": part.name, "start": start, "end": end, "label": said})
            start = end
    names = [part.name for part in figure.parts]
    legend = alt.Legend(
        title=None,
        orient="top",
        direction="horizontal",
        symbolType="square",
        columns=labels.columns(names, frame),
    )
    scale = alt.Scale(domain=names, range=parts(names, figure.rest))
    size = max(8, min(32, 250 // len(figure.names)))
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), name=PARTS)
        .mark_bar(size=size, stroke=theme.PAPER, strokeWidth=1)
        .encode(color=alt.Color("name:N", scale=scale, sort=None, legend=legend), description="label:N")
    )
    return drawn
