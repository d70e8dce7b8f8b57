"""Reduces samples to one figure: the least over repetitions and passes, and how far passes differ.

This is the one place where samples are reduced. On a shared machine the least CPU time of the executing
thread, taken over passes separated in time, repeats within a per cent, where a median moves with the load.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from fheasible.aliases import Floats
from fheasible.measurement.records import Measurement
from fheasible.measurement.sampled import Record

_IDLE, _TICK = 0.1, 2e-6  # share of idle time; the seconds that reading two clocks takes
CONFIDENCE = 0.95
PHASES = ("context", "keygen", "encrypt", "evaluate", "decrypt")


class Clock(IntEnum):
    """The index of a clock in a sample."""

    CPU = 0  # of the executing thread
    WALL = 1


def least(records: Iterable[Record], clock: Clock = Clock.CPU) -> Floats:
    """The least seconds of each operation over all repetitions of one job's records, of shape (operations,).

    Raises ValueError where none of the records has a measurement.
    """
    found: Floats = _passes(records, clock).min(axis=0)
    return found


def least_interval(passes: Sequence[float]) -> tuple[float, float]:
    """The interval that holds, with `CONFIDENCE`, the least seconds that any number of passes would find.

    `passes` are the least seconds of each pass, which are taken as independent. Of the two least of them,
    y1 <= y2, it is [y1 - (y2 - y1) c / (1 - c), y1], where times just above the least are as likely as any
    [RobWhi64]. Its lower end is 0 for one pass, and never less.
    """
    ordered = sorted(passes)
    if len(ordered) < 2:
        return 0.0, ordered[0]
    gap = ordered[1] - ordered[0]
    return max(0.0, ordered[0] - gap * CONFIDENCE / (1 - CONFIDENCE)), ordered[0]


def least_running(samples: Floats) -> Floats:
    """The least wall seconds among samples in which the executing thread ran all the time but a tenth.

    `samples` has shape (repetitions, ..., 2). The result is NaN where the thread never ran so much. A thread
    of a parallel loop spins while it awaits the others: when it does not run, the machine has given its
    processor, or another thread's, to another process.
    """
    cpu, wall = samples[..., Clock.CPU], samples[..., Clock.WALL]
    found: Floats = np.where(wall <= cpu * (1 + _IDLE) + _TICK, wall, np.inf).min(axis=0)
    return np.where(np.isinf(found), np.nan, found)


def least_phase(records: Iterable[Record], phase: str, clock: Clock = Clock.CPU) -> float:
    """The least seconds of one of PHASES over all records of one job.

    It is the time of a whole repetition, which is more than the sum of the least times of its operations.
    """
    return float(phase_samples(records, phase)[:, clock].min())


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """One job over all its passes. Arrays are of shape (operations,)."""

    records: tuple[Record, ...]  # those with a measurement
    passes: Floats  # least seconds in each pass, of shape (passes, operations)
    cpu: Floats  # least seconds
    wall: Floats  # least seconds
    spread: Floats  # (the greatest of the passes' least CPU times - the least) / the least; 0 for one pass
    wall_factor: float  # median wall seconds per CPU second in `evaluate`
    running: float  # median over operations of the least wall seconds per least CPU second
    load: float  # the most processes that wanted to run before or after a pass

    @property
    def first(self) -> Record:
        """The first record, for what all passes have in common: parameters, program, label, sizes."""
        return self.records[0]


def summaries(records: Iterable[Record]) -> list[Summary]:
    """One summary per job with a measurement, in order of first appearance.

    Jobs are told apart by their machine and their key.
    """
    by_job: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        if r.measurement is not None:
            by_job.setdefault((r.machine, r.key), []).append(r)
    return [_summary(passes) for passes in by_job.values()]


def failures(records: Iterable[Record]) -> list[Record]:
    """The records without a measurement, or with a wrong result."""
    return [r for r in records if r.outcome != "measured"]


def measurements(records: Iterable[Record]) -> list[Measurement]:
    return [r.measurement for r in records if r.measurement is not None]


def operation_samples(records: Iterable[Record]) -> Floats:
    """All repetitions of all records of one job, of shape (repetitions, operations, 2): [cpu, wall]."""
    return np.concatenate([_samples(m) for m in measurements(records)])


def phase_samples(records: Iterable[Record], phase: str) -> Floats:
    """All seconds of one of PHASES in all records of one job, of shape (times, 2): [cpu, wall]."""
    timings = [m.phases.named()[phase] for m in measurements(records)]
    return np.concatenate([np.array([t.cpu.seconds, t.wall.seconds]).T for t in timings])


def _summary(records: list[Record]) -> Summary:
    passes = _passes(records, Clock.CPU)
    cpu, wall = passes.min(axis=0), least(records, Clock.WALL)
    return Summary(
        tuple(records),
        passes,
        cpu,
        wall,
        (passes.max(axis=0) - cpu) / np.maximum(cpu, 1e-9),  # no division by 0: a drop may take no time
        wall_factor(records),
        float(np.median(wall / np.maximum(cpu, 1e-9))),
        max(max(r.environment["load_before"], r.environment["load_after"] or 0.0) for r in records),
    )


def wall_factor(records: Iterable[Record]) -> float:
    """Wall seconds per CPU second of `evaluate`: the median over all repetitions."""
    seconds = phase_samples(records, "evaluate")
    return float(np.median(seconds[:, Clock.WALL] / np.maximum(seconds[:, Clock.CPU], 1e-9)))


def _passes(records: Iterable[Record], clock: Clock) -> Floats:
    """The least seconds in each pass, of shape (passes, operations)."""
    return np.array([_samples(m)[..., clock].min(axis=0) for m in measurements(records)])


def _samples(m: Measurement) -> Floats:
    if m.operations is None:
        raise ValueError("the worker sent no samples of its operations")
    return m.operations
