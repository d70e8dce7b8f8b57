"""Rows as CSV and documents as JSON, written whole and read back as they were."""

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO
from numbers import Integral
from pathlib import Path
from typing import Any

from fheasible.errors import DataError, UsageError
from fheasible.reports import files

Cell = str | float | bool | None
_WORDS: dict[str, Cell] = {"": None, "true": True, "false": False}


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Writes a header and a line for each row, in UTF-8 and in the form of RFC 4180. None becomes an empty
    field, and a number has all its digits. UsageError where the file cannot be written, or where a row has
    too many or too few cells."""
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        if len(row) != len(columns):
            remedy = f"Give a cell for each of {', '.join(columns)}; or None where there is no value."
            raise UsageError(f"a row has {len(row)} cells, but the table has {len(columns)} columns", remedy)
        writer.writerow([_field(cell) for cell in row])
    files.write(path, text.getvalue().encode())


def read_csv(path: Path) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """(columns, rows) of a file that `write_csv` wrote. Because CSV has no types, a field that reads as a
    number becomes a number, 'true' and 'false' become bool, and an empty field becomes None. DataError where
    the file cannot be read."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:  # spreadsheets write a BOM first
            lines = list(csv.reader(file, strict=True))
    except (OSError, ValueError, csv.Error) as error:  # ValueError: not UTF-8
        raise DataError(f"{path} cannot be read as CSV: {error}", "Write the file again.") from error
    if not lines:
        raise DataError(f"{path} is empty", "Name the columns in the first line.")
    columns, *rows = lines
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            message = f"{path}: row {number} has {len(row)} cells, but there are {len(columns)} columns"
            raise DataError(message, "Write the file again.")
    return tuple(columns), [tuple(map(_cell, row)) for row in rows]


def write_json(path: Path, document: Any) -> None:
    """Writes the document in UTF-8 with indentation. UsageError where the file cannot be written, or where a
    number is not finite, which JSON cannot express."""
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        remedy = "Write null for a value that does not exist."
        raise UsageError(f"{path} cannot be written as JSON: {error}", remedy) from error
    files.write(path, f"{text}\n".encode())


def read_json(path: Path) -> Any:
    """The document that `write_json` wrote, with lists in place of tuples. DataError where the file cannot be
    read."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as JSON: {error}", "Write the file again.") from error


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Integral):
        return str(int(cell))
    return repr(float(cell))  # the fewest digits that read back as the same number


def _cell(field: str) -> Cell:
    if field in _WORDS:
        return _WORDS[field]
    kinds: tuple[type[float], ...] = (int, float)
    for kind in kinds:
        try:
            value = kind(field)
        except ValueError:
            continue
        if _field(value) == field:  # so that '007' and '1_000' remain text
            return value
    return field
