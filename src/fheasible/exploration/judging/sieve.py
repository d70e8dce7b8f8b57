"""Which rows of a chunk are still in, and which of the others was nearest to being feasible."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from fheasible.aliases import Array, Flags
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES, Rejection
from fheasible.exploration.space.requests import Choice


class Miss(NamedTuple):
    """A row that is not feasible. One that fails at a later stage, or at the same stage by a smaller miss,
    was nearer to being feasible."""

    stage: int
    miss: float
    place: int  # the place of its choice
    sizes: tuple[int, int, int]  # bits of the scale, the first prime, the special ones

    @property
    def distance(self) -> tuple[int, float]:
        return (-self.stage, self.miss)


_FARTHEST: Final = 1e300  # misses that are farther are not told apart
_LARGEST: Final = float(np.finfo(float).max)
Nearest = Miss | Rejection | None


def nearer(one: Nearest, other: Nearest) -> Nearest:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda miss: miss.distance)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A judged chunk: how many rows it had, those that are feasible, and the nearest of the others. `beaten`
    counts further rows that are feasible, none of which would be kept."""

    rows: int
    feasible: Columns
    nearest: Nearest
    beaten: int = 0

    @property
    def count(self) -> int:
        """The number of all rows that are feasible."""
        return len(self.feasible) + self.beaten


class Sieve:
    """Columns whose last axis runs over the rows that are left."""

    def __init__(self, choice: Choice, place: int, columns: Mapping[str, Array]) -> None:
        self.choice, self.place = choice, place
        self.columns = dict(columns)
        self.nearest: Nearest = None

    def __len__(self) -> int:
        return int(self.columns["scale"].shape[-1])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __setitem__(self, name: str, column: Array) -> None:
        self.columns[name] = column

    def keep(self, fits: Flags, stage: str, miss: Any) -> None:
        """Keeps the rows that fit, and notes the nearest of the others; `miss` is by how much each row
        misses."""
        if fits.all():
            return
        out = np.flatnonzero(~fits)
        distances = miss[out] if np.ndim(miss) else np.full(1, miss)
        least = int(np.argmin(np.fmin(distances, _FARTHEST)))  # NaN is farthest of all
        at, distance = int(out[least]), float(distances[least])
        sizes = tuple(int(self[name][at]) for name in ("scale", "first", "special"))
        distance = np.inf if np.isnan(distance) else min(max(distance, -_LARGEST), _LARGEST)
        found = Miss(STAGES.index(stage), distance, self.place, sizes)  # type: ignore[arg-type]
        self.nearest = nearer(self.nearest, found)
        self.take(np.flatnonzero(fits))

    def take(self, places: Array) -> None:
        """Keeps the rows at these places; the others do not count as misses."""
        self.columns = _narrowed(self.columns, places)

    def among(self, chosen: Flags) -> "Sieve":
        """Another sieve, with the chosen rows."""
        return Sieve(self.choice, self.place, _narrowed(self.columns, np.flatnonzero(chosen)))


def _narrowed(columns: Mapping[str, Array], places: Array) -> dict[str, Array]:
    return {name: np.take(column, places, axis=-1) for name, column in columns.items()}
