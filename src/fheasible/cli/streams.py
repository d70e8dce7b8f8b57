"""Writes rows as they come, so that a million of them need no memory. Files appear whole or not at all."""

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.extras import need

Row = Sequence[Any]  # with a value for each of the names with which its receiver was made


class CsvRows:
    """Rows as CSV: a header and a line per row, with an empty field where there is no value."""

    def __init__(self, stream: TextIO, names: Sequence[str]) -> None:
        self._writer = csv.writer(stream)
        self._writer.writerow(names)

    def write(self, rows: Iterable[Row]) -> None:
        self._writer.writerows([_cell(value) for value in row] for row in rows)


class JsonRows:
    """Rows as one JSON document: the head's fields, `sets` with an object per row, the tail's fields."""

    def __init__(self, stream: TextIO, names: Sequence[str], head: Json) -> None:
        self._stream, self._names, self._first = stream, names, True
        stream.write(json.dumps(head, allow_nan=False)[:-1] + ', "sets": [')

    def write(self, rows: Iterable[Row]) -> None:
        for row in rows:
            told = json.dumps(dict(zip(self._names, row, strict=True)), allow_nan=False)
            self._stream.write(("\n" if self._first else ",\n") + told)
            self._first = False

    def end(self, tail: Json) -> None:
        self._stream.write(
            "\n]" + "".join(f', "{name}": {json.dumps(v)}' for name, v in tail.items()) + "}\n"
        )
        self._stream.flush()


def check(path: Path | None, drawn: bool = False) -> None:
    """Raises UsageError unless a file can be made there, so that this is known before hours of work rather
    than after; ExtraMissing where it is a page or figure that nothing here can draw."""
    if path is not None:
        if drawn:
            need("report", "pages and figures")
        with _told(path):
            if path.is_dir():
                raise IsADirectoryError(None, "it is a folder")
            if path.exists() and not path.is_file():
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            _part(path).touch()
            _part(path).unlink()


@contextmanager
def appearing(path: Path | None) -> Iterator[TextIO]:
    """A text file that has another name until the block has ended well; stdout for None. A path that exists
    and is no regular file (/dev/stdout, a named pipe) is written directly, and not replaced."""
    if path is None:
        yield sys.stdout
        return
    if path.exists() and not path.is_file():
        with _told(path), path.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    part = _part(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("w", encoding="utf-8", newline="") as stream:
                yield stream
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{os.getpid()}.part")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader of stdout has gone
        raise
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(
            f"{path} cannot be written: {path.parent} is no folder", "name a file in another folder"
        ) from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}", "name a file that you may write"
        ) from error


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, dict) else value
