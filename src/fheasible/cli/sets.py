"""Every feasible parameter set as a line of CSV, written while the search goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from fheasible.cli.streams import appearing, check
from fheasible.errors import UsageError
from fheasible.exploration.judging.columns import LAST, NAMES, Columns
from fheasible.extras import need
from fheasible.units import MIB, size

STDOUT = "-"
LARGE: Final = 100 * MIB  # bytes from which on it is said that the file grows large
COLUMNS: Final = tuple(name for name in NAMES if name not in LAST)


@contextmanager
def writing(place: str | None, as_json: bool, say: Callable[[str], None]) -> Iterator["Lines | None"]:
    """What takes the rows, part by part; None where no table was asked for. A file appears once the block has
    ended well, and is said to be large while it can still be stopped. UsageError where it cannot be written,
    or where stdout has the document already."""
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
        yield Lines(stream, say, place)


class Lines:
    """Writes a header, and a line for each row, with an empty field where there is no value. What is known
    only at the end has no column: which rows are on the front, and which the answer shows."""

    def __init__(self, stream: TextIO, say: Callable[[str], None], place: str) -> None:
        self._stream, self._say, self._place = stream, say, place
        self.count = 0  # of rows
        self.bytes = 0
        stream.write(",".join(COLUMNS) + "\n")

    def __call__(self, rows: Columns) -> None:
        """Writes those rows. OSError where the disk is full."""
        import pyarrow  # type: ignore[import-untyped]  # few calls need it
        from pyarrow import csv

        written = pyarrow.BufferOutputStream()
        csv.write_csv(rows.arrow().select(COLUMNS), written, csv.WriteOptions(include_header=False))
        part = written.getvalue()
        self._stream.flush()
        self._stream.buffer.write(part)
        before = self.bytes
        self.count, self.bytes = self.count + len(rows), before + part.size
        if before < LARGE <= self.bytes:
            self._say(
                f"{self._place}: {size(self.bytes)} so far, and more to come. Ctrl+C stops it; --library, "
                "--scheme or limits such as --max-time make it smaller"
            )
