"""What bootstraps cost: a few are run in small rings, and the prices of what is special in them are fitted.

`fheasible calibrate --bootstrapping` asks for it. A bootstrap is priced by its kernels, as any operation is;
its own prices are held to those that the library's operations share. The same holds for its keys. So rings
that are larger than the measured ones are predicted by what their kernels cost.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from fheasible.calibration.band import error_band
from fheasible.calibration.fit import own_prices
from fheasible.calibration.observed import least_of, shown
from fheasible.errors import WorkerFailed
from fheasible.estimation.features import Caches, Features, Shape, features
from fheasible.estimation.profile import BootstrapModel, Profile, TimedShape, named
from fheasible.estimation.sizes import evaluation_key_count
from fheasible.estimation.tally import keygen_tasks
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.layout import BOOTSTRAP_KEYS, TABLE_LOOKUP, Task
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.libraries.work import layout_of
from fheasible.measurement.environment import now
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.least import Summary, least_phase, summaries
from fheasible.measurement.operation_passes import in_fresh_process
from fheasible.measurement.operations import Item, OperationJob, is_noise
from fheasible.measurement.sampling import Report, sample
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from fheasible.store.store import Store

# (log2 N, levels that are left, log2 of the slots, levels of each transform): most slots and few
CONTEXTS: Final = ((12, 4, 11, 2), (12, 2, 6, 1), (13, 3, 12, 3), (13, 6, 8, 2), (14, 2, 5, 2))
# (log2 N, log2 of the slots, levels of each transform, log2 of the entries)
TABLES: Final = ((12, 6, 2, 1), (12, 11, 3, 3), (13, 4, 2, 4), (12, 5, 2, 8))
_WIDE: Final = 47  # bits of the scale of tables
_SCALE, _FIRST, _MESSAGE = 45, 55, 10  # bits
_PASSES, _REPETITIONS = 2, 2
_TIMEOUT: Final = 120.0
_LEAST_LEVEL: Final = 1  # at which every library bootstraps


def request(log_n: int, depth: int, log_slots: int, budget: int) -> CkksRequest:
    """The request of a small set that bootstraps. Security is not required, since only the cost matters."""
    own = BootstrapRequest(1 << log_slots, budget, budget, message_bits=_MESSAGE)
    return CkksRequest(
        scheme="ckks",
        depth=depth,
        security=None,
        ring_dimension=1 << log_n,
        scale_bits=_SCALE,
        first_bits=_FIRST,
        bootstrap=own,
    )


def one_bootstrap(library: Library, p: CkksParameters) -> Program:
    """A program that encrypts a vector at the least level, bootstraps it once and decrypts it."""
    assert p.bootstrap is not None
    procedure = p.bootstrap.procedure
    low, slots = max(_LEAST_LEVEL, library.least_bootstrap_level(procedure.iterations)), procedure.slots
    operations = [
        Operation(Action.ENCRYPT, 0, (), low, source="x"),
        Operation(Action.BOOTSTRAP, 1, (0,), p.levels),
    ]
    return Program(
        Scheme.CKKS,
        slots,
        p.levels,
        with_frees(operations, [1]),
        (),
        (Packed("x", slots, (0,)),),
        (Packed("result", slots, (1,)),),
        automatic=library.own_style("ckks", p.technique or None).automatic,
    )


def bootstrap_job(
    library: Library, p: CkksParameters, repetitions: int = _REPETITIONS, sizes: bool = False,
    timeout: float | None = _TIMEOUT,
) -> Job:  # fmt: skip
    """The job that bootstraps random numbers in [-1, 1] once for each repetition."""
    program = one_bootstrap(library, p)
    inputs = {"x": np.random.default_rng(program.slots).uniform(-1, 1, program.slots)}
    label = f"{p.library} bootstrap N={p.ring_dimension}, {program.slots} slots"
    plan, options = RunPlan(repetitions, warmup=1), RunOptions(sizes=sizes)
    return Job(p, program, inputs, plan, options, timeout=timeout, label=label)


def bootstrap_jobs(library: Library) -> list[Job]:
    """The jobs to sample; none for a library that does not bootstrap."""
    if library.bootstrap_method is None:
        return []
    sets = [library.parameters(request(*context)) for context in CONTEXTS]
    return [bootstrap_job(library, p) for p in sets if isinstance(p, CkksParameters)]


def with_bootstraps(library: Library, found: Profile, store: Store | None, report: Report) -> Profile:
    """The profile with what bootstraps cost, measured now; as it is for a library that does not bootstrap.

    WorkerFailed where no bootstrap could be run.
    """
    jobs = bootstrap_jobs(library)
    if not jobs:
        return found
    started = now()
    records = sample(jobs, store, f"bootstraps {started}", passes=_PASSES, report=report)
    points = least_of(p for s in summaries(records) for p in bootstrap_points(s))
    points += table_points(library) if library.looks_up else []
    if not points:
        raise WorkerFailed(f"{library.name} could not run any bootstrap", "calibrate without --bootstrapping")
    return replace(found, bootstraps=fitted(points, found, started))


def bootstrap_points(summary: Summary) -> list[TimedShape]:
    """The points of a run of `one_bootstrap`: the bootstrap, and the making of its keys."""
    p, program = summary.first.parameters, summary.first.program
    places = [(n, shape) for n, shape in shown(p, program) if shape.task.action == Action.BOOTSTRAP]
    keys = keygen_tasks(program, p.limbs - 1, evaluation_key_count(program, p))
    made = next(task for task in keys if task.action == BOOTSTRAP_KEYS)
    return [
        *(
            TimedShape(shape, float(summary.cpu[number]))
            for number, shape in places
            if isinstance(number, int)
        ),
        TimedShape(Shape(p.ring_dimension, layout_of(p), made), least_phase(summary.records, "keygen")),
    ]


def table_points(library: Library) -> list[TimedShape]:
    """The least times of a few table look-ups. WorkerFailed where one is wrong."""
    return [_table_point(table_job(library, *context)) for context in TABLES]


def table_job(
    library: Library,
    log_n: int,
    log_slots: int,
    budget: int,
    bits: int,
    order: int = 1,
    scale_bits: int = _WIDE,
) -> OperationJob:
    """A job that looks a table up. Security is not required, since only the cost matters."""
    own = BootstrapRequest(1 << log_slots, budget, budget, table_bits=bits, table_order=order)
    asked = CkksRequest(
        scheme="ckks", depth=0, security=None, ring_dimension=1 << log_n, scale_bits=scale_bits, bootstrap=own
    )
    items = (Item(TABLE_LOOKUP, 0),)
    return OperationJob(library.parameters(asked), 1 << log_slots, items, repetitions=_REPETITIONS)


def _table_point(job: OperationJob) -> TimedShape:
    found = in_fresh_process(job, _TIMEOUT).items[0]
    if found.refused or is_noise(job, found):
        said = found.refused or f"{100 * (found.error or 0):.1f} % of the entries are wrong"
        raise WorkerFailed(
            f"a table look-up with {job.slots} slots: {said}", "calibrate without --bootstrapping"
        )
    p = job.parameters
    shape = Shape.of(p.ring_dimension, layout_of(p), Task(TABLE_LOOKUP, p.levels), job.slots)
    return TimedShape(shape, min(found.timing.cpu.seconds))


def fitted(points: Sequence[TimedShape], prices: Profile, created: str) -> BootstrapModel:
    """The model that the points show, with prices held to those that the library's operations share.

    Times in a profile are least times, to which a run as a whole is longer by `composition`.
    """
    apart = [replace(p, seconds=p.seconds / prices.composition) for p in points]
    known = own_prices(apart, prices.prices, prices.caches)
    errors = [
        error
        for action in (Action.BOOTSTRAP, TABLE_LOOKUP)
        for error in left_out_errors([p for p in apart if p.shape.task.action == action], prices)
    ]
    band = max(error_band(errors, [1.0] * len(errors)), prices.error_band)
    return BootstrapModel(prices.version, created, known, band, tuple(points))


def left_out_errors(points: Sequence[TimedShape], prices: Profile) -> list[float]:
    """Predicted / measured - 1 of each bootstrap, by prices that were fitted to the others."""
    errors = []
    for point in points:
        others = [p for p in points if p is not point]
        if others:
            own = own_prices(others, prices.prices, prices.caches)[named(point.shape)]
            errors.append(_seconds(own, point.shape, prices.caches) / point.seconds - 1)
    return errors


def _seconds(prices: Features, shape: Shape, caches: Caches) -> float:
    return float(np.dot(prices, features(shape, caches)))
