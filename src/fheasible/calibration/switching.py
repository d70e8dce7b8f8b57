"""What comparisons by scheme switching take on this machine: `fheasible calibrate --switching`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.optimize import nnls

from fheasible.errors import WorkerFailed
from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import EXTREMES, LEAVE, Steps, SwitchingModel, named
from fheasible.estimation.switching_units import units
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import request_for
from fheasible.measurement.operation_passes import in_fresh_process
from fheasible.measurement.operations import SWITCHING, Item, OperationJob, TimedItems, is_noise

RUNS: Final = ((1 << 12, 20, 4), (1 << 12, 20, 16), (1 << 13, 18, 4))
"""Ring dimension, depth and slots of each run. FHEW has toy parameters, whose keys fit any machine."""
SECURE_RUNS: Final = ((1 << 12, 20, 4), (1 << 12, 20, 2))
"""The same for secure FHEW parameters, whose keys take 5 GB. CKKS may be insecure: only the cost matters."""
_SECURE_TIMEOUT_SECONDS: Final = 3600.0
_OPERATIONS: Final = tuple(name for name in SWITCHING if name != EXTREMES[1])  # both extremes cost the same
_REPETITIONS: Final = 2
_TIMEOUT_SECONDS: Final = 600.0
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class SwitchedTime:
    """The least CPU seconds of an operation on `slots` slots, with U and V of its set."""

    operation: str
    slots: int
    way_back: float
    rotation: float
    seconds: float


def calibrate_switching(
    library: Library, profile: Profile, report: Report, fhew: int | None = None
) -> Profile:
    """The profile with what scheme switching takes with FHEW of that security, beside what it knew of others.

    WorkerFailed where it goes wrong or its results are not right.
    """
    runs = RUNS if fhew is None else SECURE_RUNS
    jobs = [replace(insecure_job(library, *run), fhew=fhew) for run in runs]
    found, bytes_taken = [], 0
    for done, job in enumerate(jobs):
        report(f"{library.name}, {job.slots} slots", done, len(jobs))
        timed = in_fresh_process(job, _TIMEOUT_SECONDS if fhew is None else _SECURE_TIMEOUT_SECONDS)
        found += times_of(job, timed, profile)
        bytes_taken = max(bytes_taken, timed.memory["switching_bytes"])
    return replace(profile, switching={**profile.switching, named(fhew): fitted(found, bytes_taken)})


def insecure_job(library: Library, n: int, depth: int, slots: int) -> OperationJob:
    """A job of all operations, in a ring of a dimension that is too small to be secure."""
    asked = request_for("ckks", depth, None, ring_dimension=n, scale_bits=50, first_bits=60)
    p = library.parameters(asked)
    items = tuple(Item(name, p.levels) for name in _OPERATIONS)
    automatic = library.own_style(p.scheme, p.technique or None).automatic
    return OperationJob(p, slots, items, automatic, repetitions=_REPETITIONS)


def times_of(job: OperationJob, timed: TimedItems, profile: Profile) -> list[SwitchedTime]:
    for each in timed.items:
        if each.refused or is_noise(job, each):
            said = each.refused or f"its result is off by {each.error}"
            raise WorkerFailed(f"{each.item.operation} of {job.slots} slots: {said}")
    back, rotation = units(job.parameters, job.slots, profile)
    return [
        SwitchedTime(each.item.operation, job.slots, back, rotation, min(each.timing.cpu.seconds))
        for each in timed.items
    ]


def fitted(times: Sequence[SwitchedTime], key_bytes: int) -> SwitchingModel:
    """The factors by which the relative errors of all times are least, none of them below 0.

    Leaving alone takes so little of a comparison that its factor comes from its own times.
    """
    leaving = _factors([t for t in times if t.operation == LEAVE])[2]
    sign, returning, _ = _factors(
        [replace(t, seconds=t.seconds - _leave(t, leaving)) for t in times if t.operation != LEAVE], 2
    )
    return SwitchingModel(sign, returning, leaving, key_bytes)


def _leave(t: SwitchedTime, leaving: float) -> float:
    return SwitchingModel(0.0, 0.0, leaving, 0).seconds(t.operation, t.slots, t.way_back, t.rotation)


def _factors(times: Sequence[SwitchedTime], used: int = 3) -> tuple[float, float, float]:
    rows = [Steps.of(t.operation, t.slots).parts(t.slots, t.way_back, t.rotation)[:used] for t in times]
    seconds = np.array([t.seconds for t in times])
    found, _ = nnls(np.array(rows, dtype=np.float64) / seconds[:, None], np.ones(len(times)))
    sign, returning, leaving = [*found.tolist(), 0.0][:3]
    return sign, returning, leaving
