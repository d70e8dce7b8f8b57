"""Tables and paragraphs as lines of text that never exceed a width."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill, wrap
from typing import Any

WIDTH = 100  # columns, where no terminal says how many it has; wider lines read no better
NARROWEST = 40
FEW = 5  # elements shown of a long vector
_INDENT = "     "  # before a row's last cell, where it has lines of its own
_LAST = 16  # columns that the last cell needs to stand beside the others
_MOST_LINES = 3  # of it there

Paint = Callable[[str], str]
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `spare`: where the width is too small for all, columns with the highest value are
    dropped first; those with 0 stay."""

    title: str
    left: bool = False
    spare: int = 0


def paragraph(head: str, text: str, width: int = WIDTH) -> str:
    """The paragraph 'head text', broken at the width; further lines are indented. A word longer than the
    width stays whole."""
    return fill(
        f"{head} {text}", width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
    )


def fitting(columns: Sequence[Column], rows: Sequence[Row], width: int) -> list[int]:
    """The indices of the columns for which there is room. The last column needs none, because its cell may
    stand beneath the others."""
    kept = list(range(len(columns)))
    while _taken(columns, rows, kept[:-1]) > width:
        spare = [i for i in kept[:-1] if columns[i].spare]
        if not spare:
            break
        kept.remove(max(spare, key=lambda i: columns[i].spare))
    return kept


def grid(columns: Sequence[Column], rows: Sequence[Row], width: int) -> Iterator[list[str]]:
    """The lines of the header, then the lines of each row. Cells are aligned. The last cell is broken where
    necessary: in its column or, where that would be too narrow, on lines of its own."""
    kept = fitting(columns, rows, width)
    widths = _widths(columns, rows, kept[:-1])
    room = width - _taken(columns, rows, kept[:-1]) - 1
    titles = [column.title for column in columns]
    beside = _stands_beside([titles[-1], *(row[-1] for row in rows)], room)
    for row in (titles, *rows):
        cells = [
            row[i].ljust(w) if columns[i].left else row[i].rjust(w)
            for i, w in zip(kept[:-1], widths, strict=True)
        ]
        front = " ".join(cells)
        yield _beside(front, row[-1], room) if beside else _beneath(front, row[-1], row is titles, width)


def _stands_beside(cells: Sequence[str], room: int) -> bool:
    """Whether so many columns hold the last cell of every row: no word is broken, and no cell takes many
    lines."""
    words = max((len(word) for cell in cells for word in cell.split()), default=0)
    if room < max(words, min(max(map(len, cells)), _LAST)):
        return False
    return all(len(wrap(cell, room)) <= _MOST_LINES for cell in cells)


def _beside(front: str, last: str, room: int) -> list[str]:
    first, *others = wrap(last, max(room, 1)) or [""]
    return [f"{front} {first}".rstrip(), *(" " * (len(front) + 1) + line for line in others)]


def _beneath(front: str, last: str, header: bool, width: int) -> list[str]:
    lines = wrap(front, width, drop_whitespace=False, replace_whitespace=False) or [""]
    cell = [] if header or not last else wrap(last, width - len(_INDENT))
    return [line.rstrip() for line in lines] + [_INDENT + line for line in cell]


def _widths(columns: Sequence[Column], rows: Sequence[Row], kept: Collection[int]) -> list[int]:
    return [max(len(columns[i].title), *(len(row[i]) for row in rows), 0) for i in kept]


def _taken(columns: Sequence[Column], rows: Sequence[Row], kept: Collection[int]) -> int:
    return sum(_widths(columns, rows, kept)) + max(len(kept) - 1, 0)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table that whoever shows it lays out: the titles of its columns, and the cells of its rows.

    Columns are aligned to the right, except those named in `left`.
    """

    columns: Sequence[str]
    rows: Sequence[Row]
    left: Collection[str] = ()
    gap: int = 2

    def lines(self, width: int = WIDTH) -> Iterator[str]:
        """The table as lines of text of that width."""
        columns = [Column(title, left=title in self.left) for title in self.columns]
        for lines in grid(columns, list(self.rows), width):
            yield from lines


Part = str | Listing  # of an answer, as it is shown


def text_of(parts: Iterable[Part], width: int = WIDTH) -> Iterator[str]:
    """The parts of an answer as lines of text."""
    for part in parts:
        yield from part.lines(width) if isinstance(part, Listing) else (part,)


def share(ratio: float) -> str:
    """A ratio in per cent: '7.4 %'."""
    return f"{100 * ratio:.1f} %"


def vector(values: Iterable[Any]) -> str:
    """The values as text: '0.2887', '[1, 2, 3, 4, 5, ... 1,000 values]'."""
    listed = list(values)
    if len(listed) == 1:
        return _element(listed[0])
    shown = ", ".join(_element(v) for v in listed[:FEW])
    return f"[{shown}{f', ... {len(listed):,} values' if len(listed) > FEW else ''}]"


def _element(value: Any) -> str:
    return f"{value:.8g}" if isinstance(value, float) else f"{value:,}"
