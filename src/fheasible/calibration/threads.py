"""What several threads gain: each primitive is run with one thread and with several, pass by pass.

Where a library's threads share out the limbs of an operation, each primitive is run by itself. Where each of
them executes operations of its own, every operation of the program is there as often as there are threads, so
that all of them do the same at the same time.

CPU time is that of the executing thread alone, so the gain shows in wall time: the least wall seconds with T
threads, divided by the least CPU seconds with one. This needs an idle machine; samples in which the executing
thread did not run all the time are left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from fheasible.aliases import Floats
from fheasible.calibration.band import error_band
from fheasible.calibration.candidates import levels, requests
from fheasible.calibration.workload import workload
from fheasible.estimation.threads import Serial, ThreadModel, loop_limbs, ratio
from fheasible.libraries.catalogue import library as library_of
from fheasible.libraries.library import Library, Parallelism
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.least import (
    Clock,
    least_running,
    measurements,
    operation_samples,
    phase_samples,
)
from fheasible.measurement.sampled import Record
from fheasible.program.schedule import value_levels, with_frees
from fheasible.program.types import Action, Operation, Program, Scheme

THREADS = (1, 2)
LIMBS = {12: (3,), 13: (5,), 14: (4, 9), 15: (14,)}  # by log2 N
_LEVELS = 7  # of a context, at the most
_REPETITIONS = 3
_SECONDS = 0.5  # of repetitions in each pass, at least: small rings are disturbed most
_MOST_LIMBS = 64.0  # the most serial work: more cannot be told from a loop that is serial
_PHASES = ("decrypt", "keygen")
_SCALE = 0.05  # relative errors beyond it count for less than their square


@dataclass(frozen=True, slots=True)
class ThreadPoint:
    """One operation with several threads. `seconds`: its CPU time with one thread; `ratio`: its wall seconds
    with several, divided by `seconds`, and by the number of threads where they do as many `at_once`."""

    scheme: str
    action: str
    ring_dimension: int
    limbs: int
    special: int
    threads: int
    seconds: float
    ratio: float
    at_once: bool = False

    @property
    def name(self) -> str:
        return f"{self.scheme}/{self.action}"

    @property
    def loop(self) -> int:
        return self.threads if self.at_once else loop_limbs(self.action, self.limbs, self.special)


def thread_jobs(
    library: Library,
    threads: Sequence[int] = THREADS,
    limbs: Mapping[int, Sequence[int]] = LIMBS,
    schemes: Iterable[str] = (),
) -> list[Job]:
    """The jobs to sample: every primitive of `schemes`, with one thread and with each of the other numbers.

    There are none for a library whose programs take one thread. Without `schemes`, all schemes of
    the library are taken. There is one context for each of `limbs` (by log2 N), at up to seven levels.
    """
    if library.threading.parallelism is Parallelism.NONE:
        return []
    contexts = [
        library.parameters(next(requests(library, scheme, 1 << log_n, count, several=False)))
        for scheme in schemes or library.schemes
        for log_n, several in limbs.items()
        for count in several
    ]
    several = [number for number in threads if number != 1]
    if library.threading.parallelism is Parallelism.LIMBS:
        return [_job(p, number, 1) for p in contexts for number in (1, *several)]
    return [_job(p, number, lanes) for p in contexts for lanes in several for number in (1, lanes)]


def _job(p: Parameters, threads: int, lanes: int) -> Job:
    scheme = Scheme(p.scheme)
    slots = p.ring_dimension // (2 if scheme is Scheme.CKKS else 1)
    return Job(
        p,
        in_lanes(workload(scheme, slots, p.levels, levels(p, _LEVELS), rotations=1, low=False), lanes),
        {"x": np.ones(2 * slots)},
        RunPlan(_REPETITIONS, warmup=1, threads=threads, min_seconds=_SECONDS),
        RunOptions(sizes=False),
        label=f"{p.library} {p.scheme} N={p.ring_dimension}, threads: {threads}",
    )


def in_lanes(program: Program, lanes: int) -> Program:
    """The program with each operation so many times, one after the other, on values of their own.

    All of the results are outputs, and inputs are encrypted as often.
    """
    if lanes == 1:
        return program

    def every(values: Sequence[int]) -> tuple[int, ...]:
        return tuple(lanes * value + lane for value in values for lane in range(lanes))

    def moved(o: Operation, lane: int) -> Operation:
        return replace(o, out=lanes * o.out + lane, args=tuple(lanes * value + lane for value in o.args))

    inputs = tuple(replace(x, values=every(x.values)[::lanes]) for x in program.inputs)
    outputs = tuple(replace(x, values=every(x.values), length=lanes * x.length) for x in program.outputs)
    operations = [moved(o, lane) for o in program.operations for lane in range(lanes)]
    kept = [value for packed in outputs for value in packed.values]
    return replace(program, operations=with_frees(operations, kept), inputs=inputs, outputs=outputs)


@dataclass(frozen=True, slots=True)
class ThreadPoints:
    """The measured points. `disturbed`: how many operations were left out because no sample was quiet."""

    points: tuple[ThreadPoint, ...]
    disturbed: int


def thread_points(records: Iterable[Record]) -> ThreadPoints:
    """One point per operation, decryption and key generation of each context with several threads."""
    found = [point for runs in _contexts(records).values() for point in _of_context(runs)]
    quiet = tuple(p for p in found if np.isfinite(p.ratio))
    return ThreadPoints(quiet, len(found) - len(quiet))


def _contexts(records: Iterable[Record]) -> dict[tuple[object, ...], dict[int, list[Record]]]:
    """The records with a measurement, by context and then by number of threads."""
    found: dict[tuple[object, ...], dict[int, list[Record]]] = {}
    for r in records:
        if r.measurement is not None:
            key = (r.machine, r.parameters, r.program.operations)
            found.setdefault(key, {}).setdefault(r.threads, []).append(r)
    return found


def _of_context(runs: dict[int, list[Record]]) -> Iterator[ThreadPoint]:
    """The points of one context, from its records by threads; none where the run with one thread failed."""
    alone = runs.get(1, [])
    if not alone:
        return
    p, kinds = alone[0].parameters, _kinds(alone[0])
    at_once = library_of(p.library).threading.parallelism is Parallelism.OPERATIONS
    seconds = _samples(alone)
    for threads, several in runs.items():
        if threads > 1:
            for kind, one, many in zip(kinds, seconds, _samples(several), strict=True):
                yield _point(p, kind, threads, one, many, at_once)


def _point(
    p: Parameters, kind: tuple[str, int], threads: int, one: Floats, several: Floats, at_once: bool
) -> ThreadPoint:
    """The point of one operation, from samples (repetitions, 2) with one thread and with several."""
    action, level = kind
    limbs = p.limbs if p.scheme == "bfv" else level + 1
    cpu = max(float(one[:, Clock.CPU].min()), 1e-9)
    wall = float(least_running(several))
    ratio = wall / cpu / (threads if at_once else 1)
    return ThreadPoint(p.scheme, action, p.ring_dimension, limbs, len(p.p), threads, cpu, ratio, at_once)


def _kinds(record: Record) -> list[tuple[str, int]]:
    """The (action, level) of everything that is timed: each operation, then decryption and key generation."""
    program = record.program
    output = value_levels(program)[program.outputs[0].values[0]]
    phases = [(name, output if name == "decrypt" else record.parameters.limbs - 1) for name in _timed(record)]
    return [(o.action.value, o.computes_at) for o in program.operations if _whole(record, o)] + phases


def _samples(records: list[Record]) -> list[Floats]:
    """The samples (repetitions, 2) of each of `_kinds`, in the same order."""
    operations = operation_samples(records)
    chosen = [i for i, o in enumerate(records[0].program.operations) if _whole(records[0], o)]
    phases = [phase_samples(records, name) for name in _timed(records[0])]
    return [operations[:, i] for i in chosen] + phases


def _timed(record: Record) -> tuple[str, ...]:
    """The phases that are points of their own.

    Where threads execute operations of their own, keys are made in one of them, and whether one of several
    that decrypt had to wait is not known.
    """
    at_once = library_of(record.parameters.library).threading.parallelism is Parallelism.OPERATIONS
    return () if at_once else _PHASES


def _whole(record: Record, o: Operation) -> bool:
    """Whether this is not an encryption below the top level.

    Below the top level, some libraries encrypt in full and then drop limbs.
    """
    return o.action is not Action.ENCRYPT or o.level == record.program.levels


def fit_threads(records: Sequence[Record]) -> ThreadModel:
    """The thread model of the library that `records` are of.

    ValueError where no operation was measured with both one thread and several.
    """
    points = thread_points(records).points
    if not points:
        raise ValueError("no operation was measured undisturbed with one thread and with several")
    first = next(r for r in records if r.measurement is not None)
    return ThreadModel(
        first.library,
        measurements([first])[0].hello.version,
        first.machine,
        tuple(sorted({1, *(p.threads for p in points)})),
        {name: solve(group) for name, group in grouped(points).items()},
        band(points),
    )


def grouped(points: Iterable[ThreadPoint]) -> dict[str, list[ThreadPoint]]:
    """The points of each operation, by "scheme/action"."""
    groups: dict[str, list[ThreadPoint]] = {}
    for p in points:
        groups.setdefault(p.name, []).append(p)
    return groups


def solve(group: Sequence[ThreadPoint]) -> Serial:
    """The serial part that explains the points of one operation best.

    Where all loops are of one length, a constant part cannot be told from a share, and is taken as 0.
    """
    varied = not group[0].at_once and len({p.loop for p in group}) > 1
    most = _MOST_LIMBS if varied else 1e-9

    def errors(x: Floats) -> list[float]:
        return [predicted(Serial(x[0], x[1]), p) / p.ratio - 1 for p in group]

    found = least_squares(
        errors,
        (min(0.5, most / 2), 0.2),
        bounds=((0.0, 0.0), (most, 1.0)),
        loss="soft_l1",
        f_scale=_SCALE,
    )
    limbs, share = (float(x) for x in found.x)
    return Serial(limbs if varied else 0.0, share)


def predicted(serial: Serial, p: ThreadPoint) -> float:
    return ratio(serial, p.loop, p.threads)


def left_out_errors(group: Sequence[ThreadPoint]) -> list[float]:
    """The relative error at each point, by a fit without its ring dimension; empty for one ring dimension."""
    rings = sorted({p.ring_dimension for p in group})
    if len(rings) < 2:
        return []
    without = {n: solve([p for p in group if p.ring_dimension != n]) for n in rings}
    return [predicted(without[p.ring_dimension], p) / p.ratio - 1 for p in group]


def band(points: Iterable[ThreadPoint]) -> float:
    """The error band of predictions at ring dimensions that the fit did not see."""
    groups = [g for g in grouped(points).values() if len({p.ring_dimension for p in g}) > 1]
    errors = [e for g in groups for e in left_out_errors(g)]
    return error_band(errors, [p.seconds for g in groups for p in g])
