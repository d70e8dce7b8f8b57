"""Experiments that run an application with sets of a library of table look-ups, as `fheasible sweep` does.

Results are ordinary ones of the store: those of `fheasible run` and `fheasible sweep` count.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.calibration.lookup_profiles import at_hand, default_lookup_profile
from fheasible.circuit.numbers_named import read_number, valued
from fheasible.errors import FheasibleError, LimitImpossible, WorkerFailed, WrongResult
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.chosen import KNOWN, chosen
from fheasible.exploration.lookups.proof import prove
from fheasible.exploration.lookups.search import candidate_of
from fheasible.exploration.lookups.space import Tried
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish
from fheasible.exploration.reasons.recorded import circuit_digest
from fheasible.exploration.sweeps.axes import Combinations, combined, typed_axis
from fheasible.exploration.sweeps.swept import measured_figures
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.environment import observe
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.noise.achieved import FINEST, Achieved, achieved
from fheasible.program.lookup_values import computed
from fheasible.program.phases import PHASES
from fheasible.store.rows import StoredMeasurement
from fheasible.store.store import Store
from fheasible.studies.applied import everything, traced
from fheasible.studies.derived import Told
from fheasible.studies.experiment import (
    Experiment,
    Prediction,
    Profiles,
    ResultRow,
    StudyCell,
    StudyPlan,
    same_conditions,
)
from fheasible.units import size

_START_SECONDS: Final = 0.5
_AS: Final = 1 + 1e-9  # times the error on clear digits, which an encrypted result may have


@dataclass(frozen=True, kw_only=True)
class LookupExperiment(Experiment):
    """The sets of one library of table look-ups for an application.

    `settings` are those of `--param` and `numbers` those of the application's file, as name=values; each may
    have several values. `only`, `quick`, `seed` and `memory` are as in `AppliedExperiment`. Real numbers
    become fixed point with the setting `fraction`; a result is right where it is as precise as the same
    program on clear digits.
    """

    name: str
    title: str
    app: Path
    library: str
    settings: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    only: Callable[[Told], bool] = everything
    quick: Callable[[Told], bool] = everything
    wish: Wish = field(default_factory=Wish)
    repetitions: int = 3
    quick_repetitions: int = 1
    seed: int = 0
    threads: int = 1
    memory: MemoryLimit | None = None

    @property
    def limited(self) -> bool:
        return self.memory is not None

    @property
    def scheme(self) -> str:
        return lookup_library(self.library).schemes[0]

    @cached_property
    def _numbers(self) -> Combinations[str]:
        return combined((), (), self.numbers, lambda text: typed_axis(text, "write n=8,16", str.strip))

    @cached_property
    def _settings(self) -> Combinations[str]:
        return combined((), (), self.settings, lambda text: typed_axis(text, "write set=NAME", _known))

    @cached_property
    def cells(self) -> tuple[StudyCell, ...]:
        points = ({**n, **s} for n in self._numbers.points() for s in self._settings.points())
        return tuple(StudyCell(_values(told), self.quick(told)) for told in points if self.only(told))

    def problem(self, cell: StudyCell) -> Problem:
        """The application with its data, with the cell's numbers in place of the file's own."""
        given = self._numbers_of(cell)
        return traced(
            self.app, tuple(sorted((n, read_number(text) or 0) for n, text in given.items())), self.seed
        )

    def _numbers_of(self, cell: StudyCell) -> dict[str, str]:
        names = {*self._numbers.fixed, *(axis.name for axis in self._numbers.axes)}
        return {name: str(value) for name, value in cell.parameters.items() if name in names}

    @cached_property
    def _sets(self) -> Mapping[str, LookupCandidate | str]:
        """Each cell's set by its key, without prices, or the reason why there is none."""
        return {cell.key: self._set(cell) for cell in self.cells}

    def _set(self, cell: StudyCell) -> LookupCandidate | str:
        numbers = self._numbers_of(cell)
        settings = {n: str(value) for n, value in cell.parameters.items() if n not in numbers}
        try:
            return chosen(self.problem(cell), lookup_library(self.library), None, settings, self.wish, None)
        except FheasibleError as error:
            return error.message

    def _priced(self, cell: StudyCell, profile: LookupProfile | None) -> LookupCandidate | str:
        """The cell's set with times by that profile."""
        c = self._sets[cell.key]
        if isinstance(c, str) or profile is None:
            return c
        tried = Tried(c.name, c.scheme, c.parameters)
        return candidate_of(c.library, c.encoded, tried, c.estimate.security_bits, self.wish, profile)

    def predictions(self, profiles: Profiles) -> Mapping[str, Prediction]:
        found = profiles.get(self.library)
        return self._made(found if isinstance(found, LookupProfile) else None)

    def _made(self, profile: LookupProfile | None) -> Mapping[str, Prediction]:
        return {cell.key: self._prediction(cell, self._priced(cell, profile)) for cell in self.cells}

    def _prediction(self, cell: StudyCell, c: LookupCandidate | str) -> Prediction:
        if isinstance(c, str):
            return Prediction({}, c)
        clear = self._clear.get(cell.key)
        return Prediction(predicted(c) | {"precision_bits": None if clear is None else clear.bits})

    @cached_property
    def _clear(self) -> Mapping[str, Achieved]:
        """How far real results are off by cell, as the programs compute them on clear digits."""
        found = {}
        for cell in self.cells:
            c, problem = self._sets[cell.key], self.problem(cell)
            if problem.real and not isinstance(c, str):
                results = computed(c.encoded.program, dict(problem.data))
                found[cell.key] = achieved(results, problem.truth)
        return found

    def efforts(self, cells: Sequence[StudyCell], repetitions: int) -> Sequence[float]:
        made = self._made(default_lookup_profile(self.library))
        return [_seconds(made[cell.key].figures, repetitions) for cell in cells]

    def stored(self, study: str, store: Store) -> Iterator[ResultRow]:
        wanted = {}
        for cell in self.cells:
            c = self._sets[cell.key]
            if not isinstance(c, str):
                wanted[circuit_digest(self.problem(cell).circuit), _request(c.settings)] = cell
        for app in sorted({self.problem(cell).circuit.name for cell in self.cells}):
            for row in store.measurements(app, self.library, self.scheme):
                known = wanted.get((row.entry.circuit, _request(row.entry.request)))
                if known and same_conditions(row.environment, self.threads, self.seed, self.memory):
                    yield self._row(known, row)

    def execute(self, study: str, cell: StudyCell, plan: StudyPlan, store: Store) -> ResultRow:
        problem, c = self.problem(cell), self._priced(cell, self._prices(store))
        assert isinstance(c, LookupCandidate), "a cell without a set is never executed"
        peak = c.estimate.peak_bytes
        if plan.max_memory_bytes is not None and peak > plan.max_memory_bytes:
            return self._failed(cell, "refused", f"{size(peak)} of memory are predicted")
        clear = self._clear.get(cell.key)
        asked = (
            self.wish.least if clear is None else Asked(Measure.ABSOLUTE, max(clear.absolute, FINEST) * _AS)
        )
        runs = RunPlan(repetitions=plan.repetitions, threads=self.threads, keygens=1)
        try:
            proof = prove(problem, c, runs, self.seed, store, asked, memory=self.memory, security=None)
        except LimitImpossible as error:
            return self._failed(cell, "refused", error.message)
        except (WorkerFailed, WrongResult) as error:
            if error.number is None:
                return self._failed(cell, outcome_of(error), error.message)
            return self._row(cell, store.show(error.number))
        assert proof.number is not None
        return self._row(cell, store.show(proof.number))

    def _prices(self, store: Store) -> LookupProfile | None:
        return at_hand(store, [self.library]).get(self.library)

    def _failed(self, cell: StudyCell, outcome: str, message: str) -> ResultRow:
        """A row that is not stored, since nothing was executed."""
        at = observe(self.library, self.threads, self.seed).to_json()
        return ResultRow(self.name, 0, str(at["started"]), cell, 0, self.library, outcome, message, at, None)

    def _row(self, cell: StudyCell, row: StoredMeasurement) -> ResultRow:
        e, m = row.entry, row.entry.measurement
        return ResultRow(
            self.name, row.id, row.created, cell, int(m["repetitions"]) if m else 0, e.library, e.outcome,
            e.message, row.environment, m, e.estimate, measured_figures(m) if m else {},
        )  # fmt: skip


def predicted(c: LookupCandidate) -> dict[str, Any]:
    """The predicted figures of a candidate, by the names that measurements have."""
    e, p = c.estimate, c.parameters
    cpu = e.cpu_seconds or {}
    return {
        "ring_dimension": p.polynomial_size,
        "lwe_dimension": p.lwe_dimension,
        "lookups": c.encoded.lookups,
        "lookups_in_succession": c.encoded.depth,
        **{f"{phase}_seconds": cpu.get(phase) for phase in PHASES},
        "cpu_seconds": cpu.get("total"),
        "peak_bytes": e.peak_bytes,
        "ciphertext_bytes": e.sizes.ciphertext,
        "evaluation_key_bytes": e.sizes.evaluation_key,
        "log2_failure": e.log2_failure,
        "security_bits": e.security_bits,
    }


def _known(name: str) -> str:
    assert name in KNOWN, f"TFHE has no parameter {name}"
    return name


def _values(told: Told) -> dict[str, Any]:
    return {name: valued(text) for name, text in told.items()}


def _request(settings: Json) -> str:
    return json.dumps(settings, sort_keys=True)


def _seconds(figures: Mapping[str, Any], repetitions: int) -> float:
    once = figures.get("cpu_seconds") or 0.0
    return _START_SECONDS + (figures.get("keygen_seconds") or 0.0) + (repetitions + 1) * once
