"""What a study executes: experiments, each a list of cells, each cell one parameter set."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

DONE = ("measured", "wrong")  # outcomes that running again would not change


@dataclass(frozen=True, slots=True)
class Cell:
    """One parameter set; `quick`: whether a quick run has it too. Parameters are numbers and words."""

    parameters: Mapping[str, Any]
    quick: bool = True

    @property
    def key(self) -> str:
        """The same for the same parameters, in whatever order they stand."""
        return json.dumps(dict(self.parameters), sort_keys=True)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.parameters.items())


@dataclass(frozen=True, slots=True)
class Plan:
    """How a cell is executed: `repetitions` samples, and within `max_memory_bytes` (None: what is free)."""

    repetitions: int
    max_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of a cell: an outcome as the store names them, and everything measured.

    `measurement` has {"cpu_seconds": {phase: {"samples", "min", "median", "mad"}}, "peak_bytes"} at least; it
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
    """`efforts` is the cost model's figure for each cell at so many repetitions, in any one unit within the
    study: it shares out the remaining time. Raise `version` whenever what `execute` measures changes: results
    are those of one version."""

    name: str
    title: str
    version: int
    cells: tuple[Cell, ...]
    execute: Callable[[Cell, Plan], Executed]
    efforts: Callable[[Sequence[Cell], int], Sequence[float]]
    repetitions: int = 5
    quick_repetitions: int = 2

    def chosen(self, quick: bool) -> tuple[Cell, ...]:
        """The cells of a quick or of a whole run."""
        return tuple(cell for cell in self.cells if cell.quick or not quick)

    def repeated(self, quick: bool) -> int:
        return self.quick_repetitions if quick else self.repetitions

    @property
    def digest(self) -> str:
        """What stands in the store in a circuit's place: name and version."""
        return hashlib.sha256(f"{self.name}/{self.version}".encode()).hexdigest()
