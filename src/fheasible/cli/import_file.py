"""fheasible import: takes the results of another store into this one."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from fheasible.cli.session import TerminalSession


def import_file(
    session: TerminalSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that fheasible export has written.")],
) -> None:
    """Add the results of an exported file to the store.

    Each row keeps its time, machine and environment. A row that is stored already is left out, so importing
    a file twice adds nothing. Either the whole file is imported or nothing: a file that was cut off or
    changed, or that a newer Fheasible wrote, is refused, and the line at fault is named. Importing runs
    nothing that the file holds.

    \b
    Example:
      fheasible import results.jsonl
      fheasible import laptop.parquet --store lab.sqlite
    """
    from fheasible.store.export_files import export_texts

    with session.store() as store:
        taken = store.add_lines(export_texts(file), str(file))
        place = store.place
    added = ", ".join(f"{count.added:,} {kind}" for kind, count in taken.items() if count.added)
    known = sum(count.known for count in taken.values())
    session.answer(
        {"store": place, "file": str(file), "rows": {kind: asdict(count) for kind, count in taken.items()}},
        [f"{place}: added {added or 'nothing'}; {known:,} rows were there already"],
    )
