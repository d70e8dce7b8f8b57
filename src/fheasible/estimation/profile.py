"""A calibrated machine: what each operation of a library costs on it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fheasible.estimation.features import Shape, features

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """One measured operation: the least CPU time of all its runs."""

    scheme: str
    action: str
    shape: Shape
    seconds: float


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """Peak resident bytes = baseline + context * N(L+K) + keys * (their bytes) + live * (their bytes)."""

    baseline_bytes: float
    context: float
    keys: float
    live: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Seconds per feature of every (scheme, action), for one machine, library, version, threads.

    `error_band` is the mean relative error of predicting each calibration point from the others;
    `wall_factor` the wall seconds per CPU second that were seen while calibrating.
    """

    machine: str
    library: str
    version: str
    threads: int
    created: str
    coefficients: Mapping[str, tuple[float, ...]]  # "scheme/action"
    memory: Mapping[str, MemoryModel]  # by scheme
    error_band: float
    wall_factor: float
    points: tuple[Point, ...] = ()

    def seconds(self, scheme: str, action: str, s: Shape) -> float | None:
        """CPU seconds of one operation; None for what was never calibrated."""
        found = self.coefficients.get(f"{scheme}/{action}")
        if found is None:
            return None
        return sum(c * f for c, f in zip(found, features(action, s), strict=True))

    def covers(self, scheme: str) -> bool:
        return any(k.startswith(f"{scheme}/") for k in self.coefficients)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "Profile":
        points = tuple(Point(**{**p, "shape": Shape(**p["shape"])}) for p in body["points"])
        memory = {k: MemoryModel(**m) for k, m in body["memory"].items()}
        coefficients = {k: tuple(c) for k, c in body["coefficients"].items()}
        return Profile(**{**body, "points": points, "memory": memory, "coefficients": coefficients})
