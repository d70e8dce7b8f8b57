"""Draws figures, and writes them as pictures, as Vega-Lite or as a page that needs no network."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from fheasible import units
from fheasible.errors import UsageError
from fheasible.reports import (
    agreement,
    boxes,
    cloud,
    curves,
    files,
    labels,
    rows,
    scatter,
    stacks,
    strips,
    theme,
)
from fheasible.reports.drawing import alt, debug_mode, vl_convert
from fheasible.reports.figures import Agreement, BoxPlot, Cloud, Drawing, MarkedRows, Scatter, Stacks, Strips
from fheasible.reports.theme import BROAD, Frame

PIXELS_PER_POINT = 2  # the resolution of a PNG, for screens of high density


def chart(figure: Drawing, frame: Frame = BROAD, titled: bool = True) -> alt.LayerChart:
    """The figure as an Altair chart that fills the frame; many rows make it higher than the frame. With
    `titled` false it has no title, for a page that sets the title beside it."""
    return _layers(figure, frame).properties(
        width=frame.width,
        height=_height(figure, frame),
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        title=_title(figure, frame) if titled else alt.TitleParams(""),
        config=theme.config(),
        usermeta={"embedOptions": {"actions": {"export": True, "source": True, "editor": False}}},
    )


def svg(figure: Drawing, background: str = "white", frame: Frame = BROAD, titled: bool = True) -> str:
    """The figure as SVG."""
    return vl_convert.vegalite_to_svg({**_specification(figure, frame, titled), "background": background})


def write(figure: Drawing, path: Path) -> None:
    """Writes the figure to a file in the format that its name ends in: .svg, .png, .json (Vega-Lite) or
    .html. UsageError for any other name, and where the file cannot be written."""
    files.write(path, _encoding(path)(figure))


def _height(figure: Drawing, frame: Frame) -> int:
    """The height in pixels: that of the frame, or what the names of the rows need."""
    match figure:
        case Stacks() | MarkedRows():
            return labels.height(figure.names, frame)
        case Strips():
            return labels.height([strip.name for strip in figure.strips], frame)
    return frame.height


def _layers(figure: Drawing, frame: Frame) -> alt.LayerChart:
    match figure:
        case BoxPlot():
            return boxes.layers(figure)
        case Agreement():
            return agreement.layers(figure, frame)
        case Scatter():
            return scatter.layers(figure)
        case MarkedRows():
            return rows.layers(figure, frame)
        case Cloud():
            return cloud.layers(figure, frame)
        case Stacks():
            return stacks.layers(figure, frame)
        case Strips():
            return strips.layers(figure, frame)
    return curves.layers(figure, frame)


def _title(figure: Drawing, frame: Frame) -> alt.TitleParams:
    """The title and its note, above the axes. In a figure with named rows they stand above the names too,
    because beside the names they would have no room."""
    lines, over = wrap(figure.title, frame.title_letters), "group"
    if isinstance(figure, MarkedRows | Stacks | Strips):
        over = "bounds"
    if not figure.note:
        return alt.TitleParams(lines, frame=over)
    return alt.TitleParams(lines, frame=over, subtitle=wrap(figure.note, frame.note_letters))


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


def _specification(figure: Drawing, frame: Frame = BROAD, titled: bool = True) -> dict[str, Any]:
    """The figure in Vega-Lite's terms. It is not validated here, because checking each value against the
    schema takes longer than everything else together. The tests validate it."""
    with debug_mode(False):
        found: dict[str, Any] = chart(figure, frame, titled).to_dict(validate=False)
    return found


_ENCODINGS: Mapping[str, Callable[[Drawing], bytes]] = MappingProxyType(
    {".svg": _svg, ".png": _png, ".json": _json, ".html": _html}
)
