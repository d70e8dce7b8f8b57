"""The answer as a fragment of HTML for notebooks: text, one table and two lists. It has no script, loads
nothing from elsewhere, and uses only the colours that the notebook has."""

from collections.abc import Iterable, Sequence
from html import escape

from fheasible.api import listing
from fheasible.api.layout import Listing, Part
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration

_LINE = "1px solid rgba(128, 128, 128, 0.45)"  # shows on white and on black
_MEANING = "tie: as good, within the error of prediction; front: no other set beats it in everything"
_TABLE = "border-collapse: collapse; background: transparent; color: inherit; font: inherit"
_CELL = f"padding: 0.2em 0.6em; border-bottom: {_LINE}; white-space: nowrap; color: inherit"

_PLAIN = "padding: 0.1em 0.6em 0.1em 0; text-align: left; vertical-align: top; border: 0; color: inherit"

UNBROKEN = 1_000_000  # columns, of which no sentence and no table has more


def answered(parts: Iterable[Part]) -> str:
    """The parts of any answer in HTML: tables, and sentences between them."""
    shown = "".join(_listing(part) if isinstance(part, Listing) else _paragraphs([part], bold=False)
                    for part in parts if isinstance(part, Listing) or part.strip())  # fmt: skip
    return f'<div style="color: inherit; max-width: 70em">{shown}</div>'


def _listing(part: Listing) -> str:
    head = "".join(
        f'<th scope="col" style="{_CELL}; {_side(name in part.left)}">{escape(name)}</th>'
        for name in part.columns
    )
    rows = "".join(f'<tr style="background: transparent">{_cells(part, row)}</tr>' for row in part.rows)
    return (
        f'<div style="overflow-x: auto"><table style="{_TABLE}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cells(part: Listing, row: Sequence[str]) -> str:
    return "".join(
        f'<td style="{_CELL}; {_side(name in part.left)}">{escape(cell)}</td>'
        for name, cell in zip(part.columns, row, strict=True)
    )


def fragment(
    found: Exploration,
    headline: Sequence[str],
    why: Sequence[str],
    summary: Sequence[tuple[str, str]] = (),
    command: Sequence[str] = (),
) -> str:
    """The answer in HTML: the recommendation in five lines, the table, the command that runs it, and all
    reasons, folded. Everything that comes from an application or a library is escaped."""
    parts = [
        _paragraphs(headline),
        _said(summary),
        _table(found),
        _code(command),
        _list("Why", why, shut=bool(summary)),
        _rejected(found),
    ]
    return f'<div style="color: inherit; max-width: 70em">{"".join(parts)}</div>'


def _paragraphs(lines: Sequence[str], bold: bool = True) -> str:
    first = 0 if bold else None
    said = (
        f"<strong>{escape(line)}</strong>" if i == first else escape(line) for i, line in enumerate(lines)
    )
    return f'<p style="margin: 0.3em 0">{"<br>".join(said)}</p>'


def _said(lines: Sequence[tuple[str, str]]) -> str:
    """Statements, each beside its heading."""
    rows = "".join(
        f'<tr style="background: transparent"><th scope="row" style="{_PLAIN}">{escape(head)}</th>'
        f'<td style="{_PLAIN}">{escape(said)}</td></tr>'
        for head, said in lines
    )
    return f'<table style="{_TABLE}; margin: 0.5em 0">{rows}</table>' if rows else ""


def _code(lines: Sequence[str]) -> str:
    said = escape("\n".join(lines))
    return f'<pre style="overflow-x: auto; margin: 0.5em 0">{said}</pre>' if lines else ""


def _table(found: Exploration) -> str:
    candidates = listing.shown(found, everything=False)
    if not candidates:
        return ""
    columns = listing.columns(found, candidates)
    head = "".join(
        f'<th scope="col" style="{_CELL}; {_side(shown.column.left)}">{escape(shown.column.title)}</th>'
        for shown in columns
    )
    rows = "".join(_row(found, c, columns) for c in candidates)
    rest = len(found.candidates) - len(candidates)
    caption = f"{_MEANING}{f'; {rest:,} more in .candidates' if rest else ''}"
    return (
        f'<div style="overflow-x: auto"><table style="{_TABLE}">'
        f'<caption style="caption-side: bottom; text-align: left; color: inherit">{caption}</caption>'
        f'<thead><tr><td style="{_CELL}"></td>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(found: Exploration, c: Candidate, columns: Sequence[listing.Shown]) -> str:
    best = "; font-weight: bold" if c is found.best else ""
    cells = "".join(
        f'<td style="{_CELL}; {_side(shown.column.left)}{best}">{escape(shown.cell(c))}</td>'
        for shown in columns
    )
    mark = escape(listing.words(found, c))
    head = f'<th scope="row" style="{_CELL}; text-align: left{best}">{mark}</th>'
    return f'<tr style="background: transparent">{head}{cells}</tr>'


def _side(left: bool) -> str:
    return f"text-align: {'left' if left else 'right'}"


def _rejected(found: Exploration) -> str:
    lines = [f"{listing.title(r.library)} {r.scheme.upper()}: {r.reason}" for r in found.rejected]
    return _list("Why not the others", lines, shut=found.best is not None)


def _list(title: str, lines: Iterable[str], shut: bool) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    opened = "" if shut else " open"
    return f"<details{opened}><summary>{escape(title)}</summary><ul>{items}</ul></details>" if items else ""
