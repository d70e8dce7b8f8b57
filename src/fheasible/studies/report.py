"""A study's report as files: one HTML page, its figures as SVG and PNG, its tables as CSV."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fheasible.reports import charts, html, tables
from fheasible.reports.figures import BoxPlot, Drawing, Figure, MarkedRows, Trace
from fheasible.reports.page import Block, ClaimMark, JudgedBlock, Links, Page, Section
from fheasible.reports.tables import Cell
from fheasible.studies.claim import JudgedClaim
from fheasible.studies.results import Results


@dataclass(frozen=True, slots=True)
class Data:
    """A table of figures in base units, for a CSV file of that name."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section of the page, and the data behind it."""

    heading: str
    blocks: tuple[Block, ...]
    data: tuple[Data, ...] = ()
    anchors: tuple[str, ...] = ()  # by which claims link to it


def write(
    folder: Path,
    title: str,
    chapters: Sequence[Chapter],
    claims: Sequence[JudgedClaim],
    there: Results,
    summary: Sequence[str] = (),
) -> list[Path]:
    """The paths of the files written, the page first. `summary`: the sentences with which the page begins.
    UsageError where a file cannot be written."""
    known = {anchor for c in chapters for anchor in c.anchors}
    sections = [
        Section("Claims", (_counted(claims), *_claims(claims, known))),
        *(Section(c.heading, c.blocks, c.anchors) for c in chapters),
    ]
    path = folder / "index.html"
    begin = " ".join(summary) or _counted(claims)
    html.write(Page(title, tuple(sections), begin, _footer(there)), path)
    written = [path, _write_claims(folder / "claims.csv", claims)]
    for chapter in chapters:
        for figure in _drawings(chapter.blocks):
            written += _pictures(folder, figure)
        for data in chapter.data:
            written.append(folder / f"{data.name}.csv")
            tables.write_csv(written[-1], data.columns, data.rows)
    return written


def _pictures(folder: Path, figure: Drawing) -> list[Path]:
    paths = [folder / f"{_slug(figure.title)}.{kind}" for kind in ("svg", "png")]
    for path in paths:
        charts.write(figure, path)
    return paths


def _claims(claims: Sequence[JudgedClaim], anchors: Collection[str]) -> Iterator[JudgedBlock]:
    for one in claims:
        told = [(name, text) for name, text in _told(one) if text]
        links = _links(one, anchors)
        last = (("cells", links),) if links.targets else ()
        yield JudgedBlock(one.claim.claim, one.finding.verdict, (*told, *last))


def _told(one: JudgedClaim) -> Iterator[tuple[str, str]]:
    claim, found = one.claim, one.finding
    yield "published", claim.published
    yield "ours", found.ours
    yield "evidence", found.evidence
    yield "cause", found.cause
    yield "reproduced when", claim.criterion
    yield "caution", claim.caution


def _links(one: JudgedClaim, anchors: Collection[str]) -> Links:
    """Links to the cells of the experiments that the claim rests on, as far as the page has them."""
    return Links(tuple((name, anchor(name)) for name in one.claim.about if anchor(name) in anchors))


def anchor(experiment: str) -> str:
    """The name by which claims link to the cells of an experiment."""
    return f"cells-{experiment}"


def _counted(claims: Sequence[JudgedClaim]) -> str:
    counts = {verdict: sum(c.finding.verdict is verdict for c in claims) for verdict in ClaimMark}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{len(claims)} claims: {told}."


def _footer(there: Results) -> str:
    rows = [row for cells in there.rows.values() for row in cells.values()]
    if not rows:
        return "Nothing is stored yet: every measured figure is missing."
    newest = max(rows, key=lambda row: row.created)
    at = newest.environment
    days = sorted({row.created[:10] for row in rows})
    versions = sorted({f"{row.library} {row.version}" for row in rows})
    return (
        f"{len(rows)} stored sets, measured {days[0]} to {days[-1]} on {at['cpu']} ({at.get('os')}, machine "
        f"{there.machine}), {', '.join(versions)}, {at['threads']} thread, commit {at['commit']}."
    )


def _drawings(blocks: Iterable[Block]) -> list[Drawing]:
    return [block for block in blocks if isinstance(block, Figure | Trace | BoxPlot | MarkedRows)]


def _slug(title: str) -> str:
    """The title as a file name of at most 60 letters: 'figure_1_fv' for 'Figure 1: FV'."""
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:60].strip("_")


def _write_claims(path: Path, claims: Sequence[JudgedClaim]) -> Path:
    columns = (
        "claim",
        "published",
        "ours",
        "verdict",
        "evidence",
        "cause",
        "criterion",
        "caution",
        "experiments",
    )
    told = [one.to_json() for one in claims]
    tables.write_csv(path, columns, [tuple(_text(one[name]) for name in columns) for one in told])
    return path


def _text(value: object) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)
