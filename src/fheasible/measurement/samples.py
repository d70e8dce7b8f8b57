"""Repeated times of one thing, with every sample kept."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from statistics import median

from fheasible.aliases import Json


@dataclass(frozen=True, slots=True)
class Samples:
    """Seconds, in order of measuring; `min`, `median` and `mad` are None where there are no samples."""

    seconds: tuple[float, ...] = ()

    @property
    def min(self) -> float | None:
        return min(self.seconds, default=None)

    @property
    def median(self) -> float | None:
        return median(self.seconds) if self.seconds else None

    @property
    def mad(self) -> float | None:
        """The median absolute deviation from the median."""
        centre = self.median
        return None if centre is None else median(abs(s - centre) for s in self.seconds)

    def to_json(self) -> Json:
        return {"samples": list(self.seconds), "min": self.min, "median": self.median, "mad": self.mad}

    @staticmethod
    def from_json(fields: Json) -> "Samples":
        return Samples(tuple(fields["samples"]))


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of the same repetitions by two clocks: CPU time of the executing thread, and wall time."""

    cpu: Samples
    wall: Samples

    @staticmethod
    def of_pairs(pairs: Iterable[tuple[float, float]]) -> "Timing":
        """The timing from [cpu, wall] per repetition, as workers report it.

        Raises ValueError for what is not a time.
        """
        listed = [(_seconds(cpu), _seconds(wall)) for cpu, wall in pairs]
        return Timing(Samples(tuple(c for c, _ in listed)), Samples(tuple(w for _, w in listed)))

    def __add__(self, other: "Timing") -> "Timing":
        """The sum of two timings, repetition by repetition."""
        return Timing(_sum(self.cpu, other.cpu), _sum(self.wall, other.wall))


def _seconds(told: float) -> float:
    if isinstance(told, bool) or not (isfinite(told) and told >= 0):
        raise ValueError(f"{told!r} is not a time in seconds")
    return float(told)


def _sum(x: Samples, y: Samples) -> Samples:
    return Samples(tuple(a + b for a, b in zip(x.seconds, y.seconds, strict=True)))
