"""A sampling campaign: every job in passes separated in time, every sample kept, each run stored at once.

Load on a shared machine comes in bursts of seconds. All jobs run once before any job runs again, and each
pass has another order, so that a burst does not meet the same job in every pass. The least CPU time over the
passes is then that of an undisturbed run.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.errors import WorkerFailed
from fheasible.measurement.environment import observe
from fheasible.measurement.execute import execute_on
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.job import Job
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Hello, Measurement
from fheasible.measurement.sampled import Record, from_row, record_of, to_row
from fheasible.measurement.worker import Worker
from fheasible.store.store import Store

Report = Callable[[str, int, int], None]  # label, runs done, runs in all
Check = Callable[[Job, Measurement], Json]  # what the outputs show; {"correct": False} makes a run "wrong"

PASSES = 2


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of the schedule."""

    job: Job
    number: int  # the number of the pass, from 0
    position: int  # the place in the pass


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of a run; `hello` is there where the worker said it."""

    outcome: str
    message: str = ""
    measurement: Measurement | None = None
    hello: Hello | None = None


def attempt(job: Job) -> Attempt:
    """The outcome of one run in a fresh process; whatever goes wrong in the run is an outcome too."""
    try:
        with Worker(job.library, job.plan.threads) as worker:
            return attempt_on(worker, job)
    except WorkerFailed as error:  # it said no hello
        return Attempt(outcome_of(error), error.message)


def attempt_on(worker: Worker, job: Job) -> Attempt:
    """The outcome of one run by a worker that is already running."""
    try:
        measured = execute_on(
            worker, job.program, job.worker_parameters, job.inputs, job.plan, job.options,
            timeout=job.timeout,
        )  # fmt: skip
    except WorkerFailed as error:
        return Attempt(outcome_of(error), error.message, None, worker.hello)
    return Attempt("measured", "", measured, worker.hello)


Run = Callable[[Job], Attempt]


def schedule(jobs: Sequence[Job], passes: int = PASSES, seed: int = 0, first: int = 0) -> list[Turn]:
    """The turns of whole passes, one pass after another from `first` on.

    Each pass has an order of its own, which `seed` alone decides. Half of the jobs keep to the first half of
    every pass and half to the second, so that at least half a pass lies between two runs of a job.
    """
    drawn = random.Random(f"{seed}").sample(jobs, len(jobs))
    turns = []
    for number in range(first, passes):
        order = _shuffled([j for j in drawn if j.passes is None or number < j.passes], f"{seed}/{number}")
        turns += [Turn(job, number, position) for position, job in enumerate(order)]
    return turns


def _shuffled(jobs: list[Job], seed: str) -> list[Job]:
    """Both halves of the jobs, each in a random order that `seed` decides."""
    chance, middle = random.Random(seed), len(jobs) // 2
    return [j for half in (jobs[:middle], jobs[middle:]) for j in chance.sample(half, len(half))]


def sample(
    jobs: Sequence[Job],
    store: Store | None,
    campaign: str,
    passes: int = PASSES,
    seed: int = 0,
    report: Report | None = None,
    check: Check | None = None,
    run: Run = attempt,
    first: int = 0,
) -> list[Record]:
    """The records of every job in every pass from `first` on, in the order of jobs, then of passes.

    What is stored under the same campaign from this machine is not run again, except where the worker died or
    took too long; equal jobs run once. A refusal, a death or an overrun is a record. Raises LibraryMissing
    where a library does not say hello.
    """
    known = {} if store is None else {k: r for k, r in recorded(store, campaign).items() if settled(r)}
    turns = schedule(jobs, passes, seed, first)
    for done, turn in enumerate(turns):
        if report is not None:
            report(turn.job.label, done, len(turns))
        if (turn.job.key, turn.number) not in known:
            made = taken(turn, campaign, seed, run, check)
            known[made.key, made.number] = made if store is None else kept(store, made)
    if report is not None:
        report("", len(turns), len(turns))
    return [known[j.key, n] for j in jobs for n in range(first, passes) if (j.key, n) in known]


def recorded(
    store: Store, campaign: str, library: str | None = None, scheme: str | None = None
) -> dict[tuple[str, int], Record]:
    """What is stored of a campaign from this machine, by job and pass.

    Only that of one library or scheme is taken, if it is given.
    """
    here = this_machine().fingerprint
    found = records(store, campaign, library, scheme)
    return {(r.key, r.number): r for r in found if r.machine == here}


def settled(r: Record) -> bool:
    """Whether another try would not change the outcome."""
    return r.outcome not in ("died", "killed for memory", "timed out")


def records(
    store: Store, campaign: str, library: str | None = None, scheme: str | None = None
) -> list[Record]:
    """All records that are stored of a campaign, from whatever machine, in order of measuring."""
    return [from_row(row) for row in store.samples(campaign, library, scheme)]


def kept(store: Store, made: Record) -> Record:
    """The record, which is stored now."""
    store.add_sample(to_row(made), made.environment)
    return made


def taken(turn: Turn, campaign: str, seed: int, run: Run, check: Check | None) -> Record:
    """The record of a turn, which is run now."""
    job = turn.job
    before = observe(job.library, job.plan.threads, seed)
    came = run(job)
    environment = before.finished(came.hello).to_json()
    found = check(job, came.measurement) if check and came.measurement else {}
    outcome = "wrong" if found.get("correct") is False else came.outcome
    return record_of(
        job, campaign, turn.number, turn.position, seed, environment, outcome, came.message,
        came.measurement, found,
    )  # fmt: skip
