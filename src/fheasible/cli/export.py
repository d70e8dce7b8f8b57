"""fheasible export: stored results as a file that another store can take in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fheasible.store.lines import ExportLine
    from fheasible.store.store import Store


def export(
    session: TerminalSession,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to write: .parquet for Parquet, any other name for JSON lines. stdout by default.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only measurements, samples, profiles, explorations or trials; may be repeated. "
            "All by default.",
        ),
    ] = None,
) -> None:
    """Write stored results to a file, for another machine or for tools of your own.

    The file holds every row with its environment, and of each run every sample. Damaged rows are left out,
    and named. `fheasible import` takes the file into another store; importing it twice adds nothing. A line
    of JSON holds one row; a Parquet file has the same lines in its last column, and in the others what each
    is about: time, machine, library, version, scheme, application, outcome.

    \b
    Example:
      fheasible export --out results.jsonl
      fheasible export --kind samples --out samples.parquet
    """
    from fheasible.cli.streams import check

    if out is None and session.as_json:
        raise UsageError("--json and the export would both be on stdout", "name a file with --out")
    check(out)
    with session.store(reading=True) as store:
        counted = _written(store, kind, out)
        place = store.place
    if out is not None:
        told = ", ".join(f"{number:,} {name}" for name, number in counted.items() if number)
        session.answer(
            {"store": place, "file": str(out), "rows": counted}, [f"written: {out}: {told or 'nothing'}"]
        )


def _written(store: "Store", kinds: "Sequence[str] | None", out: Path | None) -> dict[str, int]:
    """How many rows of each kind were written."""
    from fheasible.cli.streams import appearing
    from fheasible.reports.files import write
    from fheasible.store.export_files import is_parquet, parquet_of
    from fheasible.store.kinds import kinds_of

    counted = dict.fromkeys(kinds_of(kinds), 0)
    lines = _counting(store.lines(kinds), counted)
    if out is not None and is_parquet(out):
        write(out, parquet_of(lines))
        return counted
    with appearing(out) as stream:
        for line in lines:
            stream.write(line.text + "\n")
    return counted


def _counting(lines: "Iterable[ExportLine]", counted: dict[str, int]) -> "Iterator[ExportLine]":
    for line in lines:
        if line.kind in counted:
            counted[line.kind] += 1
        yield line
