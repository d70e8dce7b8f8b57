"""How every figure looks: colours, marks, letters and sizes."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a figure in pixels, and how much text fits into it."""

    width: int = 800
    height: int = 500
    title_letters: int = 66  # on one line
    note_letters: int = 100
    legend_width: int = 700
    row_letters: int = 40  # of a row's name, on one line
    rows_height: int = 500  # of a figure with named rows, at least


BROAD = Frame()  # of a file
DESK = Frame(960, 440, legend_width=860, rows_height=170)  # of a page on a desk
NARROW = Frame(380, 440, 30, 46, 320, 16, 220)  # and on a phone held upright
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
SOLID = (1, 0)
DASHES = (SOLID, (14, 4), (12, 4, 3, 4), (3, 3), (20, 3, 3, 3, 3, 3), (8, 8), (24, 6))
SHORT_DASHES = (5, 4)

PASTELS = (  # dark text is readable on each
    "#D6E6F4", "#9CC9E8", "#66AEDB", "#F0C987", "#E89B6C", "#C9B3D9", "#BFD8B8",
)  # fmt: skip
INK, PALE, PAPER = "#222222", "#555555", "#FFFFFF"
_GRID = "#E2E2E2"
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
            "fontSize": 18, "subtitleFontSize": 13, "color": INK, "subtitleColor": PALE, "anchor": "start",
            "frame": "group", "offset": 14, "lineHeight": 22, "subtitleLineHeight": 17, "subtitlePadding": 5,
        },
        "axis": {
            "labelFontSize": 13, "titleFontSize": 14, "titleFontWeight": "normal", "titlePadding": 10,
            "labelColor": INK, "titleColor": INK, "domainColor": PALE, "tickColor": PALE,
            "gridColor": _GRID, "labelPadding": 5,
        },
        "legend": {
            "labelFontSize": 13, "labelColor": INK, "labelLimit": 660, "symbolSize": 90, "symbolOffset": 8,
            "symbolStrokeWidth": 2.2, "labelOffset": 14, "columnPadding": 20, "rowPadding": 4, "offset": 12,
            "titleFontSize": 13, "titleFontWeight": "normal", "titleColor": INK,
        },
    }  # fmt: skip
