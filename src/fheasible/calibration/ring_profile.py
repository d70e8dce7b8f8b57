"""The calibration of the exact ring: it runs a small application, and fits a price to each kernel.

The application is run at a few parameter sets of each scheme: its phases as a whole, which also take what
lies between the operations of the ring, and these operations one by one, which tell the kernels apart.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from fheasible.aliases import Floats
from fheasible.calibration.band import error_band
from fheasible.circuit.declared import integers
from fheasible.circuit.trace import app
from fheasible.circuit.vector import Vector
from fheasible.estimation.ring_profile import LIBRARY, RingPoint, RingProfile
from fheasible.measurement.environment import Environment
from fheasible.measurement.machine import this_machine
from fheasible.measurement.ring_job import RingJob
from fheasible.measurement.ring_run import execute, hello
from fheasible.measurement.samples import Samples, Timing
from fheasible.rings.counting import CountingRing
from fheasible.rings.element import Element
from fheasible.rings.kernels import OPERATIONS
from fheasible.rings.pieces import HUGE, PAGED, Counts, together
from fheasible.rings.sizes import Size
from fheasible.schemes.call import by_phase
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.evaluate import run
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from fheasible.store.store import Store

Report = Callable[[str, int, int], None]

ITEMISED = 1  # repetitions of a pass in which each operation is timed
PASSES = 2  # separated in time, because a machine's load comes in bursts
TIMEOUT_SECONDS = 120.0
BETWEEN = (OPERATIONS, PAGED, HUGE)  # kernels that also take time after the operation itself
_EMPHASIS = 0.4  # a relative error is weighted by this power of the share of its set's time


@app(**{name: integers(1, modulo=2) for name in ("a", "b", "c")})
def typical(a: Vector, b: Vector, c: Vector) -> Vector:
    """Five products and four sums of three ciphertexts."""
    x = a * b + c
    y = x * c + a
    return (x * y + b) * (y * a + x)


class RingSetting(NamedTuple):
    """The typical application with a scheme at one parameter set."""

    scheme: str
    n: int
    log_q: int
    log_w: int
    repetitions: int

    @property
    def parameters(self) -> RingParameters:
        return RingParameters(self.n, self.log_q, 2, self.log_w)


# Rings that fit into every cache or into none, with one limb or ten, with few long digits or many short ones.
SETTINGS = (
    RingSetting("fv", 1024, 40, 4, 4),
    RingSetting("fv", 2048, 180, 30, 4),
    RingSetting("fv", 4096, 110, 20, 4),
    RingSetting("fv", 4096, 300, 2, 1),
    RingSetting("fv", 8192, 220, 62, 2),
    RingSetting("fv", 8192, 160, 16, 2),
    RingSetting("fv", 16384, 440, 60, 1),
    RingSetting("fv", 32768, 600, 80, 1),
    RingSetting("yashe", 2048, 60, 10, 4),
    RingSetting("yashe", 4096, 300, 22, 3),
    RingSetting("yashe", 8192, 220, 30, 3),
    RingSetting("fntru", 1024, 60, 1, 1),
    RingSetting("fntru", 2048, 90, 6, 2),
    RingSetting("fntru", 4096, 150, 16, 2),
    RingSetting("fntru", 8192, 200, 20, 2),
    RingSetting("shield", 2048, 110, 10, 1),
    RingSetting("shield", 8192, 200, 25, 1),
)


@dataclass(slots=True)
class _Records:
    """The results of the runs so far: the least time of each phase, and of each operation in it."""

    least: dict[tuple[RingSetting, str], float] = field(default_factory=dict)
    operations: dict[tuple[RingSetting, str], list[tuple[str, float]]] = field(default_factory=dict)
    peaks: dict[RingSetting, tuple[float, float]] = field(default_factory=dict)  # baseline, and peak above it
    wall_factors: list[float] = field(default_factory=list)

    def see(self, setting: RingSetting, timings: Mapping[str, Timing], baseline: int, peak: int) -> None:
        for phase, timing in timings.items():
            key = (setting, phase)
            self.least[key] = min(timing.cpu.min or 1e-9, self.least.get(key, np.inf))
        self.peaks[setting] = (float(baseline), float(peak))
        cpu, wall = (sum(sum(s.seconds) for s in clock) for clock in _clocks(timings.values()))
        self.wall_factors.append(wall / max(cpu, 1e-9))

    def itemise(self, setting: RingSetting, phases: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        """Keep the least time of each operation of each phase; they come in the same order each time."""
        for phase, took in phases.items():
            key = (setting, phase)
            known = self.operations.get(key)
            if known is None or [name for name, _ in known] != [name for name, _ in took]:
                self.operations[key] = [(name, seconds) for name, seconds in took]
            else:
                self.operations[key] = [(a, min(x, y)) for (a, x), (_, y) in zip(known, took, strict=True)]


def _clocks(timings: Iterable[Timing]) -> tuple[list[Samples], list[Samples]]:
    listed = list(timings)
    return [t.cpu for t in listed], [t.wall for t in listed]


def calibrate_rings(
    environment: Environment, report: Report, settings: Sequence[RingSetting] = SETTINGS
) -> RingProfile:
    """The profile of this machine. WorkerFailed where the exact ring cannot run."""
    records = _Records()
    for number in range(PASSES):
        for done, setting in enumerate(settings):
            where = number * len(settings) + done
            report(f"{setting.scheme} n={setting.n}", where, PASSES * len(settings))
            _measure(setting, records)
    return _profile(records, environment)


def _measure(setting: RingSetting, records: _Records) -> None:
    steps, data = plan(typical.trace()), {name: [1] for name in "abc"}
    job = RingJob(
        scheme(setting.scheme),
        steps.name,
        setting.parameters,
        steps,
        data,
        repetitions=setting.repetitions,
        itemised=ITEMISED,
    )
    answer = execute(job, TIMEOUT_SECONDS)
    timings = {name: Timing.of_pairs(pairs) for name, pairs in answer["samples"].items()}
    records.see(setting, timings, answer["baseline_bytes"], answer["peak_bytes"])
    for phases in answer["operations"]:
        records.itemise(setting, phases)


def _profile(records: _Records, environment: Environment) -> RingProfile:
    counted = {setting: _Counted.of(setting) for setting in records.peaks}
    points = [_point(s, phase, counted[s].phases[phase], t) for (s, phase), t in records.least.items()]
    operations = [
        point
        for (s, phase), took in records.operations.items()
        for point in _operations(s, phase, counted[s].operations[phase], took)
    ]
    memory = [(*peaks, counted[setting].most_bytes) for setting, peaks in records.peaks.items()]
    baseline, factor = fit_memory(memory)
    return RingProfile(
        machine=environment.machine.fingerprint,
        version=hello().version,
        created=environment.started,
        coefficients=fit(points, operations),
        baseline_bytes=baseline,
        bytes_factor=factor,
        error_band=band_of(points, operations),
        wall_factor=float(np.quantile(records.wall_factors, 0.25)),  # leaves out bursts of other load
        points=tuple(points),
    )


class _ItemisedRing(CountingRing):
    """A counting ring that keeps the kernels of each operation in a list."""

    def __init__(self, parameters: RingParameters) -> None:
        super().__init__(parameters.n, parameters.log_q, parameters.modulus)
        self.items: list[tuple[str, Counts]] = []

    def kernels(self) -> Counts:
        """All kernels so far, with those of phases as such."""
        return together(self.tally.kernels, self.tally.memory.begun)

    def _interpret(self, operation: str, form: Element, *operands: Any) -> Any:
        before = self.kernels()
        made = super()._interpret(operation, form, *operands)
        self.items.append((operation, _since(before, self.kernels())))
        return made


def _since(before: Counts, now: Counts) -> Counts:
    found = {name: float(count - before.get(name, 0)) for name, count in now.items()}
    return {name: count for name, count in found.items() if count}


@dataclass(frozen=True, slots=True)
class _Counted:
    """The kernels of each phase, and of each operation in it, and the most bytes that the ring keeps."""

    phases: Mapping[str, Counts]
    operations: Mapping[str, list[tuple[str, Counts]]]
    most_bytes: float

    @staticmethod
    def of(s: RingSetting) -> "_Counted":
        ring = _ItemisedRing(s.parameters)
        begin = by_phase(ring)
        phases: dict[str, Counts] = {}
        operations: dict[str, list[tuple[str, Counts]]] = {}

        def caller(name: str, function: Callable[..., Any], *operands: Any) -> Any:
            ring.items, before = [], ring.kernels()
            result = begin(name, function, *operands)
            phases[name], operations[name] = _since(before, ring.kernels()), ring.items
            return result

        run(plan(typical.trace()), scheme(s.scheme)(ring, s.parameters.spec), caller=caller)
        return _Counted(phases, operations, float(ring.tally.memory.max_bytes))


def _operations(
    s: RingSetting, phase: str, counted: Sequence[tuple[str, Counts]], took: Sequence[tuple[str, float]]
) -> Iterator[RingPoint]:
    """A point for all operations with the same kernels: their median time.

    None where the operations run are not those counted: a key is drawn again where it has no inverse.
    """
    if [name for name, _ in counted] != [name for name, _ in took]:
        return
    alike: dict[tuple[str, tuple[tuple[str, Size], ...]], list[float]] = defaultdict(list)
    for (name, kernels), (_, seconds) in zip(counted, took, strict=True):
        alike[name, tuple(kernels.items())].append(seconds)
    for (_, alike_kernels), times in alike.items():
        yield _point(s, phase, dict(alike_kernels), max(median(times), 1e-9), len(times))


def _point(s: RingSetting, phase: str, kernels: Counts, seconds: float, times: int = 1) -> RingPoint:
    return RingPoint(s.scheme, phase, s.n, s.log_q, s.log_w, s.parameters.t, kernels, seconds, times)


def fit(points: Sequence[RingPoint], operations: Sequence[RingPoint] = ()) -> dict[str, float]:
    """The seconds of each kernel in a phase, by non-negative least squares on relative errors.

    Errors are weighted by shares of their set's time, because an evaluation's error matters more than a
    decryption's. Operations tell kernels apart that always come together in phases. A phase also takes what
    lies between its operations, where Python works and results are freed: the kernels in `BETWEEN` have a
    second price for that, which only phases pay.
    """
    rows = [*points, *operations]
    names = sorted({name for p in rows for name in p.kernels})
    own = np.array([[p.kernels.get(name, 0.0) for name in names] for p in rows])
    between = own[:, [names.index(name) for name in BETWEEN if name in names]]
    between[len(points) :] = 0.0
    seconds, weights = np.array([p.seconds for p in rows]), _shares(points, rows) ** _EMPHASIS
    relative = np.hstack([own, between]) * (weights / seconds)[:, None]
    size = np.maximum(relative.max(axis=0), 1e-300)  # columns of like size, for the solver's sake
    solution, _ = nnls(relative / size, weights)
    prices = dict(zip(names, solution / size, strict=False))
    for name, more in zip([n for n in BETWEEN if n in names], (solution / size)[len(names) :], strict=True):
        prices[name] += more
    return {name: float(price) for name, price in prices.items()}


def _shares(points: Sequence[RingPoint], rows: Sequence[RingPoint]) -> Floats:
    """The share of each row in the time of its set, whose phases are among the points."""
    totals: dict[object, float] = defaultdict(float)
    for p in points:
        totals[_set(p)] += p.seconds
    return np.array([p.times * p.seconds / totals[_set(p)] for p in rows])


def _set(p: RingPoint) -> object:
    return (p.scheme, p.n, p.log_q, p.log_w)


def band_of(points: Sequence[RingPoint], operations: Sequence[RingPoint] = ()) -> float:
    """The error band of the time of all phases of a set together, predicted by a fit to the other sets.

    All sets count the same.
    """
    errors = []
    for left_out in dict.fromkeys(map(_set, points)):
        here = [p for p in points if _set(p) == left_out]
        coefficients = fit(*([p for p in rows if _set(p) != left_out] for rows in (points, operations)))
        predicted = sum(_predicted(coefficients, p.kernels) for p in here)
        errors.append(predicted / sum(p.seconds for p in here) - 1)
    return error_band(errors, [1.0] * len(errors))


def _predicted(coefficients: Mapping[str, float], kernels: Mapping[str, float]) -> float:
    return sum((coefficients.get(name, 0.0) * number for name, number in kernels.items()), start=0.0)


def fit_memory(rows: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """The pair (resident bytes without any polynomial, resident bytes per stored byte).

    `rows` have the baseline, the peak above it and the stored bytes. What is stored really lies in memory:
    each byte takes at least one.
    """
    baseline, above, stored = np.array(rows).T
    beyond = np.maximum(above - stored, 0.0)
    table = np.stack([np.ones(len(rows)), stored], axis=1) / above[:, None]
    solution, _ = nnls(table, beyond / above)
    return float(np.median(baseline) + solution[0]), float(1 + solution[1])


def save(store: Store, profile: RingProfile) -> int:
    return store.add_profile(
        profile.machine, profile.library, profile.version, profile.threads, profile.to_json()
    )


def of_this_machine(store: Store) -> RingProfile | None:
    """The newest profile of the ring schemes that was made here."""
    row = store.latest_profile(this_machine().fingerprint, LIBRARY)
    return None if row is None else RingProfile.from_json(row.content)
