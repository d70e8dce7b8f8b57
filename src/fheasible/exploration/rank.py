"""Which rows are kept of all, and in which order they are shown."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.exploration.columns import Columns
from fheasible.exploration.front import front
from fheasible.exploration.sieve import Judged, Nearest, nearer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Figures = Columns | Mapping[str, NDArray[Any]]

EXACT_BITS: Final = 53.0  # the precision of integers, as a double's
OF_A_KIND: Final = 3  # rows that are kept of one choice beside the front: should the first be refused
_ORDERED: Final = (
    "score", "time", "peak_bytes", "communication", "precision_bits", "security_bits", "log_qp",
)  # fmt: skip
MOST_WAITING: Final = 1 << 16
KIND: Final = ("library", "scheme", "technique", "ring_dimension")


def points(rows: Figures) -> Floats:
    """What no other row may be better in at once: time, memory, bytes sent, hundredths of a bit of precision
    (more tells nothing of a prediction), tenths of a bit of security; and what the objective ranks by."""
    precise = np.round(np.nan_to_num(rows["precision_bits"], nan=EXACT_BITS), 2)
    memory = rows["peak_bytes"].astype(np.float64)
    secure = np.round(rows["security_bits"], 1)
    columns = [rows["score"], rows["time"], memory, rows["communication"], -secure, -precise]
    return np.column_stack(columns)


def order(rows: Figures) -> Ints:
    """Places, the best first: by the objective, then the one that nothing beats."""
    keys = (*points(rows).T, rows["log_qp"])
    return np.lexsort(keys[::-1])


def contenders(rows: Mapping[str, NDArray[Any]]) -> Ints:
    """Places, ascending, of the rows of one choice that `kept` may keep: its first, and those that none which
    takes as much time, memory and bytes undercuts. Of equal ones the first in `order`."""
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
    least = np.minimum.accumulate(precise - span * np.cumsum(begins))  # a group's are below all before it
    new = begins.copy()
    new[1:] |= least[1:] < least[:-1]
    return np.union1d(first, ordered[new])


def _numbered(*columns: NDArray[Any]) -> Ints:
    """The same number where all are the same."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if len(column) and not (column == column[0]).all():
            values, places = np.unique(column, return_inverse=True)
            found = found * len(values) + places.ravel()
    return found


class Pool:
    """Rows as they come, of which the front and the best of each choice are kept."""

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
        """The front, marked, and beside it the best of each choice."""
        self._reduce()
        return self._kept

    def _reduce(self) -> None:
        self._kept = kept([self._kept, *self._waiting])
        self._waiting, self._size = [], 0


def kept(parts: Iterable[Columns]) -> Columns:
    """Of all these rows the front, marked, and the best of each choice, best first."""
    rows = Columns.joined(parts)
    rows = rows.take(order(rows))
    on_front = np.zeros(len(rows), dtype=np.bool_)
    on_front[front(points(rows))] = True
    best = _number_in_group(rows.places) < OF_A_KIND
    return rows.with_columns(pareto=on_front).take(on_front | best)


def _number_in_group(groups: Ints) -> Ints:
    """How many before it are of the same group."""
    by_group = np.argsort(groups, kind="stable")
    ordered = groups[by_group]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(groups) else groups
    numbers = np.arange(len(groups)) - np.repeat(begins, np.diff(np.append(begins, len(groups))))
    found = np.empty(len(groups), dtype=np.int64)
    found[by_group] = numbers
    return found


def shown(rows: Columns) -> tuple[Ints, Ints]:
    """Of rows that are ordered, (the best of each kind; those that are no such thing): the best of each
    library, scheme, technique and ring, then that of each other choice, then the others of the front."""
    first: dict[tuple[object, ...], int] = {}
    for place, kind in enumerate(zip(*(rows[name].tolist() for name in KIND), strict=True)):
        first.setdefault(kind, place)
    leading = np.array(list(first.values()), dtype=np.int64)
    choice = _number_in_group(rows.places) == 0
    choice[leading] = False
    others = rows["pareto"] & ~choice
    others[leading] = False
    return leading, np.concatenate([np.flatnonzero(choice), np.flatnonzero(others)])
