"""A box and its whiskers for each group of values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fheasible.reports import axes, labels, theme
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import BoxPlot, FigureGroup

# letters of a name on one line; more from _MANY groups on, whose names have no room for two lines
_LETTERS, _MANY, _MORE_LETTERS = 24, 10, 30
_SUMMARY = ("least", "lower", "median", "upper", "most")
_WHISKER: dict[str, Any] = {"color": theme.PALE, "strokeWidth": 1.5}
_BOX: dict[str, Any] = {
    "fill": theme.PALE,
    "fillOpacity": 0.25,
    "stroke": theme.PALE,
    "strokeWidth": 1.5,
}


def layers(figure: BoxPlot) -> alt.LayerChart:
    """Whiskers, box and median beside each group's name, drawn horizontally so that a long name has room."""
    axis = axes.upwards([value for group in figure.groups for value in group.values])
    base = alt.Chart(alt.InlineData([_row(group) for group in figure.groups])).encode(
        y=_names([group.name for group in figure.groups]),
        tooltip=["name:N", *(f"{name}:Q" for name in _SUMMARY)],
    )

    def at(name: str) -> Any:
        return position(alt.X, name, figure.value_label, axis)

    size = min(44, 200 // len(figure.groups))
    end = base.mark_tick(color=theme.PALE, size=size // 2, thickness=1.5)
    drawn = [
        base.mark_rule(**_WHISKER).encode(x=at("least"), x2="lower:Q"),
        base.mark_rule(**_WHISKER).encode(x=at("upper"), x2="most:Q"),
        end.encode(x=at("least")),
        end.encode(x=at("most")),
        base.mark_bar(size=size, **_BOX).encode(x=at("lower"), x2="upper:Q"),
        base.mark_tick(color=theme.INK, size=size, thickness=3).encode(x=at("median")),
    ]
    return alt.LayerChart(layer=drawn)


def _row(group: FigureGroup) -> dict[str, Any]:
    """The five numbers that sum up a group; only these are written into the figure."""
    five = np.quantile(group.values, (0, 0.25, 0.5, 0.75, 1))
    return {"name": group.name, **dict(zip(_SUMMARY, map(float, five), strict=True))}


def _names(names: Sequence[str]) -> alt.Y:
    return labels.rows("name", names, _LETTERS if len(names) < _MANY else _MORE_LETTERS, limit=220)
