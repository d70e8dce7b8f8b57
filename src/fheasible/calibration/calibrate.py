"""Measure a machine: the only part of calibration that runs anything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from types import MappingProxyType

import numpy as np

from fheasible.calibration.band import band_of
from fheasible.calibration.bootstraps import with_bootstraps
from fheasible.calibration.candidates import CalibrationRun, candidates
from fheasible.calibration.defaults import guess
from fheasible.calibration.design import Offer, Rows, choose
from fheasible.calibration.fit import fit
from fheasible.calibration.memory import memory_models
from fheasible.calibration.observed import least_of, observed
from fheasible.calibration.steady import LEAST_PASSES, Paced, unsteady, until_steady
from fheasible.calibration.threads import fit_threads, thread_jobs
from fheasible.calibration.workload import values
from fheasible.errors import WorkerFailed
from fheasible.estimation.features import Caches, Shape, features
from fheasible.estimation.profile import Profile, named
from fheasible.estimation.sizes import sizes
from fheasible.estimation.tally import items
from fheasible.libraries.layout import Task
from fheasible.libraries.library import Library
from fheasible.libraries.work import layout_of
from fheasible.measurement.environment import now
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.least import Summary, measurements, summaries
from fheasible.measurement.machine import Machine, this_machine
from fheasible.measurement.pace import reference_loop
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import sample
from fheasible.measurement.session import WorkerSession
from fheasible.program.types import Program
from fheasible.store.store import Store

L3_BYTES_A_CORE = 4 << 20  # recent server processors have 1.4 to 5 MiB per core
SECONDS, THOROUGH_SECONDS = 15.5, 150.0  # for each library
START_SECONDS = 0.5  # to start a process that loads a library
TIMEOUT_SECONDS = 120.0
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A chosen candidate, and what all its passes are expected to take."""

    candidate: CalibrationRun
    seconds: float


def calibrate(
    library: Library,
    store: Store | None,
    threads: int,
    report: Report,
    thorough: bool = False,
    earlier: Profile | None = None,
    bootstrapping: bool = False,
) -> Profile:
    """The profile of one library on this machine. WorkerFailed where it cannot run its workload at all.

    Prices are those of one thread. What more `threads` gain is measured as well, where there are more and the
    library uses them; else it is taken from the `earlier` profile. The same holds for what bootstraps cost,
    where `bootstrapping` is asked for. The points of an `earlier` profile of the same build are used, too:
    the least time of each operation counts (`least_of`).
    """
    runs = chosen(library, THOROUGH_SECONDS if thorough else SECONDS)
    jobs = jobs_of([run.candidate for run in runs])
    campaign = f"calibration {now()}"
    with WorkerSession() as session:
        paced = Paced(session, reference_loop)

        def sampled(wanted: Sequence[Job], first: int, passes: int) -> list[Record]:
            return sample(wanted, store, campaign, passes, report=report, run=paced, first=first)

        records = until_steady(jobs, sampled, paced)
    failed = [r for r in records if r.measurement is None]
    if len(failed) == len(records):
        why = failed[0].message if failed else "its runs would take longer than the time limit"
        raise WorkerFailed(f"{library.name} could not run any part of its calibration: {why}")
    found = replace(profile(library, records, earlier, paced.slowed), pace_seconds=_pace(paced, earlier))
    known = earlier if earlier and alike(earlier, library, found.build, found.caches) else None
    found = replace(
        found,
        parallel=known.parallel if known else None,
        bootstraps=known.bootstraps if known else None,
        switching=known.switching if known else {},
    )
    if threads != 1:
        found = _with_threads(library, found, store, threads, report)
    return with_bootstraps(library, found, store, report) if bootstrapping else found


def _pace(paced: Paced, earlier: Profile | None) -> float | None:
    """The least CPU seconds of the reference loop beside these prices, now or in the earlier profile."""
    known = (paced.least, earlier.pace_seconds if earlier else None)
    return min((seconds for seconds in known if seconds is not None), default=None)


def _with_threads(
    library: Library, found: Profile, store: Store | None, threads: int, report: Report
) -> Profile:
    jobs = thread_jobs(library, (1, threads))
    if not jobs:
        return found
    records = sample(jobs, store, f"threads {now()}", passes=LEAST_PASSES, report=report)
    try:
        parallel = fit_threads(records)
    except ValueError as error:
        raise WorkerFailed(
            f"{library.name} with {threads} threads: {error}", "leave the machine idle"
        ) from error
    return replace(found, parallel=parallel)


def profile(
    library: Library,
    records: Sequence[Record],
    earlier: Profile | None = None,
    slowed: Mapping[str, float] = MappingProxyType({}),
) -> Profile:
    """The profile fitted to those records and to the points of an earlier calibration; nothing is run.

    `slowed`: by the key of each job, how much longer than at its best a reference loop took beside it, as a
    fraction. Times that were still falling may be wrong by as much again. This error is independent of the
    others, so its square is added in the error band.
    """
    seen, caches = summaries(records), caches_of(this_machine())
    first = seen[0].first
    build = str(first.environment.get("binding") or "")
    before = earlier if earlier and alike(earlier, library, build, caches) else None
    points = least_of([*(p for s in seen for p in observed(s)), *(before.points if before else ())])
    prices, usual = fit(points, caches), {p.shape: p.seconds for p in points}
    own = (
        float(np.quantile([s.running for s in seen], 0.25)),
        float(np.median([composition(s, usual) for s in seen])),
        sum(unsteady(records, slowed).values()) / len(seen),
    )
    wall, whole, still = map(min, own, _factors(before) if before else own)
    return Profile(
        first.machine,
        library.name,
        str(first.environment["version"]),
        1,
        str(first.environment["started"]),
        caches,
        prices.shared,
        prices.own,
        memory_models(r for r in records if r.number == 0),
        hypot(band_of(points, caches), still),
        wall,
        whole,
        tuple(points),
        build=build,
        unsteady=still,
    )


def _factors(p: Profile) -> tuple[float, float, float]:
    return p.wall_factor, p.composition, p.unsteady


def alike(earlier: Profile, library: Library, build: str, caches: Caches) -> bool:
    """Whether an earlier profile measured the same code on the same machine.

    If so, the lesser of both times counts for each operation: other processes only make times longer, so a
    busy minute spoils no profile.
    """
    same = (earlier.library, earlier.version, earlier.build) == (library.name, library.version, build)
    return same and earlier.caches == caches and earlier.machine == this_machine().fingerprint


def caches_of(machine: Machine) -> Caches:
    """The caches of one core: the second level as the system reports it, and a share of the third level.

    A core has its second level to itself. The third level is shared: a virtual machine reports all that the
    processor has (480 MiB for two cores of 120) and shares it with the other machines there. The part of its
    cores is at most L3_BYTES_A_CORE each. On a two-core AMD EPYC that reports 32 MiB, and on a two-core Intel
    Xeon that reports 480 MiB, left-out contexts of all three libraries are predicted best with 8 MiB (sizes
    from 4 to 480 MiB were tried). A size that is too small costs little, because the price of a missed byte
    is fitted. A size that is too large leaves no points beyond it to fit that price to.
    """
    common = Caches()
    l3 = min(machine.l3_bytes or common.l3_bytes, machine.cores * L3_BYTES_A_CORE)
    return Caches(machine.l2_bytes or common.l2_bytes, l3)


def composition(s: Summary, least: Mapping[Shape, float]) -> float:
    """The CPU seconds of the quietest whole run, divided by the sum of its operations' least seconds."""
    p, program = s.first.parameters, s.first.program
    layout = layout_of(p)
    shapes = [Shape.of(p.ring_dimension, layout, item.task(layout), program.slots) for item in items(program)]
    usual = [least.get(shape, float(seconds)) for shape, seconds in zip(shapes, s.cpu, strict=True)]
    runs = [
        m.operations[:, :, 0].sum(axis=1).min() for m in measurements(s.records) if m.operations is not None
    ]
    return float(min(runs) / sum(usual))


def jobs_of(candidates: Sequence[CalibrationRun]) -> list[Job]:
    """The jobs that run the candidates, numbered from 1 within each scheme, with linear candidates apart.

    The only candidate of a scheme gets number 1, and so shows what odd numbers do.
    """
    kinds = [(c.parameters.scheme, c.linear) for c in candidates]
    return [job(c, kinds[: i + 1].count(kinds[i])) for i, c in enumerate(candidates)]


def job(candidate: CalibrationRun, number: int) -> Job:
    """The job that runs a candidate; odd and even numbers differ in what they decrypt and in their keys."""
    p, program = candidate.parameters, candidate.program(number)
    plan = RunPlan(candidate.repetitions, warmup=1)
    label = f"{p.library} {p.scheme} N={p.ring_dimension}"
    inputs = {"x": values(program.scheme, 2 * program.slots)}
    return Job(p, program, inputs, plan, RunOptions(sizes=False), timeout=TIMEOUT_SECONDS, label=label)


def chosen(library: Library, seconds: float) -> list[MeasuredRun]:
    """The runs that determine predictions best within `seconds`, by a guess at the library's prices."""
    guessed = guess(library.name)
    every = [c for scheme in library.schemes for c in candidates(library, scheme)]
    offers = [offer(c, guessed) for c in every]
    targets = _together([o.rows for o in offers])
    runs = choose(offers, targets, seconds)
    return [MeasuredRun(every[i], offers[i].seconds) for i in runs]


def _together(tables: Sequence[Mapping[str, Rows]]) -> dict[str, Rows]:
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: np.concatenate([t[name] for t in tables if name in t]) for name in names}


def offer(candidate: CalibrationRun, guessed: Profile) -> Offer:
    """The seconds that all passes of a candidate take, and the rows of features that each operation shows."""
    p, program = candidate.parameters, candidate.program(0)
    shapes = shapes_of(candidate, program)
    seconds = np.array([guessed.seconds(s) for s in shapes])
    table = np.array([features(s, guessed.caches) for s in shapes]) / seconds[:, None]
    names = [named(s) for s in shapes]
    rows = {name: table[[i for i, n in enumerate(names) if n == name]] for name in dict.fromkeys(names)}
    keys = Task("keygen", p.limbs - 1, sizes(program, p).evaluation_keys)
    keygen = guessed.seconds(Shape(p.ring_dimension, layout_of(p), keys))
    once = (candidate.repetitions + 1) * float(seconds.sum()) + keygen
    return Offer(LEAST_PASSES * once + START_SECONDS, rows)


def shapes_of(candidate: CalibrationRun, program: Program) -> list[Shape]:
    p = candidate.parameters
    layout = layout_of(p)
    return [Shape.of(p.ring_dimension, layout, item.task(layout), program.slots) for item in items(program)]
