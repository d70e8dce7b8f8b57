"""The paper's sweeps as experiments: each cell is one set, run on the exact ring in a process of its own."""

import hashlib
from collections.abc import Sequence
from functools import partial

from fheasible.errors import UnknownName
from fheasible.measurement import ring_run
from fheasible.measurement.ring_job import RingJob
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.parameters import RingParameters
from fheasible.studies.experiment import Prediction, StudyCell, StudyPlan
from fheasible.studies.own import ExecutedCell, OwnExperiment
from fheasible.studies.panthers.applications import application
from fheasible.studies.panthers.model import WHOLE, counted, subject
from fheasible.studies.panthers.parameters import SWEEPS, TITLES, Sweep

VERSION = 2
INSUFFICIENT = "insufficient depth, timed only"
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
    )


def predict(sweep: Sweep, cells: Sequence[StudyCell]) -> list[Prediction]:
    """The figures of PAnTHErS's view for each cell."""
    theory = counted(sweep, cells)
    figures = {
        "integer_multiplications": theory.multiplications,
        "max_words": theory.words,
        "peak_bytes": theory.bytes,
        "depth": theory.depth,
    }
    return [Prediction({name: int(of[i]) for name, of in figures.items()}) for i in range(len(cells))]


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
