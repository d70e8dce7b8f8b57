"""Takes the rows of an export into a store, each once, however often it is imported."""

import binascii
import io
import zipfile
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, String, Table, select
from sqlalchemy.types import Integer

from fheasible.aliases import Json
from fheasible.errors import StoreError
from fheasible.store import contents, kept_rows
from fheasible.store.adding import add_environment, check_machine, check_run, insert_row
from fheasible.store.damage import checksum_of, damage_of
from fheasible.store.exporting import Parts, row_lines
from fheasible.store.kinds import OF_JOB, TABLES, is_binary, own_columns
from fheasible.store.lines import PART, ExportLine, refuse
from fheasible.store.schema import jobs

Read = Callable[[str, Sequence[int]], Iterable[Parts]]  # the sound rows of a kind with those numbers
_PARTS = {
    "samples": ("environment", "job"),
    "explorations": ("environment", "content", "rows"),
    "profiles": (),
}
_LARGEST = 2**63  # numbers of columns are smaller
_MOST_BYTES = 2**30  # of one run's samples


@dataclass(slots=True)
class Taken:
    """How many rows of a kind were added, and how many were there before."""

    added: int = 0
    known: int = 0


def take_in(
    connection: Connection, lines: Iterable[tuple[int, ExportLine]], place: str, read: Read
) -> dict[str, Taken]:
    """How many rows were added by kind. Raises StoreError, which names the line, for a line that cannot be
    one of ours; the transaction is then to be given up."""
    into = _Into(connection, read)
    for number, line in lines:
        try:
            into.take(line)
        except ValueError as error:
            refuse(place, number, str(error))
        except StoreError as error:
            refuse(place, number, error.message)
    return into.taken


class _Into:
    """The store, while lines are taken into it."""

    def __init__(self, connection: Connection, read: Read) -> None:
        self._connection, self._read = connection, read
        self._parts: dict[str, Any] = {}
        self._rows: dict[tuple[str, str], int] = {}  # numbers of rows that parts have become
        self._places: dict[str, dict[str, list[int]]] = {}  # by kind and time, the numbers of stored rows
        self._stored: dict[tuple[str, str], Counter[str]] = {}  # by kind and time, their lines' checksums
        self.taken: dict[str, Taken] = {}

    def take(self, line: ExportLine) -> None:
        if line.kind == PART:
            self._parts[line.checksum] = line.fields.get("value")
            return
        if line.kind not in TABLES:
            raise ValueError(f"there is no kind of rows {line.kind!r}")
        row = _row(line, self._parts)
        counted = self.taken.setdefault(line.kind, Taken())
        if self._is_known(line):
            counted.known += 1
        else:
            self._add(line, row)
            counted.added += 1

    def _is_known(self, line: ExportLine) -> bool:
        """Whether the row is stored. Of rows that are alike in everything, each counts once."""
        kind, created = line.kind, line.fields["created"]
        if kind not in self._places:
            self._places[kind] = self._placed(TABLES[kind][0])
        if (kind, created) not in self._stored:
            numbers = self._places[kind].get(created, [])
            self._stored[kind, created] = self._checksums(kind, numbers)
        there = self._stored[kind, created]
        there[line.checksum] -= 1
        return there[line.checksum] >= 0

    def _placed(self, table: Table) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, created in self._connection.execute(select(table.c.id, table.c.created)):
            found.setdefault(created, []).append(number)
        return found

    def _checksums(self, kind: str, numbers: list[int]) -> Counter[str]:
        rows = self._read(kind, numbers) if numbers else ()
        return Counter(row_lines(kind, parts)[-1].checksum for parts in rows)

    def _add(self, line: ExportLine, row: Json) -> None:
        names = line.fields
        if "environment" in row:
            row["environment_id"] = self._once("environment", names["environment"], self._environment)
        if "job" in row:
            row["job_id"] = self._once("job", names["job"], self._job)
        if line.kind == "explorations":
            row |= contents.shared(self._connection, row["content"] | row["own"], row["rows"])
        insert_row(self._connection, TABLES[line.kind][0], row)

    def _once(self, name: str, checksum: str, add: Callable[[Any], int]) -> int:
        """The number of the row that a part has become; it is added for the first row that names it."""
        if (name, checksum) not in self._rows:
            self._rows[name, checksum] = add(self._parts[checksum])
        return self._rows[name, checksum]

    def _environment(self, value: Json) -> int:
        return add_environment(self._connection, value)

    def _job(self, value: Json) -> int:
        """The number of the row that says exactly the same about what was run; it may be stored already."""
        told = select(jobs).where(jobs.c.key == value["key"], jobs.c.checksum == checksum_of(value))
        for known in self._connection.execute(told):
            if damage_of(jobs.name, dict(known._mapping)) is None:
                return int(known.id)
        return insert_row(self._connection, jobs, value)


def _row(line: ExportLine, parts: Json) -> Json:
    """The columns of the row, with its parts by name. ValueError for what no store would hold."""
    table, wanted = TABLES[line.kind][0], _PARTS.get(line.kind, ("environment",))
    columns = [c for c in own_columns(table) if c.name not in wanted]
    more = ("own",) if line.kind == "explorations" else ()
    if {*line.fields} - {"checksum"} != {*wanted, *more, *(c.name for c in columns)}:
        raise ValueError(f"this line does not have the fields of {line.kind}")
    row = {c.name: _value(c, line.fields[c.name]) for c in columns}
    row |= {name: _document(name, line.fields[name]) for name in more}
    for name in wanted:
        if _text(name, line.fields[name]) not in parts:
            raise ValueError(f"no line before this one has its {name}")
        row[name] = parts[line.fields[name]]
    datetime.fromisoformat(row["created"])
    _PROOFS[line.kind](row)
    return row


def _value(column: Column[Any], value: Any) -> Any:
    if value is None and column.nullable:
        return None
    if is_binary(column):
        return _samples(_bytes(column.name, value))
    if isinstance(column.type, String):
        return _text(column.name, value)
    if isinstance(column.type, Integer):
        return _count(column.name, value)
    return _document(column.name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"its {name} is not a text")
    return value


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _LARGEST:
        raise ValueError(f"its {name} is not a whole number")
    return value


def _document(name: str, value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError(f"its {name} is not a JSON object")
    return value


def _bytes(name: str, value: Any) -> bytes:
    try:
        return b64decode(_text(name, value), validate=True)
    except binascii.Error:
        raise ValueError(f"its {name} are not in base 64") from None


def _samples(content: bytes) -> bytes:
    """The content, if it is an .npz file of numbers alone. Such a file could also hold Python objects, whose
    reading would run code."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(member.file_size for member in packed.infolist()) > _MOST_BYTES:
                raise ValueError("its arrays are too large")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            for name in arrays.files:
                if not isinstance(arrays[name], np.ndarray):
                    raise ValueError(f"its array {name} is none")
    except (zipfile.BadZipFile, EOFError, OSError):
        raise ValueError("its arrays are not an .npz file") from None
    return content


def _environment(row: Json) -> Json:
    found = _document("environment", row["environment"])
    _text("machine", found.get("machine"))
    return found


def _prove_run(row: Json) -> None:
    check_run(row["outcome"], _environment(row))


def _prove_sample(row: Json) -> None:
    _prove_run(row)
    job = _document("job", row["job"])
    if {*job} != {*OF_JOB}:
        raise ValueError(f"its job does not have the fields {', '.join(OF_JOB)}")
    for name in ("key", "library", "scheme"):
        _text(name, job[name])
    _document("content", job["content"])


def _prove_exploration(row: Json) -> None:
    check_machine(_environment(row))
    row["content"] = _document("content", row["content"])
    row["rows"] = kept_rows.check(_bytes("rows", row["rows"]))


def _prove_trial(row: Json) -> None:
    check_machine(_environment(row))


def _prove_nothing(_: Json) -> None:
    """The types of a profile's columns are all that can be checked here."""


_PROOFS = {
    "measurements": _prove_run,
    "samples": _prove_sample,
    "profiles": _prove_nothing,
    "explorations": _prove_exploration,
    "trials": _prove_trial,
}
