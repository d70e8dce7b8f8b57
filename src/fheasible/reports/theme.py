"""How every figure looks: colours, marks, letters and sizes."""

from typing import Any

WIDTH, HEIGHT = 800, 500  # pixels of the whole figure
COLOURS = (  # told apart by the colour-blind [OkaIto08]; without the yellow, which is too pale for lines
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
SOLID = (1, 0)
DASHES = (SOLID, (14, 4), (12, 4, 3, 4), (3, 3), (20, 3, 3, 3, 3, 3), (8, 8), (24, 6))
SHORT_DASHES = (5, 4)

_INK, _PALE, _GRID = "#222222", "#555555", "#E2E2E2"
_FONT = (
    "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"  # the first three are as wide as each other
)


def config() -> dict[str, Any]:
    """The configuration in Vega-Lite's terms."""
    return {
        "font": _FONT,
        "background": "white",
        "padding": 14,
        "view": {"stroke": None},
        "title": {
            "fontSize": 18, "subtitleFontSize": 13, "color": _INK, "subtitleColor": _PALE, "anchor": "start",
            "frame": "group", "offset": 14, "lineHeight": 22, "subtitleLineHeight": 17, "subtitlePadding": 5,
        },
        "axis": {
            "labelFontSize": 13, "titleFontSize": 14, "titleFontWeight": "normal", "titlePadding": 10,
            "labelColor": _INK, "titleColor": _INK, "domainColor": _PALE, "tickColor": _PALE,
            "gridColor": _GRID, "labelPadding": 5,
        },
        "legend": {
            "labelFontSize": 13, "labelColor": _INK, "labelLimit": 660, "symbolSize": 90, "symbolOffset": 8,
            "symbolStrokeWidth": 2.2, "labelOffset": 14, "columnPadding": 20, "rowPadding": 4, "offset": 12,
        },
    }  # fmt: skip
