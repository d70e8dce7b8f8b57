"""The rows that are put into the store, and those that come out of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fheasible.aliases import Json


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempt to run an application: the request, the prediction and the outcome.

    `outcome` is one of schema.OUTCOMES; `measurement` is None where the run had no result.
    """

    app: str
    circuit: str  # the digest of the circuit
    library: str
    scheme: str
    request: Json
    parameters: Json
    outcome: str
    estimate: Json | None = None
    measurement: Json | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class StoredMeasurement:
    """An entry with its number, its time (UTC, ISO 8601) and its circumstances."""

    id: int
    created: str
    entry: Entry
    environment: Json


@dataclass(frozen=True, slots=True)
class StoredProfile:
    id: int
    created: str
    machine: str
    library: str
    version: str
    threads: int
    content: Json


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a sampling campaign. `content` says what was run; it is stored once for all runs of `key`.

    `number` is the pass and `position` the place in the pass. `figures` and `arrays` (a compressed .npz file)
    are None where the run had no result; `found` is what the check of its outputs found.
    """

    campaign: str
    key: str
    library: str
    scheme: str
    content: Json
    number: int
    position: int
    outcome: str
    message: str = ""
    figures: Json | None = None
    found: Json | None = None
    arrays: bytes | None = None


@dataclass(frozen=True, slots=True)
class StoredSample:
    """A sample with its number, its time (UTC, ISO 8601) and its circumstances."""

    id: int
    created: str
    sample: Sample
    environment: Json


@dataclass(frozen=True, slots=True)
class Explored:
    """The answer to one exploration: the wish, the answer, and the sets that were kept.

    `content` is for reports; `rows` are the kept sets (`kept_rows.py`).
    """

    app: str
    circuit: str  # the digest of the circuit
    wish: Json
    content: Json
    rows: bytes


@dataclass(frozen=True, slots=True)
class StoredExploration:
    """An exploration with its number, its time (UTC, ISO 8601) and its circumstances."""

    id: int
    created: str
    explored: Explored
    environment: Json


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """The result of one application of a trial, by its number, with its time (UTC, ISO 8601)."""

    id: int
    created: str
    trial: str
    number: int
    content: Json
    environment: Json


def plain(value: Any) -> Any:
    """`value` as JSON has it.

    Tuples and sets become lists, numpy's numbers become Python's, and NaN and infinities become None.
    """
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
