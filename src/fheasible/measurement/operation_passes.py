"""Single operations measured in passes, each stored at once, so that the next call continues.

All jobs are measured once, each in a fresh process, before any is measured again. They go on until every
operation's least time is known well enough.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from fheasible.errors import WorkerFailed
from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import observe
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.least import Clock, least_interval
from fheasible.measurement.limited.confined import confined
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import this_machine
from fheasible.measurement.operations import Item, OperationJob, TimedItem, TimedItems, measure_on
from fheasible.measurement.worker import Worker
from fheasible.store.rows import Sample, StoredSample
from fheasible.store.store import Store

CAMPAIGN: Final = "operations"  # of these rows in the store
Report = Callable[[str, float, float], None]
Measure = Callable[[OperationJob, float | None], TimedItems]


@dataclass(frozen=True, slots=True)
class Until:
    """When measuring ends: after `passes` passes, and then as soon as the interval of every operation's least
    time is at most `narrow` of it, or after `most` passes. None: `passes` are enough."""

    passes: int = 3
    narrow: float | None = None
    most: int = 30


@dataclass(frozen=True)
class JobPasses:
    """What is known of a job. `failed` says why its last run had no result."""

    job: OperationJob
    runs: tuple[TimedItems, ...] = ()
    failed: WorkerFailed | None = None
    stored_before: int = 0  # the number of runs that earlier calls have stored

    def timed(self, item: Item) -> list[TimedItem]:
        """The item in every run, in order of measuring."""
        return [t for run in self.runs for t in run.items if t.item == item]

    def least(self, item: Item, clock: Clock = Clock.CPU) -> list[float]:
        """The least seconds of the item in each pass."""
        timings = [t.timing.wall if clock is Clock.WALL else t.timing.cpu for t in self.timed(item)]
        return [min(t.seconds) for t in timings if t.seconds]

    def interval(self, item: Item) -> tuple[float, float] | None:
        """The interval of the item's least CPU seconds; None where it was not measured."""
        passes = self.least(item)
        return least_interval(passes) if passes else None

    @property
    def widest(self) -> float:
        """The width of the widest interval of all items, as a part of the least time."""
        found = [i for item in self.job.items if (i := self.interval(item)) is not None]
        return max(((high - low) / high for low, high in found if high > 0), default=0.0)

    def settled(self, until: Until) -> bool:
        """Whether the job need not be measured again."""
        if self.failed is not None or len(self.runs) >= max(until.most, until.passes):
            return True
        return len(self.runs) >= until.passes and (until.narrow is None or self.widest <= until.narrow)


def measure_passes(
    jobs: Sequence[OperationJob],
    until: Until,
    store: Store,
    report: Report,
    timeout: Mapping[str, float] = MappingProxyType({}),
    again: bool = False,
    measure: Measure | None = None,
    limit: MemoryLimit | None = None,
) -> list[JobPasses]:
    """The passes of every job, in the order of jobs, each run within that limit on its memory.

    What is stored of a job from this machine and version, under the same limit, counts, unless it is measured
    `again`. `timeout` are the seconds after which a job's run is given up, by its key. Raises LibraryMissing
    where a library does not say hello, LimitImpossible where its memory cannot be limited so.
    """
    measure = measure or partial(in_fresh_process, limit=limit)
    rows = store.samples(CAMPAIGN)
    known = [JobPasses(job) if again else _stored(job, rows, limit) for job in jobs]
    numbers = {job.key: _next_number(job, rows) for job in jobs}
    at = 0
    while waiting := [i for i, passes in enumerate(known) if not passes.settled(until)]:
        for i in random.Random(f"{at}").sample(waiting, len(waiting)):
            job = known[i].job
            label = f"{job.library} {job.scheme}, {job.slots} slots"
            done = sum(min(len(p.runs), until.passes) for p in known)
            report(label, done, until.passes * len(known))
            known[i] = _once(known[i], numbers[job.key], at, store, timeout.get(job.key), measure, limit)
            numbers[job.key] += 1
        at += 1
    return known


def _once(
    known: JobPasses, number: int, position: int, store: Store, timeout: float | None, measure: Measure,
    limit: MemoryLimit | None,
) -> JobPasses:  # fmt: skip
    """The passes with one more, which is stored, whatever its outcome."""
    job = known.job
    before = observe(job.library, job.threads, job.seed, limit=limit)
    try:
        found = measure(job, timeout)
    except WorkerFailed as error:
        outcome = outcome_of(error)
        _store(store, job, number, position, before.finished().to_json(), outcome, None, error.message)
        return replace(known, failed=error)
    _store(store, job, number, position, before.finished(found.hello).to_json(), "measured", found)
    return replace(known, runs=(*known.runs, found))


def in_fresh_process(
    job: OperationJob, timeout: float | None, limit: MemoryLimit | None = None
) -> TimedItems:
    with confined(limit) as group, Worker(job.library, job.threads, confined=group) as worker:
        if group is None:
            return measure_on(worker, job, timeout=timeout)
        with group.followed() as follower:
            found = measure_on(worker, job, timeout=timeout)
        return replace(found, limited=follower.usage())


def _store(
    store: Store, job: OperationJob, number: int, position: int, environment: Mapping[str, object],
    outcome: str, found: TimedItems | None, message: str = "",
) -> None:  # fmt: skip
    figures = None if found is None else found.to_json()
    store.add_sample(
        Sample(
            CAMPAIGN, job.key, job.library, job.scheme, job.to_json(), number, position, outcome, message,
            figures,
        ),
        environment,
    )  # fmt: skip


def machine_passes(job: OperationJob, rows: Sequence[StoredSample]) -> list[tuple[StoredSample, JobPasses]]:
    """What is stored of the job from each machine and version of the library, without a limit on memory, with
    the newest row of each."""
    by_source: dict[tuple[str, str], list[StoredSample]] = {}
    for row in rows:
        limited = row.environment.get("memory_limit") is not None
        if row.sample.key == job.key and row.sample.figures and not limited:
            source = (str(row.environment["machine"]), str(row.environment["version"]))
            by_source.setdefault(source, []).append(row)
    return [
        (max(of, key=lambda row: row.id), JobPasses(job, _runs(of), stored_before=len(of)))
        for of in by_source.values()
    ]


def _runs(rows: Sequence[StoredSample]) -> tuple[TimedItems, ...]:
    return tuple(TimedItems.from_json(row.sample.figures) for row in rows if row.sample.figures)


def _stored(job: OperationJob, rows: Sequence[StoredSample], limit: MemoryLimit | None) -> JobPasses:
    """What is stored of the job from this machine, by this version of the library, under that limit."""
    here, version = this_machine().fingerprint, library(job.library).version
    allowed = None if limit is None else limit.to_json()
    found = [
        row
        for row in rows
        if row.sample.key == job.key
        and row.environment["machine"] == here
        and row.environment.get("memory_limit") == allowed
        and f"{row.environment['version']}.".startswith(f"{version}.")
    ]
    runs = _runs(found)
    return JobPasses(job, runs, stored_before=len(runs))


def _next_number(job: OperationJob, rows: Sequence[StoredSample]) -> int:
    """The number of the job's next pass."""
    return max((row.sample.number + 1 for row in rows if row.sample.key == job.key), default=0)
