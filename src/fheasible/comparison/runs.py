"""The runs of a selection, sorted by what they did: single operations, and whole applications."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fheasible import units
from fheasible.aliases import Floats, Json
from fheasible.calibration.observed import shown
from fheasible.comparison.selection import Selection, StoredRun
from fheasible.errors import StoreError, UnknownName
from fheasible.estimation.features import Shape
from fheasible.libraries.layout import PRODUCTS, Task
from fheasible.measurement.least import Clock
from fheasible.measurement.operation_passes import CAMPAIGN
from fheasible.measurement.operations import TimedItems
from fheasible.measurement.records import Measurement
from fheasible.measurement.sampled import Record, from_row
from fheasible.store.export_files import export_texts, is_export
from fheasible.store.rows import Sample, StoredMeasurement, StoredSample
from fheasible.store.store import Store

OPERATION, APPLICATION = "operation", "application"
KEYGEN = "keygen"
_IN_MEMORY = "sqlite:///:memory:"
_UNREADABLE = (LookupError, AttributeError, TypeError, ValueError)  # what rows of other versions may cause
_PRIMES = ("primes", "special_primes")  # other versions may choose other primes of the same size
_OF_PRIMES = ("q", "p", "scales")  # the same of an operation's parameters, with what follows from the primes


@dataclass(frozen=True, slots=True)
class Work:
    """What is measured on both sides: an operation in a context, or an application with its parameters.

    Runs are compared only where `alike` agrees, too, and within one library also `exactly`: all else that
    decides the time.
    """

    kind: str
    library: str
    scheme: str
    name: str  # the action, or the application
    n: int
    limbs: int
    level: int | None = None
    digits: int = 0
    threads: int = 1
    detail: str = ""  # what else tells operations of one name apart, for people
    alike: Any = ()
    exactly: Any = ()

    @property
    def at(self) -> str:
        """The level of an operation and the highest level, '2/3'; '-/3' where there is no level."""
        level = "-" if self.level is None or self.scheme == "bfv" else self.level
        return f"{level}/{self.limbs - 1}"

    @property
    def title(self) -> str:
        """The operation or application: 'rotate', 'add (size 3)', 'std_dev (2 threads)'."""
        told = [word for word in (self.detail, f"{self.threads} threads" * (self.threads > 1)) if word]
        return f"{self.name} ({', '.join(told)})" if told else self.name

    @property
    def label(self) -> str:
        """The work in words: 'rotate, 2^13, level 2/3, 2 digits'."""
        words = [self.title, units.power_of_two(self.n), f"level {self.at}"]
        return ", ".join(words + [f"{self.digits} digits"] * bool(self.digits))

    def to_json(self) -> Json:
        names = ("kind", "library", "scheme", "name", "detail", "n", "limbs", "level", "digits", "threads")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class TimedRun:
    """One process that did the work, with every sample.

    `program` names all that the process ran, and `session` the campaign that it was part of.
    """

    process: str
    session: str
    program: str
    seconds: Floats
    environment: Json

    @property
    def least(self) -> float:
        return float(self.seconds.min())


@dataclass(slots=True)
class Side:
    """All runs of a selection."""

    selection: Selection
    runs: dict[Work, list[TimedRun]] = field(default_factory=dict)
    left_out: int = 0  # rows that this version cannot read
    place: str = ""

    @property
    def libraries(self) -> set[str]:
        return {work.library for work in self.runs}

    def across_libraries(self) -> "Side":
        """The same runs, with works described by what all libraries have in common."""
        found = Side(self.selection, {}, self.left_out, self.place)
        for work, runs in self.runs.items():
            common = replace(work, library="", exactly=())
            found.runs[common] = _joined([*found.runs.get(common, ()), *runs])
        return found

    def add(self, work: Work, run: TimedRun) -> None:
        self.runs.setdefault(work, []).append(run)


def _joined(runs: Sequence[TimedRun]) -> list[TimedRun]:
    """The runs, with the samples of each process together."""
    found: dict[str, TimedRun] = {}
    for run in runs:
        before = found.get(run.process)
        samples = run.seconds if before is None else np.concatenate([before.seconds, run.seconds])
        found[run.process] = replace(run, seconds=samples)
    return list(found.values())


def read(selected: Selection, here: Callable[[], Store]) -> Side:
    """The runs of the selection, without those whose memory was limited; `here` opens the store of the call.
    StoreError where no run is selected."""
    side = Side(selected)
    with _store(selected, here) as store:
        side.place = place = selected.place or store.place
        for sample in store.samples(library=selected.library):
            if sample.sample.outcome == "measured" and _free(sample) and selected.holds(_of_sample(sample)):
                _add_sample(side, sample)
        for stored in store.measurements(library=selected.library, outcome="measured"):
            if _free(stored) and selected.holds(_of_measurement(stored)):
                _add_measurement(side, stored)
    if not side.runs:
        raise StoreError(
            f"no measured run is selected by {selected.text!r} in {place}",
            "fheasible results lists applications; fheasible calibrate and accuracy measure operations",
        )
    return side


def _free(row: StoredSample | StoredMeasurement) -> bool:
    """Whether the run's memory was not limited: with less, it may swap, which is no time of the library."""
    return row.environment.get("memory_limit") is None


def _store(selected: Selection, here: Callable[[], Store]) -> Store:
    if selected.place is None:
        return here()
    path = Path(selected.place).expanduser()
    if "://" in selected.place or not is_export(path):
        return Store.open(selected.place, reading=True)
    store = Store.open(_IN_MEMORY)
    store.add_lines(export_texts(path), selected.place)
    return store


def _of_sample(row: StoredSample) -> StoredRun:
    s = row.sample
    application = str((s.found or {}).get("application", ""))
    return StoredRun(row.created, s.library, s.scheme, application, s.campaign, row.environment)


def _of_measurement(row: StoredMeasurement) -> StoredRun:
    e = row.entry
    return StoredRun(row.created, e.library, e.scheme, e.app, "", row.environment)


def _add_sample(side: Side, row: StoredSample) -> None:
    alone = row.sample.campaign == CAMPAIGN
    session = row.created if alone else row.sample.campaign
    try:
        found = list(_alone(row.sample) if alone else _works(from_row(row)))
    except (*_UNREADABLE, UnknownName):
        side.left_out += 1
        return
    for work, seconds in found:
        process = f"{side.place}: sample {row.id}"
        side.add(work, TimedRun(process, session, row.sample.key, seconds, row.environment))


def _works(record: Record) -> Iterator[tuple[Work, Floats]]:
    """Each work that the run shows, with all its samples."""
    m = record.measurement
    if m is None or m.operations is None:
        return
    samples: dict[Shape, list[Floats]] = {}
    for place, shape in shown(record.parameters, record.program):
        samples.setdefault(shape, []).append(_samples(m, place, record.threads))
    for shape, each in samples.items():
        yield _operation(shape, record.threads), _positive(np.concatenate(each))
    if "application" in record.found:
        p = record.parameters
        name = str(record.found["application"])
        total = getattr(m.phases.total, _clock(record.threads).name.lower()).seconds
        yield (
            Work(APPLICATION, p.library, p.scheme, name, p.ring_dimension, p.limbs, None, p.digits,
                 record.threads, "", (), (record.key,)),
            _positive(total),
        )  # fmt: skip


def _alone(sample: Sample) -> Iterator[tuple[Work, Floats]]:
    """Each operation that `measure` measured by itself, with all its samples."""
    job, p = sample.content, sample.content["parameters"]
    threads, vectors = int(job["threads"]), (job["slots"], job["sparse"])
    settings = {name: value for name, value in p.items() if name not in _OF_PRIMES}
    for timed in TimedItems.from_json(sample.figures or {}).items:
        if not timed.refused:
            yield (
                Work(
                    OPERATION, p["library"], p["scheme"], timed.item.operation, p["ring_dimension"],
                    len(p["q"]), timed.item.level, p["digits"], threads, f"alone, {job['slots']} slots",
                    vectors, repr(settings),
                ),
                _positive(getattr(timed.timing, _clock(threads).name.lower()).seconds),
            )  # fmt: skip


def _clock(threads: int) -> Clock:
    """CPU time of the executing thread where it does all the work, else wall time."""
    return Clock.CPU if threads == 1 else Clock.WALL


def _samples(m: Measurement, place: int | str, threads: int) -> Floats:
    clock = _clock(threads)
    if isinstance(place, str):
        timing = m.phases.named()[place]
        return np.array(getattr(timing, clock.name.lower()).seconds)
    assert m.operations is not None
    found: Floats = m.operations[:, place, clock]
    return found


def _positive(seconds: Iterable[float]) -> Floats:
    """The samples, with a nanosecond for what takes less than a tick of the clock.

    Raises ValueError where there are none, or some are no numbers.
    """
    found = np.asarray(seconds, dtype=np.float64)
    if not found.size or not np.isfinite(found).all():
        raise ValueError("these are not seconds")
    return np.maximum(found, 1e-9)


def _operation(shape: Shape, threads: int) -> Work:
    layout, task = shape.layout, shape.task
    return Work(
        OPERATION, layout.library, layout.scheme, task.action, shape.n, layout.limbs, task.level,
        layout.digits, threads, _detail(task), (task.polys, task.dropped), (layout, task, shape.slots),
    )  # fmt: skip


def _detail(task: Task) -> str:
    if task.action == KEYGEN:
        return f"{task.polys} keys"
    if task.dropped > 1:
        return f"by {task.dropped}"
    return f"size {task.polys}" if task.polys > 2 and task.action not in PRODUCTS else ""


def _add_measurement(side: Side, row: StoredMeasurement) -> None:
    e = row.entry
    try:
        threads = int(row.environment["threads"])
        clock = f"{_clock(threads).name.lower()}_seconds"
        seconds = _positive((e.measurement or {})[clock]["total"]["samples"])
        p = {name: value for name, value in e.parameters.items() if name not in _PRIMES}
        work = Work(
            APPLICATION, e.library, e.scheme, e.app, int(p.get("ring_dimension") or p["n"]),
            int(p.get("limbs") or 0), None, int(p.get("digits") or 0), threads, "", (e.circuit,), repr(p),
        )  # fmt: skip
    except _UNREADABLE:
        side.left_out += 1
        return
    side.add(
        work, TimedRun(f"{side.place}: result {row.id}", row.created, e.circuit, seconds, row.environment)
    )
