"""Every feasible parameter set as a line of CSV, written while the search goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from fheasible.cli.streams import appearing, check
from fheasible.errors import UsageError
from fheasible.exploration.judging.columns import LAST, NAMES, Columns
from fheasible.extras import need

STDOUT = "-"
COLUMNS: Final = tuple(name for name in NAMES if name not in LAST)


@contextmanager
def writing(place: str | None, as_json: bool) -> Iterator["Lines | None"]:
    """What takes the rows, part by part; None where no table was asked for. A file appears once the block has
    ended well. UsageError where it cannot be written, or where stdout has the document already."""
    if place is None:
        yield None
        return
    need("arrow", "tables of all sets")
    path = None if place == STDOUT else Path(place)
    if path is None and as_json:
        raise UsageError(
            "--json and --csv - would both write to stdout", "name a file: --csv sets.csv --json"
        )
    check(path)
    with appearing(path) as stream:
        yield Lines(stream)


class Lines:
    """Writes a header, and a line for each row, with an empty field where there is no value. What is known
    only at the end has no column: which rows are on the front, and which the answer shows."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.count = 0  # of rows
        stream.write(",".join(COLUMNS) + "\n")

    def __call__(self, rows: Columns) -> None:
        """Writes those rows. OSError where the disk is full."""
        from pyarrow import csv  # type: ignore[import-untyped]  # few calls need it

        self.count += len(rows)
        self._stream.flush()
        table = rows.arrow().select(COLUMNS)
        csv.write_csv(table, self._stream.buffer, csv.WriteOptions(include_header=False))
