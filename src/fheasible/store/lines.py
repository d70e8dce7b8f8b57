"""The lines of an export: JSON objects, each with a checksum.

The first line is the header, with the version of this form. Then come the rows of the store. A value that
several rows share is a line of kind "part" before the first of them, and the rows name it by its checksum.
The last line tells how many lines there are, so that a file that was cut off is known as such.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from fheasible.aliases import Json
from fheasible.errors import StoreError
from fheasible.store.documents import digest

VERSION = 1  # of this form; it rises when an older Fheasible could no longer read it
HEADER, PART, END = "fheasible export", "part", "end"
LONGEST_HEADER = 200  # letters
_BEFORE_CHECKSUM, _BEHIND_CHECKSUM = ',"checksum":"', '"}'
_DIGITS = 32  # of a checksum
_TAIL = len(_BEFORE_CHECKSUM) + _DIGITS + len(_BEHIND_CHECKSUM)
_UNCHANGED = "nothing was imported"


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One line. `facts` say in a few words what a row is about; they are not part of the line."""

    kind: str
    fields: Json
    text: str  # without the end of the line
    facts: Json = field(default_factory=dict)

    @property
    def checksum(self) -> str:
        return self.text[-_DIGITS - len(_BEHIND_CHECKSUM) : -len(_BEHIND_CHECKSUM)]


def line(kind: str, fields: Json, facts: Json | None = None) -> ExportLine:
    """The line of that kind with those fields."""
    own = json.dumps({"kind": kind, **fields}, separators=(",", ":"), allow_nan=False)
    text = own[:-1] + _BEFORE_CHECKSUM + digest(own.encode()) + _BEHIND_CHECKSUM
    return ExportLine(kind, fields, text, facts or {})


def whole(rows: Iterable[ExportLine]) -> Iterator[ExportLine]:
    """The rows and parts with a header before them and an end behind them."""
    yield line(HEADER, {"version": VERSION})
    count = 1
    for row in rows:
        count += 1
        yield row
    yield line(END, {"lines": count + 1})


def checked(texts: Iterable[str], place: str) -> Iterator[tuple[int, ExportLine]]:
    """The lines between header and end, each with its number in the file, from 1.

    Raises StoreError where a line is not as it was written, is missing, or is of a later version.
    """
    number, ended = 0, False
    for number, text in enumerate(texts, 1):
        if ended:
            refuse(place, number, "there is something behind the end")
        found = _first(text, place) if number == 1 else _parsed(text, place, number)
        ended = found.kind == END
        if ended and found.fields.get("lines") != number:
            refuse(place, number, f"the file had {found.fields.get('lines')} lines when it was written")
        if not ended and number > 1:
            yield number, found
    if not number:
        _no_export(place)
    if not ended:
        refuse(place, number + 1, "the file ends before its last line: it was cut off")


def refuse(place: str, number: int, reason: str) -> NoReturn:
    """Raises StoreError about that line of the file."""
    raise StoreError(f"{place}, line {number}: {reason}", f"export it again, or copy it again; {_UNCHANGED}")


def _first(text: str, place: str) -> ExportLine:
    try:
        found = _read(text)
    except ValueError:
        _no_export(place)
    version = found.fields.get("version")
    if found.kind != HEADER or not isinstance(version, int):
        _no_export(place)
    if version > VERSION:
        raise StoreError(
            f"{place}, line 1: this is an export of version {version}, but this Fheasible reads only up to "
            f"{VERSION}",
            f"import it with the Fheasible that wrote it, or a newer one; {_UNCHANGED}",
        )
    return found


def _no_export(place: str) -> NoReturn:
    raise StoreError(
        f"{place} is not an export of Fheasible: line 1 is not the header of one",
        f"fheasible export --out FILE writes one; {_UNCHANGED}",
    )


def _parsed(text: str, place: str, number: int) -> ExportLine:
    try:
        return _read(text)
    except ValueError as error:
        refuse(place, number, str(error))


def _read(text: str) -> ExportLine:
    """The line that was written as this text. ValueError where it was written otherwise."""
    own, tail = text[:-_TAIL] + "}", text[-_TAIL:]
    if not (tail.startswith(_BEFORE_CHECKSUM) and tail.endswith(_BEHIND_CHECKSUM)):
        raise ValueError("this line has no checksum: it is not whole")
    if digest(own.encode(errors="replace")) != tail[len(_BEFORE_CHECKSUM) : -len(_BEHIND_CHECKSUM)]:
        raise ValueError("this line does not match its checksum: it was changed after it was written")
    try:
        fields = json.loads(own, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("this line is nested too deeply") from None
    if not isinstance(fields, dict) or not isinstance(kind := fields.pop("kind", None), str):
        raise ValueError("this line is not an object with a kind")
    return ExportLine(kind, fields, text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
