"""Which of all rows are kept, and in which order they are shown."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.front import front
from fheasible.exploration.judging.sieve import Judged, Nearest, nearer

Figures = Columns | Mapping[str, NDArray[Any]]

EXACT_BITS: Final = 53.0  # the precision that integers count with, that of a double
OF_A_KIND: Final = 3  # rows of one choice that are kept besides the front, in case the first is refused
_ORDERED: Final = (
    "score", "time", "peak_bytes", "communication", "precision_bits", "security_bits", "log_qp",
)  # fmt: skip
MOST_WAITING: Final = 1 << 16
KIND: Final = ("library", "scheme", "technique", "ring_dimension")


def points(rows: Figures) -> Floats:
    """The figures of each row that the front is made of: the score of the objective, time, memory, bytes that
    are sent, security in tenths of a bit, and precision in hundredths of a bit (finer digits say nothing
    about a prediction). The last two are negative, so that less is better everywhere."""
    precise = np.round(np.nan_to_num(rows["precision_bits"], nan=EXACT_BITS), 2)
    memory = rows["peak_bytes"].astype(np.float64)
    secure = np.round(rows["security_bits"], 1)
    columns = [rows["score"], rows["time"], memory, rows["communication"], -secure, -precise]
    return np.column_stack(columns)


def order(rows: Figures) -> Ints:
    """The places of the rows, the best first: by the objective, then so that no row comes before one that
    beats it."""
    keys = (*points(rows).T, rows["log_qp"])
    return np.lexsort(keys[::-1])


def contenders(rows: Mapping[str, NDArray[Any]]) -> Ints:
    """The ascending places of the rows of one choice that `kept` may keep: its first rows, and those that no
    row with the same score, time, memory and bytes beats in security and precision. Of equal rows, the first
    in `order`."""
    score = rows["score"]
    if len(score) <= OF_A_KIND:
        return np.arange(len(score))
    close = np.flatnonzero(score <= np.partition(score, OF_A_KIND - 1)[OF_A_KIND - 1])
    first = close[order({name: rows[name][close] for name in _ORDERED})[:OF_A_KIND]]
    alike = _numbered(*(rows[name] for name in ("score", "time", "peak_bytes", "communication")))
    *_, secure, precise = points(rows).T
    ordered = np.lexsort((-rows["precision_bits"], rows["log_qp"], precise, secure, alike))
    alike, precise = alike[ordered], precise[ordered]
    begins = np.append(True, alike[1:] != alike[:-1])
    span = 1.0 + float(np.ptp(precise))
    least = np.minimum.accumulate(precise - span * np.cumsum(begins))  # below those of all groups before it
    new = begins.copy()
    new[1:] |= least[1:] < least[:-1]
    return np.union1d(first, ordered[new])


def _numbered(*columns: NDArray[Any]) -> Ints:
    """A number for each row; rows have the same number where all columns are the same."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if len(column) and not (column == column[0]).all():
            values, places = np.unique(column, return_inverse=True)
            found = found * len(values) + places.ravel()
    return found


class Pool:
    """Rows as they come; the front and the best rows of each choice are kept."""

    def __init__(self) -> None:
        self.explored = self.feasible = 0
        self.nearest: Nearest = None
        self._kept = Columns.empty()
        self._waiting: list[Columns] = []
        self._size = 0

    def add(self, found: Judged) -> None:
        self.explored += found.rows
        self.feasible += found.count
        self.nearest = nearer(self.nearest, found.nearest)
        self._waiting.append(found.feasible)
        self._size += len(found.feasible)
        if self._size > MOST_WAITING:
            self._reduce()

    def kept(self) -> Columns:
        """The rows of the front, marked, and the best rows of each choice."""
        self._reduce()
        return self._kept

    def _reduce(self) -> None:
        self._kept = kept([self._kept, *self._waiting])
        self._waiting, self._size = [], 0


def kept(parts: Iterable[Columns]) -> Columns:
    """The front of all these rows, marked, and the best rows of each choice; best first."""
    rows = Columns.joined(parts)
    rows = rows.take(order(rows))
    on_front = np.zeros(len(rows), dtype=np.bool_)
    on_front[front(points(rows))] = True
    best = _number_in_group(rows.places) < OF_A_KIND
    return rows.with_columns(pareto=on_front).take(on_front | best)


def _number_in_group(groups: Ints) -> Ints:
    """For each entry, how many entries before it are of the same group."""
    by_group = np.argsort(groups, kind="stable")
    ordered = groups[by_group]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(groups) else groups
    numbers = np.arange(len(groups)) - np.repeat(begins, np.diff(np.append(begins, len(groups))))
    found = np.empty(len(groups), dtype=np.int64)
    found[by_group] = numbers
    return found


def shown(rows: Columns) -> tuple[Ints, Ints]:
    """Two arrays of places of ordered rows. The first has the best row of each library, scheme, technique and
    ring; the second the best of each other choice, and then the others of the front."""
    first: dict[tuple[object, ...], int] = {}
    for place, kind in enumerate(zip(*(rows[name].tolist() for name in KIND), strict=True)):
        first.setdefault(kind, place)
    leading = np.array(list(first.values()), dtype=np.int64)
    choice = _number_in_group(rows.places) == 0
    choice[leading] = False
    others = rows["pareto"] & ~choice
    others[leading] = False
    return leading, np.concatenate([np.flatnonzero(choice), np.flatnonzero(others)])
