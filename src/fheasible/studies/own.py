"""Experiments whose cells a function of the study executes: ring schemes, for which no library exists."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.aliases import Json
from fheasible.store.rows import Entry, StoredMeasurement
from fheasible.store.store import Store
from fheasible.studies.experiment import (
    Experiment,
    Prediction,
    Profiles,
    ResultRow,
    StudyCell,
    StudyPlan,
    digest,
)


@dataclass(frozen=True, slots=True)
class ExecutedCell:
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


def _nothing(cells: Sequence[StudyCell], profiles: Profiles) -> Sequence[Prediction]:
    return [Prediction({}) for _ in cells]


def _no_figures(measurement: Json) -> Mapping[str, Any]:
    return {}


def _ready() -> None:
    pass


@dataclass(frozen=True)
class OwnExperiment(Experiment):
    """An experiment whose cells are executed by `run`.

    `effort` gives rough seconds for each cell at that many repetitions, `predict` the figures of the model,
    `figures` those of a measurement by the same names. `ready` raises where cells cannot be executed.
    Raise `version` whenever what `run` measures changes: results are those of one version.
    """

    name: str
    title: str
    version: int
    all_cells: tuple[StudyCell, ...]
    run: Callable[[StudyCell, StudyPlan], ExecutedCell]
    effort: Callable[[Sequence[StudyCell], int], Sequence[float]]
    repetitions: int = 5
    quick_repetitions: int = 2
    predict: Callable[[Sequence[StudyCell], Profiles], Sequence[Prediction]] = _nothing
    figures: Callable[[Json], Mapping[str, Any]] = _no_figures
    ready: Callable[[], None] = _ready
    under_limits: bool = False  # whether memory is limited

    @property
    def limited(self) -> bool:
        return self.under_limits

    @property
    def cells(self) -> tuple[StudyCell, ...]:
        return self.all_cells

    def check(self) -> None:
        self.ready()

    def efforts(self, cells: Sequence[StudyCell], repetitions: int) -> Sequence[float]:
        return self.effort(cells, repetitions)

    def predictions(self, profiles: Profiles) -> Mapping[str, Prediction]:
        cells = self.all_cells
        return {c.key: p for c, p in zip(cells, self.predict(cells, profiles), strict=True)}

    def stored(self, study: str, store: Store) -> Iterable[ResultRow]:
        rows = store.measurements(app=_app(study), circuit=digest(self.name, self.version))
        return [self._row(row) for row in rows]

    def execute(self, study: str, cell: StudyCell, plan: StudyPlan, store: Store) -> ResultRow:
        executed = self.run(cell, plan)
        number = store.add_measurement(self._entry(study, cell, plan, executed), executed.environment)
        return self._row(store.show(number))

    def _entry(self, study: str, cell: StudyCell, plan: StudyPlan, executed: ExecutedCell) -> Entry:
        request = {
            "study": study,
            "experiment": self.name,
            "version": self.version,
            "cell": dict(cell.parameters),
            "repetitions": plan.repetitions,
        }
        return Entry(
            app=_app(study),
            circuit=digest(self.name, self.version),
            library=executed.library,
            scheme=executed.scheme,
            request=request,
            parameters=executed.parameters,
            outcome=executed.outcome,
            estimate=executed.estimate,
            measurement=executed.measurement,
            message=executed.message,
        )

    def _row(self, m: StoredMeasurement) -> ResultRow:
        e = m.entry
        return ResultRow(
            self.name, m.id, m.created, StudyCell(e.request["cell"]), int(e.request["repetitions"]),
            e.library, e.outcome, e.message, m.environment, e.measurement, e.estimate,
            self.figures(e.measurement) if e.measurement else {},
        )  # fmt: skip


def _app(study: str) -> str:
    return f"study {study}"
