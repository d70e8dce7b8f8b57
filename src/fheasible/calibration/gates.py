"""What bootstraps of bits and small integers cost on this machine: `fheasible calibrate --gates`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.optimize import nnls

from fheasible.errors import WorkerFailed
from fheasible.estimation.profile import Profile
from fheasible.libraries.gates import DECRYPT, ENCRYPT, GATE, KEYGEN, SECRET, priced
from fheasible.libraries.library import Library
from fheasible.measurement.gates import GateJob, TimedGates, measure_gates

# (set, method, log_q, arbitrary, operations): keys of up to 0.5 GiB
_BITS: Final = (KEYGEN, SECRET, ENCRYPT, DECRYPT, GATE)
RUNS: Final = (
    ("TOY", "ginx", None, True, _BITS),
    ("TOY", "ap", None, True, (KEYGEN, GATE)),
    ("TOY", "lmkcdey", None, True, (KEYGEN, GATE)),
    ("MEDIUM", "ginx", None, True, _BITS),
    ("MEDIUM", "lmkcdey", None, True, (KEYGEN, GATE)),
    ("TOY", "ginx", 12, True, (KEYGEN, "binfhe_function")),
    ("TOY", "ginx", 23, False, (KEYGEN, "binfhe_sign")),
    ("TOY", "ginx", 29, False, (KEYGEN, "binfhe_sign")),
)
_REPETITIONS: Final = 8
_TIMEOUT_SECONDS: Final = 300.0
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class GateTime:
    """The least CPU seconds of an operation, with its kernel counts by their priced names."""

    operation: str
    counts: dict[str, float]
    seconds: float


def calibrate_gates(library: Library, profile: Profile, report: Report) -> Profile:
    """The profile with the prices. WorkerFailed where a result is wrong."""
    found: list[GateTime] = []
    for done, (name, method, log_q, arbitrary, operations) in enumerate(RUNS):
        job = GateJob(library.name, name, method, operations, log_q, arbitrary, _REPETITIONS)
        report(f"{library.name}, {name} by {method}", done, len(RUNS))
        found += times_of(library, job, measure_gates(job, timeout=_TIMEOUT_SECONDS))
    return replace(profile, gates=fitted(found))


def times_of(library: Library, job: GateJob, timed: TimedGates) -> list[GateTime]:
    assert library.gates is not None
    of, found = job.set, []
    for item in timed.items:
        if item.refused or item.wrong:
            said = item.refused or f"{item.wrong} of {item.total} results are wrong"
            raise WorkerFailed(f"{item.operation} with {of.name} by {job.method}: {said}")
        counts = library.gates.work(of, job.method, item.operation)
        named = {priced(of, kernel): float(count) for kernel, count in counts.items()}
        found.append(GateTime(item.operation, named, min(item.timing.cpu.seconds)))
    return found


def fitted(times: Sequence[GateTime]) -> dict[str, float]:
    """The prices by which the relative errors of all times are least, none of them below 0."""
    names = sorted({name for t in times for name in t.counts})
    rows = np.array([[t.counts.get(name, 0.0) / t.seconds for name in names] for t in times])
    scale = rows.max(axis=0)
    found, _ = nnls(rows / scale, np.ones(len(times)))
    return {name: float(price) for name, price in zip(names, found / scale, strict=True)}
