"""What a study executes: experiments, each a list of cells, each cell one parameter set."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.aliases import Json

DONE = ("measured", "wrong")  # outcomes that running again would not change


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
class ExecutedCells:
    """The result of executing a cell: an outcome as the store names them, and everything measured.

    `measurement` has at least {"cpu_seconds": {phase: {"samples", "min", "median", "mad"}}, "peak_bytes"}; it
    is None where there is no result. `estimate` is what was predicted before.
    """

    library: str
    scheme: str
    outcome: str
    environment: Json
    measurement: Json | None = None
    parameters: Json = field(default_factory=dict)
    estimate: Json | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: its cells, and how they are executed.

    `efforts` is the cost model's figure for each cell at that many repetitions, in any unit that is the same
    within the study; it shares out the remaining time. Raise `version` whenever what `execute` measures
    changes: results are those of one version.
    """

    name: str
    title: str
    version: int
    cells: tuple[StudyCell, ...]
    execute: Callable[[StudyCell, StudyPlan], ExecutedCells]
    efforts: Callable[[Sequence[StudyCell], int], Sequence[float]]
    repetitions: int = 5
    quick_repetitions: int = 2

    def chosen(self, quick: bool) -> tuple[StudyCell, ...]:
        """The cells of a quick run or of a whole one."""
        return tuple(cell for cell in self.cells if cell.quick or not quick)

    def repeated(self, quick: bool) -> int:
        return self.quick_repetitions if quick else self.repetitions

    @property
    def digest(self) -> str:
        """A hash of name and version; the store has it in the place of a circuit's digest."""
        return hashlib.sha256(f"{self.name}/{self.version}".encode()).hexdigest()
