"""Each set of a sweep run on the exact ring and stored at once, and what p-calibration makes of the
results."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.aliases import Json
from fheasible.calibration.interpolation import Method
from fheasible.calibration.points import Judgement, best, chosen, judge
from fheasible.circuit import cleartext
from fheasible.circuit.data import random_data
from fheasible.errors import UsageError
from fheasible.exploration.sweeps.ring_analysis import Subject, analyse
from fheasible.exploration.sweeps.ring_grid import Grid, Point, parameters
from fheasible.measurement.ring_job import RingJob
from fheasible.measurement.ring_run import LIBRARY, RingRecord, attempt, here
from fheasible.store.rows import Entry, StoredMeasurement, plain
from fheasible.store.store import Store

Progress = Callable[[str, float, float], None]

KEPT = ("measured", "wrong")  # outcomes that another run would not change
MOST = 100_000  # sets to run one by one: more than a day, at a second each
FEW = 6  # combinations of the other parameters that are kept apart
QUANTITIES = {  # what is predicted: the theoretical figure that it follows from
    "cpu_seconds": "integer_multiplications",
    "peak_bytes": "memory_max_words",
}


@dataclass(frozen=True, slots=True)
class SweepWish:
    """How each set is run. `again`: a set is run even where its result is stored already."""

    repetitions: int = 3
    seed: int = 0
    max_bytes: int | None = None
    timeout: float | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Executed:
    """A set, its predicted figures and the record of its run; `number` is that of the result in the store."""

    point: Point
    figures: Json
    record: RingRecord
    number: int
    stored_before: bool

    def measured(self, quantity: str) -> float | None:
        """The quantity as measured: the least CPU time of one repetition, or the peak; None where there was
        no result."""
        found = self.record.measurement
        if found is None:
            return None
        return float(found["cpu_seconds"]["total"]["min"] if quantity == "cpu_seconds" else found[quantity])

    @property
    def correct(self) -> bool | None:
        """Whether the result was right; None where that is not known."""
        return None if self.record.measurement is None else self.record.measurement["correct"]

    def to_json(self) -> Json:
        return {
            "outcome": self.record.outcome,
            "message": self.record.message,
            "correct": self.correct,
            "measurement": self.record.measurement,
            "result": self.number,
            "stored_before": self.stored_before,
        }


def execute(
    subject: Subject, grid: Grid, wish: SweepWish, store: Store, progress: Progress
) -> Iterator[Executed]:
    """Every set with its result, in the grid's order; each result is stored before the next set begins.
    Results of this machine, version and commit that are stored already are taken from the store. UsageError
    for more than `MOST` sets."""
    if len(grid) > MOST:
        raise UsageError(
            f"{len(grid):,} sets are too many to run", f"take larger steps, so that at most {MOST:,} are run"
        )
    subject.check(np.array(grid.values("t")))
    points = list(grid.points())
    analysis = analyse(subject, points)
    figures = [dict(zip(analysis.columns(), row, strict=True)) for row in analysis.rows()]
    kept = {} if wish.again else _stored(store, subject)
    work = [float(f["integer_multiplications"]) for f in figures]
    done, total = 0.0, sum(work)
    for number, (point, own) in enumerate(zip(points, figures, strict=True)):
        progress(f"set {number + 1} of {len(points)}{_said(grid, point)}", done, total)
        before = kept.get(_key(_request(point, wish)))
        yield _taken(point, own, before) if before else _run(subject, point, own, wish, store)
        done += work[number]


def _run(subject: Subject, point: Point, figures: Json, wish: SweepWish, store: Store) -> Executed:
    job = _job(subject, point, wish)
    record = attempt(job, figures["peak_bytes"], figures["correct"], wish.max_bytes, wish.timeout)
    entry = Entry(
        app=subject.what,
        circuit=_digest(subject),
        library=LIBRARY,
        scheme=subject.scheme.name,
        request=_request(point, wish),
        parameters={**point, "q": str(job.parameters.modulus)},
        outcome=record.outcome,
        estimate=figures,
        measurement=record.measurement,
        message=record.message,
    )
    return Executed(point, figures, record, store.add_measurement(entry, record.environment), False)


def _job(subject: Subject, point: Point, wish: SweepWish) -> RingJob:
    data, truth = {}, {}
    if subject.circuit is not None:
        data = random_data(subject.circuit, wish.seed)
        truth = cleartext.evaluate(subject.circuit, data)
    return RingJob(
        subject.scheme,
        subject.what,
        parameters([point]),
        subject.application,
        {name: values.tolist() for name, values in data.items()},
        {name: values.tolist() for name, values in truth.items()},
        wish.repetitions,
        seed=wish.seed,
    )


def _request(point: Point, wish: SweepWish) -> Json:
    return {**point, "repetitions": wish.repetitions, "seed": wish.seed}


def _key(request: Mapping[str, Any]) -> str:
    return json.dumps(plain(request), sort_keys=True)


def _digest(subject: Subject) -> str:
    if subject.application is not None:
        return subject.application.digest
    return hashlib.sha256(f"{subject.scheme.name}/{subject.what}".encode()).hexdigest()


def _stored(store: Store, subject: Subject) -> dict[str, StoredMeasurement]:
    """The newest stored result of each request, from this machine, version and commit."""
    found: dict[str, StoredMeasurement] = {}
    for row in store.measurements(subject.what, LIBRARY, subject.scheme.name, circuit=_digest(subject)):
        same = all(row.environment.get(name) == value for name, value in here().items())
        if row.entry.outcome in KEPT and same:
            found.setdefault(_key(row.entry.request), row)
    return found


def _taken(point: Point, figures: Json, row: StoredMeasurement) -> Executed:
    e = row.entry
    record = RingRecord(e.outcome, e.measurement, row.environment, e.message)
    return Executed(point, figures, record, row.id, True)


def _said(grid: Grid, point: Point) -> str:
    """The values of the parameters that vary, each after a comma."""
    return "".join(f", {axis.name} = {point[axis.name]}" for axis in grid.axes)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A p-calibration along one parameter, with the others as in `fixed`.

    `values` are those that gave a result, and `executed` their measured figures. `predicted` has a figure for
    each of `all_values`, also for those that gave none.
    """

    axis: str
    fixed: Point
    quantity: str
    theory: str
    method: Method
    p: int
    all_values: tuple[float, ...]
    predicted: tuple[float, ...]
    values: tuple[float, ...]
    executed: tuple[float, ...]
    judgement: Judgement

    def to_json(self) -> Json:
        j = self.judgement
        return {
            "parameter": self.axis,
            "fixed": self.fixed,
            "quantity": self.quantity,
            "theory": self.theory,
            "method": self.method.value,
            "points": self.p,
            "mean_error": j.mean,
            "max_error": j.max,
            "unseen_mean_error": j.unseen_mean,
            "unseen_max_error": j.unseen_max,
            "calibrating_seconds": j.effort.calibrating_seconds,
            "executing_seconds": j.effort.executing_seconds,
            "speedup": j.effort.speedup,
            "predicted": dict(zip(map(str, self.all_values), self.predicted, strict=True)),
            "executed": dict(zip(map(str, self.values), self.executed, strict=True)),
        }


def calibrations(grid: Grid, results: Sequence[Executed], p: int) -> list[Calibration]:
    """The p-calibrations along every parameter that varies, for time and for memory; from fewer points where
    there are not p results."""
    by_point = {_key(r.point): r for r in results}
    found = []
    for axis in grid.axes:
        for part in grid.slices(axis.name, FEW):
            rows = [by_point[_key(point)] for point in part.points()]
            made = (_calibration(axis.name, dict(part.fixed), q, rows, p) for q in QUANTITIES)
            found += [c for c in made if c is not None]
    return found


def _calibration(
    axis: str, fixed: Point, quantity: str, rows: Sequence[Executed], p: int
) -> Calibration | None:
    """The calibration of one quantity along one parameter; None where fewer than two sets gave a figure."""
    there = [r for r in rows if r.measured(quantity)]
    if len(there) < 2:
        return None
    theory = QUANTITIES[quantity]
    x, y = ([r.figures[theory] for r in there], [r.measured(quantity) or 0.0 for r in there])
    at = chosen(len(there), min(p, len(there)))
    curve = best([x[i] for i in at], [y[i] for i in at]).curve
    seconds = [r.measured("cpu_seconds") or 0.0 for r in there]
    return Calibration(
        axis, fixed, quantity, theory, curve.method, len(at),
        tuple(float(r.point[axis]) for r in rows),
        tuple(curve.predict([r.figures[theory] for r in rows]).tolist()),
        tuple(float(r.point[axis]) for r in there),
        tuple(y),
        judge(curve.predict(x), y, at, seconds),
    )  # fmt: skip
