"""Passes over the runs of a calibration, repeated until the times that they show no longer fall.

What other processes do to a machine only makes times longer. A run is steady when its other passes show the
same times as its quietest one, and when a reference loop took about its least time beside one of its passes.
Runs that are not steady are run again. How far a run is still unsteady is reported.
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
TOLERANCE = 0.02  # a share of a run's time; a quiet machine's passes differ by less

Sampled = Callable[[Sequence[Job], int, int], list[Record]]


@dataclass(slots=True)
class Paced:
    """Runs jobs by `run`, with the reference loop before and after each.

    `beside` has, for every run of each job, the longer of the two loop times in CPU seconds.
    """

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
        """How much longer than at its best the loop took beside each job's quietest run, as a fraction by
        key."""
        least = self.least
        return {key: min(seconds) / least - 1 for key, seconds in self.beside.items()} if least else {}

    @property
    def least(self) -> float | None:
        """The CPU seconds that the loop took at its best; None where nothing was run."""
        return min((min(seconds) for seconds in self.beside.values()), default=None)


def until_steady(jobs: Sequence[Job], sampled: Sampled, paced: Paced) -> list[Record]:
    """The records of LEAST_PASSES passes of every job, and of up to MOST_PASSES of jobs that are not steady.

    `sampled(jobs, first, passes)` makes the records of the passes from `first` to before `passes`.
    """
    records = sampled(jobs, 0, LEAST_PASSES)
    for number in range(LEAST_PASSES, MOST_PASSES):
        again = unsteady(records, paced.slowed)
        if not again:
            break
        records += sampled([job for job in jobs if job.key in again], number, number + 1)
    return records


def unsteady(records: Sequence[Record], slowed: Mapping[str, float]) -> dict[str, float]:
    """The jobs that are not steady, by key, with the fraction by which each time may still fall."""
    found = {}
    for s in summaries(records):
        still, pace = falling(s.passes), slowed.get(s.first.key, 0.0)
        if still > TOLERANCE or pace > PACE - 1:
            found[s.first.key] = max(still, pace)
    return found


def falling(passes: NDArray[np.float64]) -> float:
    """The fraction by which the quietest pass lowers the least times of the others; 1 for a single pass.

    `passes` has the shape (pass, operation).
    """
    quietest = passes.sum(axis=1).argmin()
    others = np.delete(passes, quietest, axis=0)
    return float(others.min(axis=0).sum() / passes.min(axis=0).sum() - 1) if len(others) else 1.0
