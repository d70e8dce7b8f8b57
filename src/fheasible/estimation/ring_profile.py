"""A machine calibrated for the ring schemes: what each kernel of the exact ring costs on it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fheasible.aliases import Json
from fheasible.rings.sizes import Size

LIBRARY = "reference"


@dataclass(frozen=True, slots=True)
class RingPoint:
    """A measured phase of the typical application: its counted kernels, and its CPU seconds.

    Or one of `times` operations of the ring in that phase that take the same kernels.
    """

    scheme: str
    phase: str
    n: int
    log_q: int
    log_w: int
    t: int
    kernels: Mapping[str, float]
    seconds: float
    times: int = 1


@dataclass(frozen=True, slots=True)
class RingProfile:
    """Prices of the exact ring's kernels on one machine, with the memory model of its process.

    `coefficients`: CPU seconds per kernel. Peak resident bytes = baseline + factor * the most bytes that the
    ring keeps. `error_band`: the relative error that nine of ten calibrated parameter sets stay within when
    each is predicted from the others; `wall_factor`: wall seconds per CPU second during calibration.
    """

    machine: str
    version: str
    created: str
    coefficients: Mapping[str, float]
    baseline_bytes: float
    bytes_factor: float
    error_band: float
    wall_factor: float
    points: tuple[RingPoint, ...] = ()
    library: str = LIBRARY
    threads: int = 1

    def covers(self, kernels: Mapping[str, Size]) -> bool:
        """Whether every kernel has a price. Kernels that were not counted at calibration have none."""
        return all(name in self.coefficients for name in kernels)

    def seconds(self, kernels: Mapping[str, Size]) -> Any:
        """CPU seconds of the counted kernels, one entry for each set."""
        total: Any = 0.0
        for name, count in kernels.items():
            total = total + self.coefficients[name] * np.asarray(count, dtype=np.float64)
        return total

    def peak_bytes(self, stored: Size) -> Any:
        """Peak resident bytes of a process that keeps at most `stored` bytes of the ring at once."""
        return self.baseline_bytes + self.bytes_factor * np.asarray(stored, dtype=np.float64)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "RingProfile":
        return RingProfile(**{**body, "points": tuple(RingPoint(**p) for p in body["points"])})
