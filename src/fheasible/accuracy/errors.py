"""Statistics of relative errors, and whether the targets are met."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from fheasible.aliases import Json


class HasError(Protocol):
    """Anything that was both predicted and measured."""

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Statistics of absolute relative errors; `bias` is the mean of the signed ones. All are None where
    `count` is 0."""

    count: int = 0
    mean: float | None = None
    median: float | None = None
    p95: float | None = None  # 95th percentile, interpolated between the two nearest
    worst: float | None = None
    bias: float | None = None

    @staticmethod
    def of(signed: Iterable[float]) -> "Errors":
        listed = np.array(list(signed), dtype=np.float64)
        if not listed.size:
            return Errors()
        absolute = np.abs(listed)
        return Errors(
            len(listed),
            float(absolute.mean()),
            float(np.median(absolute)),
            float(np.quantile(absolute, 0.95)),
            float(absolute.max()),
            float(listed.mean()),
        )

    def to_json(self) -> Json:
        return asdict(self)


Row = TypeVar("Row")
Erring = TypeVar("Erring", bound=HasError)


def errors(rows: Iterable[HasError]) -> Errors:
    return Errors.of(row.error for row in rows)


def grouped(rows: Iterable[Row], *by: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows grouped by those attributes, in order of first appearance."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(getattr(row, name) for name in by)].append(row)
    return dict(groups)


def worst(rows: Iterable[Erring], count: int = 1) -> list[Erring]:
    """The rows with the largest errors, the largest first."""
    return sorted(rows, key=lambda row: -abs(row.error))[:count]


@dataclass(frozen=True, slots=True)
class Target:
    """A limit that a statistic of errors should not exceed. `statistic` is a field of `Errors`."""

    subject: str
    statistic: str
    limit: float


TARGETS = (
    Target("operations", "mean", 0.04),
    Target("operations", "p95", 0.10),
    Target("applications", "mean", 0.05),
    Target("applications", "worst", 0.10),
    Target("memory", "worst", 0.10),
    Target("sizes", "worst", 0.001),
)


@dataclass(frozen=True, slots=True)
class TargetVerdict:
    """A target and the value that was found for it; None where nothing was measured."""

    target: Target
    found: float | None

    @property
    def met(self) -> bool | None:
        return None if self.found is None else self.found <= self.target.limit

    def to_json(self) -> Json:
        return asdict(self.target) | {"found": self.found, "met": self.met}


def verdicts(found: Mapping[str, Errors], targets: Sequence[Target] = TARGETS) -> list[TargetVerdict]:
    """A verdict for each target; `found` has the errors by subject."""
    return [TargetVerdict(t, getattr(found.get(t.subject, Errors()), t.statistic)) for t in targets]
