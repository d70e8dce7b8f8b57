"""Turns rows of the store into the lines of an export."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fheasible.aliases import Json
from fheasible.store.contents import OWN
from fheasible.store.kinds import OF_JOB, TABLES, is_binary, own_columns
from fheasible.store.lines import PART, ExportLine, line

Parts = Mapping[str, Mapping[str, Any]]  # one row that was read, by table, then by column


def lines_of(rows: Iterable[tuple[str, Parts]]) -> Iterator[ExportLine]:
    """The lines of rows, each given with its kind. A part that rows share comes once, before the first."""
    known: set[str] = set()
    for kind, parts in rows:
        *shared, own = row_lines(kind, parts)
        for part in shared:
            if part.checksum not in known:
                known.add(part.checksum)
                yield part
        yield own


def row_lines(kind: str, parts: Parts) -> list[ExportLine]:
    """The lines of one row: the parts that it may share with others, then the row itself."""
    table, *_ = TABLES[kind]
    own = {c.name: _plain(parts[table.name][c.name], is_binary(c)) for c in own_columns(table)}
    shared = dict(_shared(kind, own, parts))
    told = {name: line(PART, {"value": value}) for name, value in shared.items()}
    named = {name: part.checksum for name, part in told.items()}
    return [*told.values(), line(kind, own | named, _facts(own, shared))]


def _plain(value: Any, binary: bool) -> Any:
    return b64encode(value).decode() if binary and value is not None else value


def _shared(kind: str, own: Json, parts: Parts) -> Iterator[tuple[str, Any]]:
    """(name, value) of what rows may have in common; of an exploration it is taken out of `own`."""
    if "environments" in parts:
        yield "environment", parts["environments"]["content"]
    if "sampling_jobs" in parts:
        yield "job", {name: parts["sampling_jobs"][name] for name in OF_JOB}
    if kind == "explorations":
        content = own.pop("content")
        own["own"] = {name: content[name] for name in OWN if name in content}
        yield "content", {name: value for name, value in content.items() if name not in OWN}
        yield "rows", own.pop("rows")


def _facts(own: Json, shared: Json) -> Json:
    """What the columns of a Parquet file say about a row."""
    environment, job = shared.get("environment", {}), shared.get("job", {})
    return {
        "created": own["created"],
        "machine": own.get("machine") or environment.get("machine"),
        "library": own.get("library") or job.get("library"),
        "version": own.get("version") or environment.get("version"),
        "scheme": own.get("scheme") or job.get("scheme"),
        "application": own.get("app") or own.get("trial"),
        "outcome": own.get("outcome"),
    }
