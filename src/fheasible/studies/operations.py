"""Experiments that measure single operations of a library, as `fheasible measure` does.

Results are samples of the store: those that `fheasible measure` has stored count.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fheasible.calibration.defaults import default_profile
from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import parameters_json
from fheasible.exploration.sweeps.operations import (
    items_of,
    job_of,
    lacking,
    limit_seconds,
    parameters_for,
    predicted,
)
from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import observe
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.operation_passes import CAMPAIGN, JobPasses, Until, machine_passes, measure_passes
from fheasible.measurement.operations import Item, OperationJob, is_noise
from fheasible.store.rows import StoredSample
from fheasible.store.store import Store
from fheasible.studies.experiment import (
    Experiment,
    Prediction,
    Profiles,
    ResultRow,
    StudyCell,
    StudyPlan,
    prices_of,
)

_START_SECONDS = 1.0
_KEPT_PARAMETERS = ("ring_dimension", "log_q", "log_p", "log_qp", "limbs", "special_limbs", "digits")


@dataclass(frozen=True, slots=True)
class OperationSet:
    """A cell's settings. `label` is what the study calls the set (such as the paper's number); `params` are
    settings name=value as `fheasible measure --param` takes them. `slots` None: all of them."""

    label: str
    params: Mapping[str, str]
    depth: int
    slots: int | None = None
    quick: bool = True


@dataclass(frozen=True, kw_only=True)
class OperationExperiment(Experiment):
    """Operations of one library's scheme at several parameter sets and vector lengths, each at the top level.

    `security` None: the sets are not held against any security level. A figure is named after its operation:
    "add_seconds"; sizes are "ciphertext_bytes" and so on, as the worker names them. "add_error" is how far
    the worst of its results was from the right one (CKKS: the largest error of all slots; integers: the share
    of wrong slots). A repetition of a study is a pass, each in a process of its own.
    """

    name: str
    title: str
    library: str
    scheme: str
    operations: tuple[str, ...]
    sets: tuple[OperationSet, ...]
    security: int | None = None
    sparse: bool = False
    calls: int = 10
    repetitions: int = 5
    quick_repetitions: int = 2
    seed: int = 0

    @cached_property
    def cells(self) -> tuple[StudyCell, ...]:
        return tuple(StudyCell(_settings(one), one.quick) for one in self.sets)

    @cached_property
    def jobs(self) -> Mapping[str, OperationJob | str]:
        """The job of each cell by its key, or the reason why the library makes no such set."""
        return {cell.key: self._job(one) for cell, one in zip(self.cells, self.sets, strict=True)}

    def efforts(self, cells: Sequence[StudyCell], repetitions: int) -> Sequence[float]:
        profile = default_profile(self.library)
        return [repetitions * _seconds(self.jobs[cell.key], profile) for cell in cells]

    def predictions(self, profiles: Profiles) -> Mapping[str, Prediction]:
        profile = prices_of(profiles, self.library)
        return {key: _prediction(job, profile) for key, job in self.jobs.items()}

    def stored(self, study: str, store: Store) -> Iterator[ResultRow]:
        rows = store.samples(CAMPAIGN)
        for cell in self.cells:
            job = self.jobs[cell.key]
            if isinstance(job, OperationJob):
                for newest, passes in machine_passes(job, rows):
                    yield self._row(cell, newest, passes)

    def execute(self, study: str, cell: StudyCell, plan: StudyPlan, store: Store) -> ResultRow:
        job = self.jobs[cell.key]
        assert isinstance(job, OperationJob), "a cell without a set is never executed"
        until = Until(passes=plan.repetitions, most=plan.repetitions)
        limits = {job.key: limit_seconds(job, default_profile(self.library))}
        (passes,) = measure_passes([job], until, store, _silent, limits)
        if passes.failed is None:
            newest = max(self._mine(job, store), key=lambda row: row.id)
            return self._row(cell, newest, passes)
        at = observe(self.library, 1, self.seed).to_json()
        outcome, message = outcome_of(passes.failed), passes.failed.message
        return ResultRow(self.name, 0, str(at["started"]), cell, 0, self.library, outcome, message, at, None)

    def _mine(self, job: OperationJob, store: Store) -> list[StoredSample]:
        return [row for row in store.samples(CAMPAIGN) if row.sample.key == job.key]

    def _job(self, one: OperationSet) -> OperationJob | str:
        known = library(self.library)
        try:
            p = parameters_for(known, self.scheme, one.params, one.depth, self.security)
        except (InfeasibleParameters, UnsupportedOperation) as error:
            return error.message
        items = tuple(i for i in items_of(self.operations, p, (p.levels,)) if not lacking(i, known, p))
        capacity = p.ring_dimension // 2 if p.scheme == "ckks" else p.ring_dimension
        if one.slots is not None and one.slots > capacity:
            return f"N = {p.ring_dimension} has {capacity} slots"
        return job_of(known, p, items, one.slots or capacity, self.sparse, self.calls, seed=self.seed)

    def _row(self, cell: StudyCell, newest: StoredSample, passes: JobPasses) -> ResultRow:
        wrong = any(is_noise(passes.job, timed) for run in passes.runs for timed in run.items)
        return ResultRow(
            self.name, newest.id, newest.created, cell, len(passes.runs), self.library,
            "wrong" if wrong else "measured", "", newest.environment, newest.sample.figures,
            figures=_figures(passes),
        )  # fmt: skip


def _settings(one: OperationSet) -> dict[str, Any]:
    own = {} if one.slots is None else {"slots": one.slots}
    return {"set": one.label, **dict(one.params), "depth": one.depth, **own}


def _prediction(job: OperationJob | str, profile: Profile | None) -> Prediction:
    if isinstance(job, str):
        return Prediction({}, job)
    told = parameters_json(job.parameters)
    figures = {name: told[name] for name in _KEPT_PARAMETERS if name in told}
    times = {f"{i.operation}_seconds": predicted(job, i, profile)[0] for i in job.items}
    return Prediction({**figures, **times, **_sizes(job)})


def _sizes(job: OperationJob) -> dict[str, Any]:
    """The bytes of serialized objects, by the names that workers use."""
    p, form = job.parameters, library(job.library).files
    return {
        "ciphertext_bytes": form.ciphertext(p, p.limbs),
        "public_key_bytes": form.public_key(p),
        "secret_key_bytes": form.secret_key(p),
        "relinearization_key_bytes": form.relinearization_key(p),
        "rotation_key_bytes": form.rotation_keys(p, 1),
    }


def _figures(passes: JobPasses) -> dict[str, Any]:
    times = {f"{i.operation}_seconds": min(passes.least(i), default=None) for i in passes.job.items}
    sizes = passes.runs[-1].sizes if passes.runs else {}
    errors = {f"{i.operation}_error": _worst(passes, i) for i in passes.job.items if not i.makes_keys}
    return {**times, **{f"{name}_bytes": n for name, n in sizes.items()}, **errors}


def _worst(passes: JobPasses, item: Item) -> float | None:
    """How far the worst result of all passes was off; None where no result has values."""
    return max((t.error for t in passes.timed(item) if t.error is not None), default=None)


def _seconds(job: OperationJob | str, profile: Profile | None) -> float:
    if isinstance(job, str):
        return 0.0
    once = sum(predicted(job, item, profile)[0] or 0.0 for item in job.items)
    return _START_SECONDS + (job.repetitions + job.warmup) * once


def _silent(label: str, done: float, total: float) -> None:
    pass
