"""The stored results of a study: for each cell of its experiments, the best result of one machine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.errors import FheasibleError
from fheasible.store.rows import Entry, StoredMeasurement
from fheasible.store.store import Store
from fheasible.studies.experiment import DONE, ExecutedCells, Experiment, StudyCell, StudyPlan


class NotRun(FheasibleError):
    """Stored results are missing, so that a question about them cannot be answered."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One stored attempt at a cell."""

    number: int
    created: str
    cell: StudyCell
    repetitions: int
    entry: Entry
    environment: Json

    @property
    def measured(self) -> Json:
        """What was measured; NotRun for an attempt without a result."""
        if self.entry.measurement is None:
            raise NotRun(f"result {self.number} was {self.entry.outcome}: {self.entry.message}")
        return self.entry.measurement

    @property
    def done(self) -> bool:
        return self.entry.outcome in DONE


@dataclass(frozen=True, slots=True)
class Results:
    """The best row of every executed cell, by experiment and cell key, all of one machine."""

    study: str
    machine: str
    rows: Mapping[str, Mapping[str, ResultRow]]

    def of(self, experiment: Experiment) -> tuple[ResultRow, ...]:
        """The cells that have a result, in the experiment's order."""
        there = self.rows.get(experiment.name, {})
        return tuple(there[c.key] for c in experiment.cells if c.key in there and there[c.key].done)

    def row(self, experiment: Experiment, cell: StudyCell) -> ResultRow | None:
        """The best attempt at that cell, with a result or without."""
        return self.rows.get(experiment.name, {}).get(cell.key)

    def needed(self, experiment: Experiment) -> tuple[ResultRow, ...]:
        """The cells that have a result, in the experiment's order.

        NotRun unless every cell of a quick run was attempted and two cells (or the only one) gave a result.
        """
        there = self.rows.get(experiment.name, {})
        lacking = sum(cell.key not in there for cell in experiment.chosen(quick=True))
        found = self.of(experiment)
        if lacking or len(found) < min(2, len(experiment.cells)):
            remedy = f"fheasible study run {self.study} --quick --only {experiment.name}"
            raise NotRun(f"{experiment.name} has not been run yet ({lacking} sets are missing)", remedy)
        return found


def load(store: Store, study: str, experiments: Sequence[Experiment], here: str) -> Results:
    """The stored results of the study from the machine with the fingerprint `here`.

    Where that machine has none, they are those of the machine that was measured last. Results of other
    versions of an experiment are left out.
    """
    rows = [row for row in _rows(store.measurements(app=_app(study))) if _current(row, experiments)]
    machine = here if any(_machine(row) == here for row in rows) or not rows else _machine(rows[0])
    best: dict[str, dict[str, ResultRow]] = {}
    for row in rows:  # the newest first
        kept = best.setdefault(row.entry.request["experiment"], {})
        if _machine(row) == machine and (row.cell.key not in kept or _better(row, kept[row.cell.key])):
            kept[row.cell.key] = row
    return Results(study, machine, best)


def append(
    store: Store,
    study: str,
    experiment: Experiment,
    cell: StudyCell,
    plan: StudyPlan,
    executed: ExecutedCells,
) -> ResultRow:
    """The new row, once it is stored."""
    request = {
        "study": study,
        "experiment": experiment.name,
        "version": experiment.version,
        "cell": dict(cell.parameters),
        "repetitions": plan.repetitions,
    }
    entry = Entry(
        app=_app(study),
        circuit=experiment.digest,
        library=executed.library,
        scheme=executed.scheme,
        request=request,
        parameters=executed.parameters,
        outcome=executed.outcome,
        estimate=executed.estimate,
        measurement=executed.measurement,
        message=executed.message,
    )
    return _row(store.show(store.add_measurement(entry, executed.environment)))


def _app(study: str) -> str:
    return f"study {study}"


def _rows(stored: Iterable[StoredMeasurement]) -> list[ResultRow]:
    return [_row(m) for m in stored]


def _row(m: StoredMeasurement) -> ResultRow:
    request = m.entry.request
    cell = StudyCell(request["cell"])
    return ResultRow(m.id, m.created, cell, int(request["repetitions"]), m.entry, m.environment)


def _machine(row: ResultRow) -> str:
    return str(row.environment["machine"])


def _current(row: ResultRow, experiments: Sequence[Experiment]) -> bool:
    return any(row.entry.circuit == e.digest for e in experiments)


def _better(row: ResultRow, kept: ResultRow) -> bool:
    """Whether `row` is better than the newer `kept`: a result counts first, then the repetitions."""
    return (row.done, row.repetitions) > (kept.done, kept.repetitions)
