"""What a study executes: experiments, each a list of cells, each cell one parameter set."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.aliases import Json
from fheasible.errors import FheasibleError
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.estimation.profile import Profile
from fheasible.estimation.ring_profile import RingProfile
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.store.store import Store

Profiles = Mapping[
    str, Profile | RingProfile | LookupProfile
]  # by library: the prices that predictions are made with
DONE = ("measured", "wrong")  # outcomes that running again would not change


class NotRun(FheasibleError):
    """Stored results are missing, so that a question about them cannot be answered."""


@dataclass(frozen=True, slots=True)
class StudyCell:
    """One parameter set, made of numbers and words. `quick`: whether a quick run includes it."""

    parameters: Mapping[str, Any]
    quick: bool = True

    @property
    def key(self) -> str:
        """A text that is equal for equal parameters, in whatever order they are given."""
        return json.dumps(dict(self.parameters), sort_keys=True)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.parameters.items())


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """How a cell is executed: `repetitions` times, within `max_memory_bytes` (None: the free memory)."""

    repetitions: int
    max_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted figures of a cell, by their names. `refused` says why there is no such set; it is empty
    where there is one."""

    figures: Mapping[str, Any]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One stored attempt at a cell.

    `measurement` is what the store has of it, None without a result; `figures` are its figures by the names
    that predictions have. `estimate` is what was predicted before the run.
    """

    experiment: str
    number: int
    created: str
    cell: StudyCell
    repetitions: int
    library: str
    outcome: str
    message: str
    environment: Json
    measurement: Json | None
    estimate: Json | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measured(self) -> Json:
        """What was measured; NotRun for an attempt without a result."""
        if self.measurement is None:
            raise NotRun(f"result {self.number} was {self.outcome}: {self.message}")
        return self.measurement

    @property
    def done(self) -> bool:
        return self.outcome in DONE

    @property
    def machine(self) -> str:
        return str(self.environment["machine"])

    @property
    def version(self) -> str:
        return str(self.environment["version"])


class Experiment(ABC):
    """An experiment: its cells, what is predicted for them, and how they are executed.

    What executes cells and where their results are stored depends on the kind: `OwnExperiment` (a function of
    the study), `AppliedExperiment` (a sweep of a library for an application), `OperationExperiment` (single
    operations of a library).
    """

    name: str
    title: str
    repetitions: int
    quick_repetitions: int

    @property
    @abstractmethod
    def cells(self) -> tuple[StudyCell, ...]:
        """All cells, in the order of the report."""

    @abstractmethod
    def efforts(self, cells: Sequence[StudyCell], repetitions: int) -> Sequence[float]:
        """The cost model's figure for each cell at that many repetitions, in seconds or in proportion to
        them; it shares out the remaining time."""

    @abstractmethod
    def predictions(self, profiles: Profiles) -> Mapping[str, Prediction]:
        """What is predicted for every cell, by its key."""

    @abstractmethod
    def stored(self, study: str, store: Store) -> Iterable[ResultRow]:
        """Every stored attempt at one of the cells, on any machine, the newest first."""

    @abstractmethod
    def execute(self, study: str, cell: StudyCell, plan: StudyPlan, store: Store) -> ResultRow:
        """The new row of the cell, once it is stored."""

    def check(self) -> None:  # noqa: B027 - most have nothing to check
        """Raises LibraryMissing where what executes the cells is not installed: no cell is begun then."""

    @property
    def limited(self) -> bool:
        """Whether the cells are executed under a limit on memory."""
        return False

    def chosen(self, quick: bool) -> tuple[StudyCell, ...]:
        """The cells of a quick run or of a whole one."""
        return tuple(cell for cell in self.cells if cell.quick or not quick)

    def repeated(self, quick: bool) -> int:
        return self.quick_repetitions if quick else self.repetitions


def prices_of(profiles: Profiles, library: str) -> Profile | None:
    """The library's prices; None where there are none."""
    found = profiles.get(library)
    return found if isinstance(found, Profile) else None


def same_conditions(at: Json, threads: int, seed: int, memory: MemoryLimit | None) -> bool:
    """Whether a stored environment has those threads, that seed of the data and that limit on memory."""
    limit = None if memory is None else memory.to_json()
    return (at.get("threads"), at.get("seed"), at.get("memory_limit")) == (threads, seed, limit)


def digest(name: str, version: int) -> str:
    """A hash of an experiment's name and version; the store has it in the place of a circuit's digest."""
    return hashlib.sha256(f"{name}/{version}".encode()).hexdigest()
