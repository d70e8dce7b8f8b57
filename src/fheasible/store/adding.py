"""Adds single rows, each with its checksum, within a transaction."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert

from fheasible.errors import StoreError
from fheasible.store.damage import checksum_of
from fheasible.store.rows import plain
from fheasible.store.schema import OUTCOMES, environments

CIRCUMSTANCES = (
    "machine",
    "cpu",
    "flags",
    "library",
    "version",
    "build",
    "threads",
    "load_before",
    "commit",
    "seed",
)
"""The facts that the environment of a measurement must have; the value None means unknown."""


def check_run(outcome: str, environment: Mapping[str, Any]) -> None:
    """Raises StoreError for an outcome that does not exist, or an environment that lacks a circumstance."""
    if outcome not in OUTCOMES:
        raise StoreError(f"there is no outcome {outcome!r}", f"choose one of {', '.join(OUTCOMES)}")
    missing = [name for name in CIRCUMSTANCES if name not in environment]
    if missing or not environment["machine"]:
        raise StoreError(
            f"a measurement needs its environment, which lacks {', '.join(missing) or 'machine'}"
        )


def check_machine(environment: Mapping[str, Any]) -> None:
    """Raises StoreError where the environment names no machine.

    Predictions need no more circumstances, because nothing was run.
    """
    if not environment.get("machine"):
        raise StoreError("an exploration needs its environment, which lacks machine")


def insert_row(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    """The number of the new row, which is stored with its checksum. Columns that it lacks are NULL."""
    whole = {c.name: row.get(c.name) for c in table.columns if c.name not in ("id", "checksum")}
    told = whole | {"checksum": checksum_of(whole)}
    return int(connection.execute(insert(table).values(told)).inserted_primary_key[0])  # type: ignore[index]


def add_environment(connection: Connection, environment: Mapping[str, Any]) -> int:
    return insert_row(
        connection, environments, {"machine": environment["machine"], "content": plain(environment)}
    )
