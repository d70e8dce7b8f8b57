"""The paper's sweeps as experiments: each cell is one set, run on the exact ring in a process of its own."""

import hashlib
from collections.abc import Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from fheasible.aliases import Floats, Json
from fheasible.errors import UnknownName
from fheasible.estimation.ring_profile import RingProfile
from fheasible.measurement import ring_run
from fheasible.measurement.ring_job import RingJob
from fheasible.rings.exact import native
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.experiment import Prediction, Profiles, StudyCell, StudyPlan
from fheasible.studies.own import ExecutedCell, OwnExperiment
from fheasible.studies.panthers.applications import application
from fheasible.studies.panthers.measured import seconds
from fheasible.studies.panthers.model import WHOLE, Counted, counted, subject
from fheasible.studies.panthers.parameters import SWEEPS, TITLES, Sweep

VERSION = 2
INSUFFICIENT = "insufficient depth, timed only"
NO_PROFILES: Profiles = MappingProxyType({})
_SECONDS_PER_STEP = 1e-9  # of a kernel, roughly: efforts need only proportions
_SECONDS_PER_PROCESS = 1.0


def experiments() -> tuple[OwnExperiment, ...]:
    return tuple(_experiment(sweep) for sweep in SWEEPS)


def experiment(name: str) -> OwnExperiment:
    """The experiment of that name. UnknownName where the study has no such experiment."""
    for one in EXPERIMENTS:
        if one.name == name:
            return one
    raise UnknownName(f"the study has no experiment {name!r}", "fheasible study list --json names them")


def _experiment(sweep: Sweep) -> OwnExperiment:
    what = application(sweep.app).title if sweep.application else "all five functions"
    title = f"{scheme(sweep.scheme).title} along {TITLES[sweep.vary]}, {what} ({sweep.where})"
    often, quick = sweep.often or ((3, 2) if sweep.application else (10, 5))
    return OwnExperiment(
        sweep.name,
        title,
        VERSION,
        sweep.cells,
        partial(execute, sweep),
        partial(efforts, sweep),
        often,
        quick,
        partial(predict, sweep),
        figures,
        check,
    )


def check() -> None:
    """LibraryMissing, with the remedy, where the exact ring is not built."""
    native()


def figures(measurement: Json) -> dict[str, float]:
    """The measured figures of a whole run, by the names that predictions have."""
    return {"cpu_seconds": seconds(measurement, WHOLE), "peak_bytes": float(measurement["peak_bytes"])}


def predict(sweep: Sweep, cells: Sequence[StudyCell], profiles: Profiles = NO_PROFILES) -> list[Prediction]:
    """The figures of PAnTHErS's view for each cell; and its CPU seconds, where the machine is calibrated."""
    theory = counted(sweep, cells)
    known = {
        "integer_multiplications": theory.multiplications,
        "max_words": theory.words,
        "peak_bytes": theory.bytes,
        "depth": theory.depth,
    }
    told = [{name: int(of[i]) for name, of in known.items()} for i in range(len(cells))]
    took = _seconds(theory, profiles.get(ring_run.LIBRARY))
    return [
        Prediction(t if took is None else {**t, "cpu_seconds": float(took[i])}) for i, t in enumerate(told)
    ]


def _seconds(theory: Counted, profile: object) -> Floats | None:
    """The CPU seconds of the counted kernels; None where the machine is not calibrated for all of them."""
    if not isinstance(profile, RingProfile):
        return None
    return np.asarray(profile.seconds(theory.kernels)) if profile.covers(theory.kernels) else None


def efforts(sweep: Sweep, cells: Sequence[StudyCell], repetitions: int) -> list[float]:
    """Rough seconds for each cell.

    They cover the kernels of the warm-up and of each repetition, and the start of a process.
    """
    steps = counted(sweep, cells).kernel_steps
    return list(_SECONDS_PER_PROCESS + _SECONDS_PER_STEP * steps * (repetitions + 1))


def execute(sweep: Sweep, cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
    """The result of running one set.

    Where the noise bound does not promise a right result, a wrong one counts as `measured`, with the reason:
    the paper times sets with log2 q = 4, too.
    """
    theory = counted(sweep, [cell])
    record = ring_run.attempt(
        _job(sweep, cell, plan), int(theory.bytes[0]), bool(theory.promised[0]), plan.max_memory_bytes
    )
    measured = record.measurement
    unpromised = measured is not None and measured["correct"] is False and not theory.promised[0]
    return ExecutedCell(
        library=ring_run.LIBRARY,
        scheme=sweep.scheme,
        outcome=record.outcome,
        environment=record.environment,
        measurement=measured,
        parameters=dict(cell.parameters),
        estimate=dict(predict(sweep, [cell])[0].figures),
        message=INSUFFICIENT if unpromised else record.message,
    )


def _job(sweep: Sweep, cell: StudyCell, plan: StudyPlan) -> RingJob:
    t = cell.parameters["t"]
    asked = subject(sweep.scheme, sweep.app or WHOLE, t if sweep.application else 0)
    data = application(sweep.app) if sweep.application else None
    return RingJob(
        asked.scheme,
        asked.what,
        RingParameters(**cell.parameters).checked(),
        asked.application,
        data.inputs(t) if data else {},
        data.expected(t) if data else {},
        plan.repetitions,
        seed=_seed(cell),
    )


def _seed(cell: StudyCell) -> int:
    """A seed that is the same for the same set."""
    return int.from_bytes(hashlib.sha256(cell.key.encode()).digest()[:4], "big")


EXPERIMENTS = experiments()
