"""Files that hold the lines of an export: as text, or in the column `line` of a Parquet file."""

import io
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from fheasible.errors import StoreError
from fheasible.extras import need
from fheasible.store.lines import LONGEST_HEADER, ExportLine

FACTS = ("created", "machine", "library", "version", "scheme", "application", "outcome")
_PARQUET, _MAGIC = ".parquet", b"PAR1"
_AT_ONCE = 256  # lines in a group of rows
_REMEDY = "name a file that fheasible export has written"


def is_parquet(path: Path) -> bool:
    """Whether a file of that name is to be written as Parquet."""
    return path.suffix.lower() == _PARQUET


def parquet_of(lines: Iterable[ExportLine]) -> bytes:
    """A Parquet file with a row for each line. The columns before `line` say what the line is about."""
    need("arrow", "Parquet files")
    import pyarrow as pa  # type: ignore[import-untyped]  # few exports need it
    from pyarrow import parquet

    schema = pa.schema([(name, pa.string()) for name in ("kind", *FACTS, "line")])
    made = io.BytesIO()
    with parquet.ParquetWriter(made, schema, compression="zstd") as writer:
        rest = iter(lines)
        while some := list(islice(rest, _AT_ONCE)):
            rows = [{"kind": each.kind, **each.facts, "line": each.text} for each in some]
            writer.write_table(pa.Table.from_pylist(rows, schema))
    return made.getvalue()


def export_texts(path: Path) -> Iterator[str]:
    """The lines of a file as text, without being checked. StoreError where the file cannot be read."""
    try:
        yield from _of_parquet(path) if _starts(path) == _MAGIC else _of_text(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}", _REMEDY) from error


def is_export(path: Path) -> bool:
    """Whether the file looks like an export: a Parquet file, or one that begins as JSON lines do."""
    start = _starts(path)
    return start == _MAGIC or start.startswith(b"{")


def _starts(path: Path) -> bytes:
    """The first bytes of a regular file; nothing of a pipe, which can be read once only."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(len(_MAGIC))


def _of_text(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield file.readline(LONGEST_HEADER).rstrip("\n")
        for line in file:
            yield line.rstrip("\n")


def _of_parquet(path: Path) -> Iterator[str]:
    need("arrow", "Parquet files")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_AT_ONCE, columns=["line"]):
                yield from map(str, batch.column("line").to_pylist())
    except (pa.ArrowException, KeyError, IndexError) as error:
        raise StoreError(f"{path} is not a whole Parquet file of an export: {error}", _REMEDY) from error
