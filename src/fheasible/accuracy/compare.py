"""Measured values beside predicted ones, for single operations and for whole applications."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from fheasible.aliases import Json
from fheasible.calibration.observed import least_of, observed
from fheasible.estimation.estimate import cpu_seconds, peak_bytes
from fheasible.estimation.features import Caches, Features, features
from fheasible.estimation.profile import Profile, TimedShape
from fheasible.estimation.sizes import sizes
from fheasible.libraries.layout import Layout
from fheasible.measurement.least import Clock, Summary, least_phase, measurements
from fheasible.program.phases import PHASES_AND_TOTAL

KEYGEN = "keygen"


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A predicted and a measured value of one quantity, in its base unit."""

    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return (self.predicted - self.measured) / self.measured

    def to_json(self) -> Json:
        return asdict(self) | {"relative_error": self.error}


@dataclass(frozen=True, slots=True)
class ComparedOperation:
    """CPU seconds of one kind of operation in one context. `level`: it runs on level + 1 limbs (BFV: on
    all)."""

    library: str
    scheme: str
    action: str
    n: int
    limbs: int
    level: int
    digits: int
    special: int
    key_switching: str
    polys: int
    dropped: int
    depth: int
    cpu: ComparedFigure
    machine: str = ""  # the fingerprint of the machine that ran it

    @property
    def error(self) -> float:
        return self.cpu.error

    @property
    def label(self) -> str:
        """The operation in words: 'openfhe ckks rotate, n = 4096, level 3 of 3, 2 digits'."""
        where = f"{self.limbs} limbs" if self.scheme == "bfv" else f"level {self.level} of {self.limbs - 1}"
        kind = f"{self.digits} digits" if self.key_switching != "bv" else "BV"
        return f"{self.library} {self.scheme} {self.action}, n = {self.n}, {where}, {kind}"

    def to_json(self) -> Json:
        return {k: v for k, v in asdict(self).items() if k != "cpu"} | {"cpu_seconds": self.cpu.to_json()}


def operations(summaries: Iterable[Summary], profiles: Mapping[str, Profile]) -> list[ComparedOperation]:
    """Every kind of operation that was measured, except those whose context the library's calibration has
    seen, or exactly whose work it has seen in another context (an addition of as many limbs).

    Of equal operations the least time counts. Libraries without a profile are left out. The rows are ordered
    by library, scheme and ring dimension.
    """
    points = least_of(point for summary in summaries for point in observed(summary))
    seen = {name: ComparedRun.by(profile) for name, profile in profiles.items()}
    rows = [
        _operation(point, profiles[point.shape.layout.library])
        for point in points
        if point.shape.layout.library in seen and not seen[point.shape.layout.library].holds(point)
    ]
    return sorted(rows, key=lambda row: (row.library, row.scheme, row.n, row.limbs))


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """What a profile was fitted to: contexts (n, layout), and operations described by all that prices depend
    on."""

    contexts: frozenset[tuple[int, Layout]]
    work: frozenset[tuple[int, str, Features]]
    caches: Caches

    @staticmethod
    def by(profile: Profile) -> "ComparedRun":
        work = frozenset((p.shape.n, p.name, features(p.shape, profile.caches)) for p in profile.points)
        return ComparedRun(frozenset(map(context, profile.points)), work, profile.caches)

    def holds(self, point: TimedShape) -> bool:
        same = (point.shape.n, point.name, features(point.shape, self.caches))
        return context(point) in self.contexts or same in self.work


def context(point: TimedShape) -> tuple[int, Layout]:
    return point.shape.n, point.shape.layout


def _operation(point: TimedShape, profile: Profile) -> ComparedOperation:
    layout, task = point.shape.layout, point.shape.task
    return ComparedOperation(
        layout.library,
        layout.scheme,
        task.action,
        point.shape.n,
        layout.limbs,
        task.level,
        layout.digits,
        layout.special,
        layout.key_switching,
        task.polys,
        task.dropped,
        task.depth,
        ComparedFigure(profile.seconds(point.shape), point.seconds),
    )


@dataclass(frozen=True, slots=True)
class ComparedApplication:
    """The figures of a whole run. Times are by phase, and `total` is without keygen; sizes are in
    bytes by kind of object."""

    name: str
    library: str
    scheme: str
    technique: str
    n: int
    limbs: int
    digits: int
    cpu: Mapping[str, ComparedFigure]
    wall: Mapping[str, ComparedFigure]
    peak: ComparedFigure | None
    sizes: Mapping[str, ComparedFigure] = field(default_factory=dict)
    precision: ComparedFigure | None = None  # bits; None for exact schemes
    machine: str = ""  # the fingerprint of the machine that ran it

    @property
    def error(self) -> float:
        """The relative error of the CPU time to encrypt, evaluate and decrypt."""
        return self.cpu["total"].error

    @property
    def setting(self) -> str:
        """Library, scheme and technique: 'openfhe ckks flexibleauto'."""
        return " ".join(word for word in (self.library, self.scheme, self.technique) if word)

    def to_json(self) -> Json:
        own = {name: getattr(self, name) for name in _OF_APPLICATION}
        figures = {kind: _jsons(getattr(self, kind)) for kind in ("cpu", "wall", "sizes")}
        return own | {
            "cpu_seconds": figures["cpu"],
            "wall_seconds": figures["wall"],
            "peak_bytes": self.peak and self.peak.to_json(),
            "sizes_bytes": figures["sizes"],
            "precision_bits": self.precision and self.precision.to_json(),
        }


_OF_APPLICATION = ("name", "library", "scheme", "technique", "n", "limbs", "digits", "machine")


def applications(summaries: Iterable[Summary], profiles: Mapping[str, Profile]) -> list[ComparedApplication]:
    """Every application in each library, scheme and technique, except those with a run that failed or was
    wrong.

    Where a later search chose other parameters, the last run counts. Libraries without a profile are left
    out.
    """
    rows = [
        _application(summary, profiles[summary.first.library])
        for summary in summaries
        if summary.first.library in profiles and all(r.outcome == "measured" for r in summary.records)
    ]
    last = {(row.name, row.setting): row for row in rows}
    return [last[key] for key in sorted(last)]


def _application(summary: Summary, profile: Profile) -> ComparedApplication:
    first = summary.first
    program, p = first.program, first.parameters
    cpu = cpu_seconds(program, p, profile)
    wall = {phase: seconds * profile.wall_factor for phase, seconds in cpu.items()}
    return ComparedApplication(
        first.found.get("application", first.label),
        p.library,
        p.scheme,
        p.technique,
        p.ring_dimension,
        p.limbs,
        p.digits,
        _phases(summary, cpu, Clock.CPU),
        _phases(summary, wall, Clock.WALL),
        _figure(peak_bytes(program, p, profile), _peak(summary)),
        _sizes(summary),
        _figure(first.found.get("precision_bits_predicted"), first.found.get("precision_bits")),
    )


def _phases(summary: Summary, predicted: Mapping[str, float], clock: Clock) -> dict[str, ComparedFigure]:
    """The predicted and the measured seconds of each phase. Measured seconds are the least over all
    repetitions of all passes; a phase that took none is left out."""
    pairs = {p: _figure(predicted[p], least_phase(summary.records, p, clock)) for p in PHASES_AND_TOTAL}
    return {phase: pair for phase, pair in pairs.items() if pair}


def _peak(summary: Summary) -> float | None:
    """The least peak of the passes, each of which had a process of its own. Any memory above the least was
    not needed."""
    peaks = [m.memory.peak_bytes for m in measurements(summary.records)]
    return min((float(peak) for peak in peaks if peak), default=None)


def _sizes(summary: Summary) -> dict[str, ComparedFigure]:
    """The sizes of each kind of object that the program needs and whose size the library's binding can
    tell."""
    predicted = sizes(summary.first.program, summary.first.parameters)
    (measured, *_) = measurements(summary.records)
    pairs = {
        name: _figure(getattr(predicted, name), getattr(measured.sizes, name))
        for name in ("ciphertext_bytes", "public_key_bytes", "secret_key_bytes", "evaluation_key_bytes")
    }
    return {name.removesuffix("_bytes"): pair for name, pair in pairs.items() if pair}


def _figure(predicted: float | None, measured: float | None) -> ComparedFigure | None:
    """The pair of both values; None where either is not known, or nothing was measured."""
    return ComparedFigure(predicted, measured) if predicted is not None and measured else None


def _jsons(figures: Mapping[str, ComparedFigure]) -> Json:
    return {name: figure.to_json() for name, figure in figures.items()}
