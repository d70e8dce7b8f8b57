"""The content of a page: paragraphs, tables and figures under headings, independent of its format."""

from dataclasses import dataclass
from enum import StrEnum

from fheasible.errors import UsageError
from fheasible.reports.figures import Drawing


class ClaimMark(StrEnum):
    """The verdict on a claim. A page shows it in its colour and with its sign."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    NOT_RUN = "not run yet"
    NOT_TESTABLE = "cannot be tested here"


@dataclass(frozen=True, slots=True)
class Links:
    """Links to sections of the page: (text, anchor of the section)."""

    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JudgedBlock:
    """A claim with its verdict, and what is told of it: (name, text) or (name, links)."""

    claim: str
    verdict: ClaimMark
    told: tuple[tuple[str, str | Links], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as they are read; None is shown as '-'. Columns are aligned to the right, except those named in
    `left`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    left: tuple[str, ...] = ()
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                message = f"a row has {len(row)} cells, but the table has {len(self.columns)} columns"
                raise UsageError(message, f"Give a cell for each of {', '.join(self.columns)}.")


@dataclass(frozen=True, slots=True)
class Caution:
    """A paragraph that must not be overlooked."""

    text: str


@dataclass(frozen=True, slots=True)
class Folded:
    """A table or a drawing that is shown when its summary is opened, for readers who want it."""

    summary: str
    content: Table | Drawing


@dataclass(frozen=True, slots=True)
class Code:
    """Lines that are shown as they are typed: a program, or a command."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Short statements, each under its word: (word, statement)."""

    lines: tuple[tuple[str, str], ...]


Block = str | Caution | Code | Said | Table | Folded | JudgedBlock | Drawing  # a str is a paragraph


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading. `anchors`: names by which `Links` find the section. `folded`: the blocks are
    shown when the heading is opened."""

    heading: str
    blocks: tuple[Block, ...]
    anchors: tuple[str, ...] = ()
    folded: bool = False

    @property
    def drawings(self) -> list[Drawing]:
        """Its figures, those that are folded among them."""
        shown = (block.content if isinstance(block, Folded) else block for block in self.blocks)
        return [block for block in shown if isinstance(block, Drawing)]


@dataclass(frozen=True, slots=True)
class Page:
    """Sections under a title; `summary` stands first, `footer` (machine, versions, date) last."""

    title: str
    sections: tuple[Section, ...]
    summary: str = ""
    footer: str = ""
