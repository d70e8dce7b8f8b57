"""Passes over the runs of a calibration until nothing that they show gets less: what other processes do to a
machine only makes times longer.

A run is steady when its other passes show what its quietest one does, and when a reference loop took about
its least time beside one of its passes. Those that are not are run again; what stays unsteady is said.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fheasible.measurement.job import Job
from fheasible.measurement.least import summaries
from fheasible.measurement.pace import PACE
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import Attempt, Run

LEAST_PASSES, MOST_PASSES = 2, 5
TOLERANCE = 0.02  # of a run's time; a quiet machine's passes differ by less

Sampled = Callable[[Sequence[Job], int, int], list[Record]]


@dataclass(slots=True)
class Paced:
    """Runs jobs by `run`, with the reference loop before and after each: `beside` has the longer of the two,
    in CPU seconds, of every run of each job."""

    run: Run
    loop: Callable[[], float]
    beside: dict[str, list[float]] = field(default_factory=dict)

    def __call__(self, job: Job) -> Attempt:
        before = self.loop()
        came = self.run(job)
        self.beside.setdefault(job.key, []).append(max(before, self.loop()))
        return came

    @property
    def slowed(self) -> dict[str, float]:
        """How much longer the loop took than at its best, beside the quietest run of each job: 0 or more."""
        least = self.least
        return {key: min(seconds) / least - 1 for key, seconds in self.beside.items()} if least else {}

    @property
    def least(self) -> float | None:
        """What the loop took at its best; None where nothing ran."""
        return min((min(seconds) for seconds in self.beside.values()), default=None)


def until_steady(jobs: Sequence[Job], sampled: Sampled, paced: Paced) -> list[Record]:
    """The records of LEAST_PASSES passes of every job, and of up to MOST_PASSES of those that are not steady.

    `sampled(jobs, first, passes)` makes those of the passes from `first` to before `passes`.
    """
    records = sampled(jobs, 0, LEAST_PASSES)
    for number in range(LEAST_PASSES, MOST_PASSES):
        again = unsteady(records, paced.slowed)
        if not again:
            break
        records += sampled([job for job in jobs if job.key in again], number, number + 1)
    return records


def unsteady(records: Sequence[Record], slowed: Mapping[str, float]) -> dict[str, float]:
    """By its key, each job that is not steady, and how much its time may still fall, as a part of it."""
    found = {}
    for s in summaries(records):
        still, pace = falling(s.passes), slowed.get(s.first.key, 0.0)
        if still > TOLERANCE or pace > PACE - 1:
            found[s.first.key] = max(still, pace)
    return found


def falling(passes: NDArray[np.float64]) -> float:
    """By how much the quietest of passes (pass, operation) lowers what the others show, as a part of it; 1 of
    a single pass."""
    quietest = passes.sum(axis=1).argmin()
    others = np.delete(passes, quietest, axis=0)
    return float(others.min(axis=0).sum() / passes.min(axis=0).sum() - 1) if len(others) else 1.0
