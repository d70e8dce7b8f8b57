"""The sets that an exploration has kept, as the bytes of one row of the store: columns as compressed JSON.

Stores of earlier versions hold a Parquet file in its place, which is still read.
"""

import io
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.extras import need

_PARQUET: Final = b"PAR1"  # how a Parquet file begins and ends
MOST_BYTES: Final = 1 << 30  # of the columns, before they are compressed


def packed(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """The columns, which are equally long; None stands where there is no value."""
    text = json.dumps(dict(columns), separators=(",", ":"))
    return zlib.compress(text.encode())


def packed_rows(rows: Iterable[Json]) -> bytes:
    """The rows, which all have the same names."""
    listed = list(rows)
    return packed({name: [row[name] for row in listed] for name in (listed[0] if listed else ())})


def unpacked(content: bytes) -> list[Json]:
    """The rows in their order. ValueError for what are no kept sets, ExtraMissing for a Parquet file where
    the library that reads it is not installed."""
    if content.startswith(_PARQUET):
        need("arrow", "answers that an earlier version has stored")
        from pyarrow import parquet  # type: ignore[import-untyped]  # this import takes a tenth of a second

        found: list[Json] = parquet.read_table(io.BytesIO(content)).to_pylist()
        return found
    columns = _columns(content)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def check(content: bytes) -> bytes:
    """The content. ValueError where it is neither columns nor a Parquet file."""
    if content.startswith(_PARQUET):
        if len(content) < 3 * len(_PARQUET) or not content.endswith(_PARQUET):
            raise ValueError("its rows are not a whole Parquet file")
    else:
        _columns(content)
    return content


def _columns(content: bytes) -> dict[str, list[Any]]:
    opened = zlib.decompressobj()
    try:
        text = opened.decompress(content, MOST_BYTES)
        found = json.loads(text) if opened.eof else None
    except (zlib.error, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(column, list) for column in found.values()):
        raise ValueError("its rows are not the columns of kept sets")
    if len({len(column) for column in found.values()}) > 1:
        raise ValueError("the columns of its rows are not equally long")
    return found
