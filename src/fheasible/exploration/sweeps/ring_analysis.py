"""One analysis for each of many parameter sets of a scheme or an application; nothing is executed.

The scheme is run once on arrays of sets (rings/counting.py), a chunk of the grid at a time. For an
application, each function is run once, however long its vectors are (exploration/rings/figures.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.node import Circuit
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.rings.figures import figures, workload
from fheasible.exploration.sweeps.ring_grid import NAMES, Grid, Point, parameters
from fheasible.rings.sizes import Size
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes import call
from fheasible.schemes.evaluate import count_plan, noise_of
from fheasible.schemes.noise import Noise, worst_case
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan, plan
from fheasible.schemes.scheme import RingScheme
from fheasible.security.verdict import VerdictColumns, verdicts

CHUNK = 8192  # sets in one run of the scheme: arrays that stay in the cache
_LARGEST = 2.0**63  # 64-bit integers are below it


@dataclass(frozen=True, slots=True)
class Subject:
    """What is swept: a function of a scheme ("all": all five), or an application with that scheme."""

    scheme: type[RingScheme]
    what: str
    application: Plan | None = None
    circuit: Circuit | None = None  # of the application

    @staticmethod
    def function(scheme: type[RingScheme], name: str) -> "Subject":
        """The subject of one function. UnknownName where the scheme has no such function."""
        call.check(scheme, name)
        return Subject(scheme, name)

    @staticmethod
    def of_application(
        scheme: type[RingScheme], circuit: Circuit, minimise_depth: bool | None = None
    ) -> "Subject":
        """The subject of an application, as written or of least depth. Raises what `plan` raises."""
        return Subject(scheme, circuit.name, plan(circuit, minimise_depth), circuit)

    @property
    def depth_needed(self) -> int:
        """The number of multiplications in succession."""
        if self.application is not None:
            return self.application.depth
        return int(self.what in (call.ALL, "multiply", *self.scheme.after, *self.scheme.after.values()))

    def count(self, p: RingParameters, weights: Weights = PANTHERS, record: bool = False) -> Tally:
        if self.application is not None:
            return count_plan(self.application, self.scheme, p, weights, record)
        return call.count(self.scheme, self.what, p, weights, record)

    def proven(self, p: RingParameters) -> Noise:
        """The scheme's bounds in the worst case, for the plaintexts that occur here."""
        bounds = replace(worst_case(p.n, p.sigma), message=self._largest)
        return self.scheme(p.counting_ring(), p.spec).noise(bounds)

    @property
    def _largest(self) -> int:
        """The largest of all plaintexts, as an integer, for inputs that are bits."""
        if self.application is not None:
            return self.application.largest
        return 2 if self.what in (call.ALL, "add") else 1

    def correct(self, noise: Noise) -> Any:
        """Whether the bounds promise a right result, set by set."""
        if self.application is not None:
            return noise_of(self.application, noise) < noise.limit()
        fresh = noise.fresh()
        right = noise.sum(fresh, fresh) if self.what in (call.ALL, "add") else fresh
        if self.depth_needed:
            right = right.larger(noise.product_of(fresh, fresh, 1))
        return right < noise.limit()

    def check(self, t: Any) -> None:
        """Raises InfeasibleParameters where a scheme of bits needs another t, and PromiseBroken where an
        application does; t may be an array."""
        if self.scheme.bits and np.any(np.asarray(t) != 2):
            wrong = np.extract(np.asarray(t) != 2, t)[0]
            raise InfeasibleParameters(
                f"{self.scheme.title} encrypts bits, but t = {wrong} was given", "set t = 2"
            )
        if self.application is not None:
            self.application.check_modulus(t)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The figures of some sets: arrays of one entry each, in the order of the points.

    `depth` is the number of multiplications in succession that worst-case noise allows. `correct` is whether
    the bound promises a right result. `security_bits` are NaN where nobody estimates them.
    """

    points: Sequence[Point]
    integer_multiplications: Array
    total_words: Array
    max_words: Array
    peak_bytes: Array
    kernels: dict[str, Array]
    depth: Array
    correct: Array
    security_bits: Array
    overstretched: Array

    def columns(self) -> dict[str, Array]:
        """Every figure by its name, the parameters first."""
        own = {name: np.array([point[name] for point in self.points]) for name in NAMES}
        return own | {
            "integer_multiplications": self.integer_multiplications,
            "memory_total_words": self.total_words,
            "memory_max_words": self.max_words,
            "peak_bytes": self.peak_bytes,
            "depth": self.depth,
            "correct": self.correct,
            "security_bits": self.security_bits,
            "overstretched": self.overstretched,
            **{f"kernel_{name}": counts for name, counts in self.kernels.items()},
        }

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The values of the columns, set by set; None where there is no value."""
        return zip(*(_plain(column) for column in self.columns().values()), strict=True)


def _plain(column: Array) -> list[Any]:
    values = column.tolist()
    if column.dtype.kind == "f":
        return [None if value != value else value for value in values]
    return values  # type: ignore[no-any-return]


def analyses(subject: Subject, grid: Grid, weights: Weights = PANTHERS) -> Iterator[Analysis]:
    """The analyses of the whole grid in its order, chunk by chunk. Raises what `Subject.check` raises, before
    anything else."""
    subject.check(np.array(grid.values("t")))
    for points in grid.chunks(CHUNK):
        yield analyse(subject, points, weights)


def analyse(subject: Subject, points: Sequence[Point], weights: Weights = PANTHERS) -> Analysis:
    """The figures of these sets. Those whose t is a power of two are counted apart, since such a t is a
    shift."""
    power = np.array([int(point["t"]) & (int(point["t"]) - 1) == 0 for point in points])
    if power.all() or not power.any():
        return _alike(subject, points, weights)
    parts = [np.flatnonzero(power), np.flatnonzero(~power)]
    found = [_alike(subject, [points[int(i)] for i in part], weights) for part in parts]
    return _joined(points, np.argsort(np.concatenate(parts)), found)


def _alike(subject: Subject, points: Sequence[Point], weights: Weights) -> Analysis:
    p = parameters(points)
    counted = _counted(subject, p, weights)
    depth, correct = _depth(subject, p)
    secure = security(subject.scheme, p)
    size = len(points)

    def each(value: Any) -> Array:
        return np.broadcast_to(np.asarray(value), (size,))

    return Analysis(
        points,
        each(counted.multiplications),
        each(counted.total_words),
        each(counted.max_words),
        each(counted.max_bytes),
        {name: each(count) for name, count in counted.kernels.items()},
        each(depth),
        each(correct),
        each(secure.bits),
        each(secure.overstretched),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counts as whole numbers, or as floats beyond 64 bits."""

    multiplications: Size
    total_words: Size
    max_words: Size
    max_bytes: Size
    kernels: dict[str, Size]


def _counted(subject: Subject, p: RingParameters, weights: Weights) -> _Counted:
    """The counts of `Subject.count`."""
    if subject.application is not None and not subject.scheme.stateful:
        return _of_application(subject.scheme, subject.application, p, weights)
    tally = subject.count(p, weights)
    memory = tally.memory
    total = weights.total(tally.integers)
    return _Counted(total, memory.total_words, memory.max_words, memory.max_bytes, tally.kernels)


def _of_application(scheme: type[RingScheme], steps: Plan, p: RingParameters, weights: Weights) -> _Counted:
    """The counts of an application, call by call."""
    steps.check_modulus(p.t)
    found = figures(scheme, p, _workload(steps), weights)
    kernels: dict[str, Size] = {}
    for phase in found.kernels.values():
        for name, count in phase.items():
            kernels[name] = kernels.get(name, 0) + count
    return _Counted(
        _whole(found.multiplications),
        _whole(found.total_words),
        found.words,
        found.bytes,
        {name: _whole(count) for name, count in kernels.items()},
    )


_workload = lru_cache(maxsize=4)(workload)  # every chunk, and every figure, asks again


def _whole(counts: Size) -> Array:
    """The counts as integers where 64 bits hold them all, else unchanged."""
    made = np.asarray(counts)
    return made.astype(np.int64) if np.all(made < _LARGEST) else made


def _depth(subject: Subject, p: RingParameters) -> tuple[Any, Any]:
    """(the depth that the noise allows, whether the bounds promise a right result)."""
    plain = subject.scheme(p.counting_ring(), p.spec).noise(worst_case(p.n, p.sigma))
    return plain.depth(), subject.correct(subject.proven(p))


def security(scheme: type[RingScheme], p: RingParameters) -> VerdictColumns:
    """Today's estimate of every set."""
    return verdicts(scheme.problem, p.n, p.log_q, sigma=p.sigma)


def _joined(points: Sequence[Point], order: Array, parts: Sequence[Analysis]) -> Analysis:
    def column(name: str) -> Array:
        joined: Array = np.concatenate([getattr(part, name) for part in parts])[order]
        return joined

    names = dict.fromkeys(name for part in parts for name in part.kernels)
    kernels = {name: np.concatenate([_kernel(part, name) for part in parts])[order] for name in names}
    own = {name: column(name) for name in Analysis.__dataclass_fields__ if name not in ("points", "kernels")}
    return Analysis(points=points, kernels=kernels, **own)


def _kernel(part: Analysis, name: str) -> Array:
    absent = np.zeros(len(part.points), dtype=np.int64)
    return part.kernels.get(name, absent)
