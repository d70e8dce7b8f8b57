"""Tables and figures for a terminal of 100 columns."""

import os
import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from fheasible.api import layout

if TYPE_CHECKING:
    from rich.table import Table

    from fheasible.api.text import Paint

_CODES, _USUAL = {"head": "\x1b[1m", "best": "\x1b[1;32m"}, "\x1b[0m"


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[str] = (), gap: int = 2
) -> "Table":
    """A table whose columns are aligned to the right, except those named in `left`. Only the last cell of a
    row is wrapped."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        last = number == len(columns) - 1
        made.add_column(
            escape(name), justify="left" if name in left else "right", no_wrap=not last, overflow="fold"
        )
    for row in rows:
        made.add_row(*map(escape, row))
    return made


def paragraph(head: str, text: str) -> str:
    """The paragraph 'head text', broken at the terminal's width or at 100 columns; further lines are
    indented."""
    return layout.paragraph(head, text, width())


def width() -> int:
    """The number of columns to write sentences in: the terminal's, but no more than are easy to read."""
    return min(layout.WIDTH, wide())


def wide() -> int:
    """The number of columns that the terminal has, which tables may fill."""
    return max(get_terminal_size((layout.WIDTH, 24)).columns, layout.NARROWEST)


def painter() -> "Paint":
    """A function that makes heads and best rows bold on a terminal, unless the user wants no colours
    (no-color.org); elsewhere it leaves text plain."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return _plain if plain else _painted


def _plain(_: str, text: str) -> str:
    return text


def _painted(what: str, text: str) -> str:
    return f"{_CODES[what]}{text}{_USUAL}" if what in _CODES else text
