"""The stored results of a study beside its predictions: for each cell, the best result of one machine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.store.store import Store
from fheasible.studies.experiment import Experiment, NotRun, Prediction, Profiles, ResultRow, StudyCell

Rows = Mapping[str, Mapping[str, ResultRow]]  # the best row of a cell, by experiment and cell key


@dataclass(frozen=True, slots=True)
class Beside:
    """A cell with what is predicted and what was measured; `row` is None where it was not run."""

    cell: StudyCell
    prediction: Prediction
    row: ResultRow | None

    def predicted(self, figure: str) -> Any:
        """The predicted figure; None where there is none."""
        return self.prediction.figures.get(figure)

    def measured(self, figure: str) -> Any:
        """The measured figure; None where there is none."""
        return self.row.figures.get(figure) if self.row is not None and self.row.done else None

    def either(self, figure: str) -> Any:
        """The measured figure, or else the predicted one."""
        seen = self.measured(figure)
        return self.predicted(figure) if seen is None else seen

    def error(self, figure: str) -> float | None:
        """(predicted - measured) / measured; None where one of them is not known."""
        told, seen = self.predicted(figure), self.measured(figure)
        return told / seen - 1 if told is not None and seen else None

    def has(self, **settings: Any) -> bool:
        """Whether the cell has those settings."""
        return all(self.cell.parameters.get(name) == value for name, value in settings.items())


@dataclass(frozen=True, slots=True)
class Source:
    """A machine with a version of a library, and the best rows that it gave."""

    machine: str
    processor: str
    library: str
    version: str
    rows: Rows

    def __str__(self) -> str:
        return f"{self.library} {self.version} on {self.processor} (machine {self.machine})"


@dataclass(frozen=True, slots=True)
class Results:
    """The best row of every executed cell on one machine, and what is predicted for it.

    `others` are the same of every other machine, and of other versions of a library on this one.
    """

    study: str
    machine: str
    rows: Rows
    profiles: Profiles = field(default_factory=dict)
    others: tuple[Source, ...] = ()
    _predicted: dict[str, Mapping[str, Prediction]] = field(default_factory=dict)

    def of(self, experiment: Experiment) -> tuple[ResultRow, ...]:
        """The cells that have a result, in the experiment's order."""
        there = self.rows.get(experiment.name, {})
        return tuple(there[c.key] for c in experiment.cells if c.key in there and there[c.key].done)

    def row(self, experiment: Experiment, cell: StudyCell) -> ResultRow | None:
        """The best attempt at that cell, with a result or without."""
        return self.rows.get(experiment.name, {}).get(cell.key)

    def predictions(self, experiment: Experiment) -> Mapping[str, Prediction]:
        """What is predicted for the machine, by cell key."""
        if experiment.name not in self._predicted:
            self._predicted[experiment.name] = experiment.predictions(self.profiles)
        return self._predicted[experiment.name]

    def beside(self, experiment: Experiment) -> tuple[Beside, ...]:
        """Every cell with its prediction and its measurement, in the experiment's order."""
        told = self.predictions(experiment)
        return tuple(Beside(c, told[c.key], self.row(experiment, c)) for c in experiment.cells)

    def measured(self, experiment: Experiment) -> tuple[Beside, ...]:
        """The cells with a result, as `beside` has them; NotRun as `needed` raises it."""
        self.needed(experiment)
        return tuple(b for b in self.beside(experiment) if b.row is not None and b.row.done)

    def needed(self, experiment: Experiment) -> tuple[ResultRow, ...]:
        """The cells that have a result, in the experiment's order.

        NotRun unless every cell of a quick run was attempted and two cells (or the only one) gave a result;
        cells of which the library makes no set do not count.
        """
        there, found = self.rows.get(experiment.name, {}), self.of(experiment)
        told = self.predictions(experiment)
        possible = [cell for cell in experiment.cells if not told[cell.key].refused]
        waiting = [cell for cell in possible if cell.quick and cell.key not in there]
        if waiting or len(found) < min(2, len(possible)):
            remedy = f"fheasible study run {self.study} --quick --only {experiment.name}"
            raise NotRun(f"{experiment.name} has not been run yet ({len(waiting)} sets are missing)", remedy)
        return found


def load(
    store: Store,
    study: str,
    experiments: Sequence[Experiment],
    here: str,
    profiles: Profiles | None = None,
    machine: str | None = None,
) -> Results:
    """The stored results of the study from `machine`, by default from that with the fingerprint `here`.

    Where that machine has none, they are those of the machine that was measured last. Results of other
    versions of an experiment are left out.
    """
    rows = [row for e in experiments for row in e.stored(study, store)]
    rows.sort(key=lambda row: row.number, reverse=True)
    wanted = machine or here
    if machine is None and rows and not any(row.machine == here for row in rows):
        wanted = rows[0].machine
    mine = [row for row in rows if row.machine == wanted]
    newest = {row.library: row.version for row in reversed(mine) if _said_version(row)}
    chosen = [r for r in mine if not _said_version(r) or r.version == newest[r.library]]
    return Results(study, wanted, best(chosen), profiles or {}, others(rows, chosen))


def _said_version(row: ResultRow) -> bool:
    """Whether a worker said its version. An attempt that ended before counts with the newest version."""
    return row.environment["version"] is not None


def best(rows: Iterable[ResultRow]) -> Rows:
    """For each cell the best of its rows, which stand the newest first."""
    found: dict[str, dict[str, ResultRow]] = {}
    for row in rows:
        kept = found.setdefault(row.experiment, {})
        if row.cell.key not in kept or _better(row, kept[row.cell.key]):
            kept[row.cell.key] = row
    return found


def others(rows: Sequence[ResultRow], chosen: Sequence[ResultRow]) -> tuple[Source, ...]:
    """The rows that are not chosen, by machine and version of the library."""
    taken = {row.number for row in chosen}
    by_source: dict[tuple[str, str, str], list[ResultRow]] = {}
    for row in rows:
        if row.number not in taken:
            by_source.setdefault((row.machine, row.library, row.version), []).append(row)
    return tuple(
        Source(machine, str(of[0].environment.get("cpu")), library, version, best(of))
        for (machine, library, version), of in by_source.items()
    )


def _better(row: ResultRow, kept: ResultRow) -> bool:
    """Whether `row` is better than the newer `kept`: a result counts first, then the repetitions."""
    return (row.done, row.repetitions) > (kept.done, kept.repetitions)


__all__ = ["Beside", "NotRun", "ResultRow", "Results", "Source", "load"]
