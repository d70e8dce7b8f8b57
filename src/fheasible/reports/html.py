"""A page as one HTML file that holds everything it shows: nothing in it comes from elsewhere."""

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fheasible import units
from fheasible.reports import charts, files
from fheasible.reports.figures import Drawing
from fheasible.reports.page import Page, Verdict

_SIGN = {Verdict.REPRODUCED: "✓", Verdict.NOT_REPRODUCED: "✗", Verdict.NOT_TESTABLE: "–"}


def render(page: Page) -> str:
    """The page as HTML. Figures are SVG in it; everything else is escaped."""
    environment = Environment(
        loader=PackageLoader("fheasible.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["svg"] = _svg
    return environment.get_template("page.html").render(
        page=page, kind=lambda block: type(block).__name__, sign=_SIGN, absent=units.ABSENT
    )


def write(page: Page, path: Path) -> None:
    """The page in that file. UsageError where it cannot be written."""
    files.write(path, render(page).encode())


def _svg(figure: Drawing) -> Markup:
    return Markup(charts.svg(figure, background="transparent"))
