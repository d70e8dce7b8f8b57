"""A page as one HTML file that holds everything it shows: nothing in it comes from elsewhere."""

from pathlib import Path
from typing import Any

from fheasible import units
from fheasible.reports import charts, files
from fheasible.reports.drawing import Environment, Markup, PackageLoader, StrictUndefined
from fheasible.reports.figures import Drawing
from fheasible.reports.page import ClaimMark, Page
from fheasible.reports.theme import DESK, NARROW

_SIGN = {
    ClaimMark.REPRODUCED: "✓",
    ClaimMark.NOT_REPRODUCED: "✗",
    ClaimMark.NOT_RUN: "…",
    ClaimMark.NOT_TESTABLE: "–",
}


def render(page: Page) -> str:
    """The page as HTML. Figures are SVG in it; everything else is escaped."""
    return environment().get_template("page.html").render(page=page, **words())


def environment() -> Environment:
    """The environment of the templates. Everything that they insert is escaped."""
    found = Environment(
        loader=PackageLoader("fheasible.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["frames"] = _frames
    return found


def words() -> dict[str, Any]:
    """The variables that every template needs besides its page."""
    return {"kind": lambda block: type(block).__name__, "sign": _SIGN, "absent": units.ABSENT}


def write(page: Page, path: Path) -> None:
    """Writes the page to that file. UsageError where it cannot be written."""
    files.write(path, render(page).encode())


def _frames(figure: Drawing) -> Markup:
    """The figure in two frames, for screens and for phones; a page shows the one that fits. The title stands
    outside the drawing."""
    drawn = [
        f'<div class="{name}">{charts.svg(figure, "transparent", frame, titled=False)}</div>'
        for name, frame in (("broad", DESK), ("narrow", NARROW))
    ]
    return Markup("".join(drawn))
