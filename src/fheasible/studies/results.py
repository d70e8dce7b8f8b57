"""The stored results of a study beside its predictions: for each cell, the best result of one machine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.calibration.lookup_profiles import at_hand as lookups_at_hand
from fheasible.calibration.profiles import at_hand
from fheasible.calibration.ring_profile import of_this_machine
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
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
    rows = _newest_first(store, study, experiments)
    wanted = machine or here
    if machine is None and rows and not any(row.machine == here for row in rows):
        wanted = rows[0].machine
    chosen = _of_newest_versions([row for row in rows if row.machine == wanted])
    return Results(study, wanted, best(chosen), profiles or {}, others(rows, chosen))


def of_any_machine(store: Store, study: str, experiments: Sequence[Experiment]) -> Rows:
    """For each cell the best result of the newest version of its library, whichever machine it is from."""
    return best(_of_newest_versions(_newest_first(store, study, experiments)))


def _newest_first(store: Store, study: str, experiments: Sequence[Experiment]) -> list[ResultRow]:
    rows = [row for e in experiments for row in e.stored(study, store)]
    return sorted(rows, key=lambda row: row.number, reverse=True)


def _of_newest_versions(rows: Sequence[ResultRow]) -> list[ResultRow]:
    newest = {row.library: row.version for row in reversed(rows) if _said_version(row)}
    return [row for row in rows if not _said_version(row) or row.version == newest[row.library]]


def prices(store: Store) -> Profiles:
    """The prices of this machine by library: those of its calibrations, or else the shipped ones."""
    rings = of_this_machine(store)
    own = {} if rings is None else {rings.library: rings}
    return {**at_hand(store, CATALOGUE), **lookups_at_hand(store, LOOKUP_LIBRARIES), **own}


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
