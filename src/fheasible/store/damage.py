"""Finds and names rows that are not as they were stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fheasible.store.documents import Damaged, checksum

NOUNS = {
    "measurements": "result",
    "profiles": "profile",
    "explorations": "exploration",
    "samples": "sample",
    "sampling_jobs": "sampling job",
    "trials": "row of a trial",
    "environments": "environment",
}
CHANGED = "it does not match its checksum: something other than Fheasible has changed it"


@dataclass(frozen=True, slots=True)
class Damage:
    """A row that cannot be used, and why."""

    table: str
    row: int
    reason: str

    def __str__(self) -> str:
        return f"{NOUNS[self.table]} {self.row} is damaged ({self.reason})"


def damage_of(table: str, row: Mapping[str, Any]) -> Damage | None:
    """The damage of a row; None for a row as it was stored.

    Rows of older versions have no checksum, so that only their readability can be checked.
    """
    for name, value in row.items():
        if isinstance(value, Damaged):
            return Damage(table, row["id"], f"its {name}: {value.why}")
    return None if row["checksum"] in (None, checksum_of(row)) else Damage(table, row["id"], CHANGED)


def checksum_of(row: Mapping[str, Any]) -> str:
    """The checksum of all columns but the row's number and the checksum itself."""
    return checksum({name: value for name, value in row.items() if name not in ("id", "checksum")})
