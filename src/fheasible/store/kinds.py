"""The kinds of rows that are exported, and the tables that each is read from."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import Column, LargeBinary, Table

from fheasible.errors import UsageError
from fheasible.store.schema import environments, explorations, jobs, measurements, profiles, samples, trials

TABLES: Mapping[str, tuple[Table, ...]] = MappingProxyType(
    {
        "measurements": (measurements, environments),
        "samples": (samples, jobs, environments),
        "profiles": (profiles,),
        "explorations": (explorations, environments),
        "trials": (trials, environments),
    }
)
"""The kinds in the order in which they are exported, each with its own table first."""

OF_JOB = ("key", "library", "scheme", "content")  # the columns that say what was run


def kinds_of(names: Sequence[str] | None) -> list[str]:
    """Those kinds in the order of `TABLES`; all where none is named. UsageError for another name."""
    for name in names or ():
        if name not in TABLES:
            raise UsageError(f"there is no kind of rows {name!r}", f"choose among {', '.join(TABLES)}")
    return [kind for kind in TABLES if not names or kind in names]


def own_columns(table: Table) -> list[Column[object]]:
    """The columns that hold values of the row itself: neither numbers of rows nor the checksum."""
    return [c for c in table.columns if c.name not in ("id", "checksum") and not c.foreign_keys]


def is_binary(column: Column[object]) -> bool:
    return isinstance(column.type, LargeBinary)
