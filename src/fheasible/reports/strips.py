"""A strip for each row that shows which value holds where along the axis, with a mark at the chosen place."""

from itertools import groupby
from typing import Any

from fheasible.reports import axes, labels, theme
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Strip, Strips
from fheasible.reports.meanings import rings
from fheasible.reports.theme import Frame

STRIPS, INSIDE = "strips", "inside"  # the names by which a page finds the layers
_TEXT: dict[str, Any] = {"fontSize": 13, "color": theme.INK}
_CHOSEN: dict[str, Any] = {
    "shape": "triangle-up", "filled": True, "size": 110, "color": theme.INK, "opacity": 1,
}  # fmt: skip


def layers(figure: Strips, frame: Frame) -> alt.LayerChart:
    """The layers from bottom to top: the bars, the values inside them, and the marks."""
    axis = axes.along([x for strip in figure.strips for x, _ in strip.cells])
    where: dict[str, Any] = {"y": labels.rows("row", [s.name for s in figure.strips], frame.row_letters)}
    runs = [run for strip in figure.strips for run in _runs(strip)]
    size = max(16, min(36, 200 // len(figure.strips)))
    base = alt.Chart(alt.InlineData(runs))
    bars = base.properties(name=STRIPS).mark_bar(size=size, stroke=theme.PAPER, strokeWidth=1)
    ends = {"x": position(alt.X, "start", figure.x_label, axis), "x2": "end:Q"}
    middle = position(alt.X, "middle", figure.x_label, axis)
    words = base.properties(name=INSIDE).mark_text(**_TEXT).transform_filter(f"datum.wide >= {_least(frame)}")
    drawn = [
        bars.encode(**where, **ends, color=_colours(runs, frame), description="label:N"),
        words.encode(**where, x=middle, text="value:N"),
    ]
    chosen = [{"row": s.name, "x": s.chosen} for s in figure.strips if s.chosen is not None]
    if chosen:
        x = position(alt.X, "x", figure.x_label, axis)
        drawn.append(
            alt.Chart(alt.InlineData(chosen)).mark_point(**_CHOSEN, yOffset=size / 2 + 5).encode(**where, x=x)
        )
    return alt.LayerChart(layer=drawn)


def _least(frame: Frame) -> int:
    """The number of steps that a run must have to show its value."""
    return 3 if frame.width > 600 else 6


def _runs(strip: Strip) -> list[dict[str, Any]]:
    """The bars of a strip: neighbouring places with one value form one bar, and each place is half a step
    wide to both sides."""
    found = []
    marked = [(x - i, value, x) for i, (x, value) in enumerate(strip.cells)]  # x - i is constant along a run
    for (_, value), run in groupby(marked, key=lambda cell: cell[:2]):
        x = [cell[2] for cell in run]
        said = f"{strip.name}, {x[0]:g} to {x[-1]:g}: {value}"
        ends = {"start": x[0] - 0.5, "end": x[-1] + 0.5, "middle": (x[0] + x[-1]) / 2, "wide": len(x)}
        found.append({"row": strip.name, "value": value, "label": said, **ends})
    return found


def _colours(runs: list[dict[str, Any]], frame: Frame) -> alt.Color:
    """A colour for each value. The value is written into its bar too, where that has room."""
    values = sorted({run["value"] for run in runs})
    scale = alt.Scale(domain=values, range=rings(values))
    legend = alt.Legend(
        title=None,
        orient="top",
        direction="horizontal",
        symbolType="square",
        columns=labels.columns(values, frame),
    )
    return alt.Color("value:N", scale=scale, sort=None, legend=legend)
