"""Figures drawn, and written as pictures, as Vega-Lite or as a page that needs no network."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any

import altair as alt
import vl_convert

from fheasible import units
from fheasible.errors import UsageError
from fheasible.reports import agreement, boxes, curves, files, rows, scatter, theme
from fheasible.reports.figures import Agreement, BoxPlot, Drawing, Rows, Scatter

PIXELS_PER_POINT = 2  # of a PNG, for screens of high density
_TITLE_LETTERS, _NOTE_LETTERS = 66, 100  # that fit on a line


def chart(figure: Drawing) -> alt.LayerChart:
    """The figure as an Altair chart of 800 by 500 pixels."""
    return _layers(figure).properties(
        width=theme.WIDTH,
        height=theme.HEIGHT,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        title=_title(figure),
        config=theme.config(),
        usermeta={"embedOptions": {"actions": {"export": True, "source": True, "editor": False}}},
    )


def svg(figure: Drawing, background: str = "white") -> str:
    """The figure as SVG."""
    return vl_convert.vegalite_to_svg({**chart(figure).to_dict(), "background": background})


def write(figure: Drawing, path: Path) -> None:
    """The figure in a file of the kind that the name ends in: .svg, .png, .json (Vega-Lite) or .html.
    UsageError for any other name, and where the file cannot be written."""
    files.write(path, _encoding(path)(figure))


def _layers(figure: Drawing) -> alt.LayerChart:
    match figure:
        case BoxPlot():
            return boxes.layers(figure)
        case Agreement():
            return agreement.layers(figure)
        case Scatter():
            return scatter.layers(figure)
        case Rows():
            return rows.layers(figure)
    return curves.layers(figure)


def _title(figure: Drawing) -> alt.TitleParams:
    lines = wrap(figure.title, _TITLE_LETTERS)
    if not figure.note:
        return alt.TitleParams(lines)
    return alt.TitleParams(lines, subtitle=wrap(figure.note, _NOTE_LETTERS))


def _encoding(path: Path) -> Callable[[Drawing], bytes]:
    try:
        return _ENCODINGS[path.suffix.lower()]
    except KeyError:
        remedy = f"End its name in {units.listing(list(_ENCODINGS), 'or')}."
        raise UsageError(f"a figure cannot be written as '{path.name}'", remedy) from None


def _svg(figure: Drawing) -> bytes:
    return svg(figure).encode()


def _png(figure: Drawing) -> bytes:
    return vl_convert.vegalite_to_png(_specification(figure), scale=PIXELS_PER_POINT)


def _json(figure: Drawing) -> bytes:
    return json.dumps(_specification(figure), ensure_ascii=False, indent=1).encode()


def _html(figure: Drawing) -> bytes:
    return vl_convert.vegalite_to_html(_specification(figure), bundle=True).encode()


def _specification(figure: Drawing) -> dict[str, Any]:
    return chart(figure).to_dict()


_ENCODINGS: Mapping[str, Callable[[Drawing], bytes]] = MappingProxyType(
    {".svg": _svg, ".png": _png, ".json": _json, ".html": _html}
)
