"""Experiments that sweep the parameters of a library for an application, as `fheasible sweep` does.

Results are ordinary ones of the store: those that `fheasible sweep --execute` has stored count, and
`compare`, `export` and `import` know them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.circuit.numbers_named import Number, valued
from fheasible.errors import LimitImpossible
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps import measuring, swept
from fheasible.exploration.sweeps.cells import Cell, CellGrid, cell_grid, cells
from fheasible.exploration.sweeps.measuring import CellRun, MeasuringWish
from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import observe
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.program.digest import digest
from fheasible.store.rows import StoredMeasurement
from fheasible.store.store import Store
from fheasible.studies.derived import Derived, Told, WithDerived, nothing
from fheasible.studies.experiment import (
    Experiment,
    Prediction,
    Profiles,
    ResultRow,
    StudyCell,
    StudyPlan,
    prices_of,
    same_conditions,
)

_START_SECONDS = 1.0


def everything(told: Told) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class AppliedExperiment(Experiment):
    """The sets of one library's grid for an application.

    `vary`, `fix` and `numbers` are settings name=values as `fheasible sweep` takes them with --vary, --fix
    and --set, and `derived` adds settings that follow from them. `only` tells which sets of the grid belong
    to the experiment, and `quick` which of these a quick run includes. The data are random ones of `seed`,
    uniform in the declared ranges. `memory` is the limit of the worker.
    """

    name: str
    title: str
    app: Path
    library: str
    scheme: str
    vary: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    derived: Derived = nothing
    only: Callable[[Told], bool] = everything
    quick: Callable[[Told], bool] = everything
    wish: Wish = field(default_factory=Wish)
    repetitions: int = 10
    quick_repetitions: int = 3
    seed: int = 0
    threads: int = 1
    memory: MemoryLimit | None = None

    @property
    def limited(self) -> bool:
        return self.memory is not None

    @cached_property
    def grid(self) -> CellGrid:
        """The settings, checked."""
        made = cell_grid(library(self.library), self.scheme, self.vary, self.fix, (), self.numbers)
        return replace(made, grid=WithDerived(made.grid.axes, made.grid.fixed, self.derived))

    @cached_property
    def cells(self) -> tuple[StudyCell, ...]:
        told = filter(self.only, self.grid.grid.points())
        return tuple(StudyCell(_values(one), self.quick(one)) for one in told)

    def efforts(self, cells: Sequence[StudyCell], repetitions: int) -> Sequence[float]:
        made = self._latest
        return [_seconds(made[cell.key], repetitions) for cell in cells]

    def predictions(self, profiles: Profiles) -> Mapping[str, Prediction]:
        made = self._made(prices_of(profiles, self.library))
        return {key: Prediction(swept.predicted(c.candidate), c.refused) for key, c in made.items()}

    def stored(self, study: str, store: Store) -> Iterator[ResultRow]:
        by_set = {_key(c): key for key, c in self._latest.items() if c.candidate is not None}
        known = {cell.key: cell for cell in self.cells}
        for row in self._rows(store):
            entry = row.entry
            key = by_set.get((entry.circuit, measuring.set_key(entry.request, entry.parameters)))
            if key is not None and self._same(row):
                yield self._row(known[key], row)

    def execute(self, study: str, cell: StudyCell, plan: StudyPlan, store: Store) -> ResultRow:
        made = self._latest[cell.key]
        wish = MeasuringWish(
            repetitions=plan.repetitions, threads=self.threads, seed=self.seed, again=True,
            max_bytes=plan.max_memory_bytes, memory=self.memory,
        )  # fmt: skip
        run = self._run(made, wish, store)
        if run is not None and run.number is not None:
            return self._row(cell, store.show(run.number))
        outcome, message = (run.outcome, run.message) if run else (measuring.REFUSED, made.refused)
        at = observe(self.library, self.threads, self.seed).to_json()
        return ResultRow(
            self.name, 0, str(at["started"]), cell, 0, self.library, outcome, message, at, None
        )  # nothing was executed, so nothing is stored

    def _run(self, made: Cell, wish: MeasuringWish, store: Store) -> CellRun | None:
        """The cell's run; refused where memory cannot be limited here."""
        try:
            (run,) = measuring.measured([made], wish, store, _silent)
        except LimitImpossible as error:
            return CellRun(measuring.REFUSED, None, error.message)
        return run

    @cached_property
    def _kept(self) -> dict[Any, Mapping[str, Cell]]:
        return {}

    @property
    def _latest(self) -> Mapping[str, Cell]:
        """The cells as they were predicted last; by the shipped prices where they were not yet."""
        if not self._kept:
            return self._made(default_profile(self.library))
        return list(self._kept.values())[-1]

    def _made(self, profile: Profile | None) -> Mapping[str, Cell]:
        known = None if profile is None else (profile.machine, profile.created)
        if known not in self._kept:
            made = cells(self.grid, self.problem, self.wish, profile)
            found = (cell for cell in made if self.only(cell.told))
            self._kept[known] = {cell.key: one for cell, one in zip(self.cells, found, strict=True)}
        return self._kept[known]

    def candidate(self, cell: StudyCell) -> Candidate | None:
        """The cell's set with its program, as it was predicted last; None where the library makes none."""
        return self._latest[cell.key].candidate

    def problem(self, numbers: Mapping[str, Number]) -> Problem:
        """The application with its data, with those numbers in place of the file's own."""
        return traced(self.app, tuple(sorted(numbers.items())), self.seed)

    def _rows(self, store: Store) -> Iterable[StoredMeasurement]:
        apps = {c.problem.circuit.name for c in self._latest.values()}
        for app in sorted(apps):
            yield from store.measurements(app, self.library, self.scheme)

    def _same(self, row: StoredMeasurement) -> bool:
        """Whether the row was measured under the experiment's conditions."""
        return same_conditions(row.environment, self.threads, self.seed, self.memory)

    def _row(self, cell: StudyCell, row: StoredMeasurement) -> ResultRow:
        e, m = row.entry, row.entry.measurement
        figures = swept.measured_figures(m) if m else {}
        repeated = int(m["repetitions"]) if m else 0
        return ResultRow(
            self.name, row.id, row.created, cell, repeated, e.library, e.outcome, e.message, row.environment,
            m, e.estimate, figures,
        )  # fmt: skip


@lru_cache(maxsize=256)
def traced(app: Path, numbers: tuple[tuple[str, Number], ...], seed: int) -> Problem:
    """The application with these numbers. It is kept: its programs are the same with other prices, and the
    same application is run with several libraries."""
    circuit = load(str(app), dict(numbers)).trace()
    return Problem(circuit, random_data(circuit, seed), f"random data (seed {seed})")


def _values(told: Told) -> dict[str, Any]:
    return {name: valued(text) for name, text in told.items()}


def _key(c: Cell) -> tuple[str, str]:
    """What a stored row has of that set: the digest of its program, and its request with the parameters."""
    assert c.candidate is not None
    told = measuring.set_key(c.candidate.settings, parameters_json(c.candidate.parameters))
    return digest(c.candidate.program), told


def _seconds(c: Cell, repetitions: int) -> float:
    """The predicted seconds of a run with its keys and the start of its process."""
    cpu = c.candidate.estimate.cpu_seconds if c.candidate else None
    return _START_SECONDS + (cpu["keygen"] + (repetitions + 1) * cpu["total"] if cpu else 0.0)


def _silent(label: str, done: float, total: float) -> None:
    pass
