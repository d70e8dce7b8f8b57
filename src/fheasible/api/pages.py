"""An answer with its figures as a page: the parts that a terminal shows, laid out for a browser."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fheasible.api.html import UNBROKEN
from fheasible.api.layout import Listing, Part
from fheasible.api.text import TextPage
from fheasible.reports.page import Block, Caution, Page, Section, Table

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing

WIDE: Final = TextPage(UNBROKEN)  # whose sentences and tables are not broken
_CAUTION = "warning:"


def page(title: str, parts: Iterable[Part], drawings: Sequence["Drawing"], footer: str = "") -> Page:
    """The figures first, then the parts."""
    sections = [Section("Figures", tuple(drawings))] if drawings else []
    return Page(title, (*sections, Section("Sets", tuple(_blocks(parts)))), footer=footer)


def _blocks(parts: Iterable[Part]) -> Iterator[Block]:
    """Each part as a block; lines that only separate others have none."""
    for part in parts:
        if isinstance(part, Listing):
            rows = tuple(tuple(row) for row in part.rows)
            yield Table(tuple(part.columns), rows, left=tuple(part.left))
        elif part.startswith(_CAUTION):
            yield Caution(part.removeprefix(_CAUTION).strip())
        elif part.strip():
            yield part.strip()


def write(made: Page, path: Path) -> None:
    """Writes the page. UsageError where it cannot be written."""
    from fheasible.reports import html  # which loads what makes pages

    html.write(made, path)
