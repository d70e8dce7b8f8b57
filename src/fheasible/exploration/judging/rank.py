"""Which of all rows are kept, and in which order they are shown; which candidates tie, and which of them
leads."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.sieve import Judged, Nearest, nearer
from fheasible.exploration.problem.wish import Objective

Figures = Columns | Mapping[str, NDArray[Any]]

EXACT_BITS: Final = 53.0  # the precision that integers count with, that of a double
OF_A_KIND: Final = 3  # rows of one choice that are kept besides the front, in case the first is refused
_ORDERED: Final = (
    "score", "time", "peak_bytes", "communication", "precision_bits", "security_bits", "log_qp",
)  # fmt: skip
MOST_WAITING: Final = 1 << 16
LEAD: Final = ("library", "scheme")
KIND: Final = (*LEAD, "technique", "ring_dimension")

_HEAD, _SLAB = 256, 8192  # points whose front is found next, and points compared with it at once


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


def together(found: Sequence[Judged]) -> Judged:
    """These judgements as one, which has only those rows that a pool may keep."""
    rows, nearest = kept(judged.feasible for judged in found), None
    for judged in found:
        nearest = nearer(nearest, judged.nearest)
    count = sum(judged.count for judged in found)
    return Judged(sum(judged.rows for judged in found), rows, nearest, count - len(rows))


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


def shown(rows: Columns, kind: Sequence[str] = KIND) -> tuple[Ints, Ints]:
    """Two arrays of places of ordered rows. The first has the best row of each kind, which rows have in
    common that agree in these columns; the second the best of each other choice, and then the others of the
    front."""
    first: dict[tuple[object, ...], int] = {}
    for place, own in enumerate(zip(*(rows[name].tolist() for name in kind), strict=True)):
        first.setdefault(own, place)
    leading = np.array(list(first.values()), dtype=np.int64)
    choice = _number_in_group(rows.places) == 0
    choice[leading] = False
    others = rows["pareto"] & ~choice
    others[leading] = False
    return leading, np.concatenate([np.flatnonzero(choice), np.flatnonzero(others)])


def ties(candidates: tuple[Candidate, ...], goal: Objective) -> frozenset[Candidate]:
    """The candidates that the error of prediction does not distinguish from the best."""
    if not candidates:
        return frozenset()
    best, *others = candidates
    return frozenset(c for c in others if as_good(best, c, goal))


def as_good(best: Candidate, other: Candidate, goal: Objective) -> bool:
    """Whether the error of prediction does not distinguish the other candidate from the best. Predicted times
    and memory may be off by their error bands; in a mix of objectives, each counts with its weight. Bytes
    that are sent are counted exactly."""
    one, two = best.estimate, other.estimate
    if goal.of_time and not (one.timed and two.timed):
        return False
    time = 1 + (one.error_band or 0.0) + (two.error_band or 0.0)
    memory = 1 + (one.memory_band or 0.0) + (two.memory_band or 0.0)
    least, more = best.figures["score"], other.figures["score"]
    return bool(more <= least * time**goal.of_time * memory**goal.of_memory)


def exact_first(chosen: list[int], confirmed: Mapping[int, Candidate], goal: Objective) -> list[int]:
    """The indices with the first exact set in front, unless a set that rounds is better beyond the error of
    prediction."""
    exact = next((i for i in chosen if not confirmed[i].rounded), None)
    if exact is None or not as_good(confirmed[chosen[0]], confirmed[exact], goal):
        return chosen
    return [exact, *(i for i in chosen if i != exact)]


def leads(other: Candidate, best: Candidate, goal: Objective) -> bool:
    """Whether the other candidate would be recommended rather than the best. The better one is; but an exact
    set goes before one that rounds where the error of prediction does not distinguish them. Work and seconds
    cannot be compared: false where time matters and only one of the two has a prediction of it."""
    if goal.of_time and best.estimate.timed != other.estimate.timed:
        return False
    if other.rounded != best.rounded:
        exact, rounded = (best, other) if other.rounded else (other, best)
        return as_good(rounded, exact, goal) == (exact is other)
    return other.cost(goal) < best.cost(goal)


def front(points: Floats) -> Ints:
    """The ascending places of the rows that no other row equals or undercuts in every column; of equal rows,
    the first. Rows are finite.

    A row is beaten only by a row whose ranks have a smaller sum. So the rows with the least sums are compared
    with each other, the rows that they beat are dropped, and so on [CGGL03].
    """
    columns = [np.unique(column, return_inverse=True)[1].ravel() for column in points.T]
    ranks: NDArray[np.int32] = np.column_stack(columns).astype(np.int32)
    ordered = np.lexsort((*ranks.T, ranks.sum(axis=1)))  # equal rows side by side, the first of them first
    ranks = np.asarray(ranks[ordered])
    first = np.ones(len(ranks), dtype=np.bool_)
    first[1:] = (ranks[1:] != ranks[:-1]).any(axis=1)
    left, found = np.flatnonzero(first), [np.empty(0, dtype=np.int64)]
    while len(left):
        head, left = left[:_HEAD], left[_HEAD:]
        best = head[~_beaten(ranks[head], ranks[head], strictly=True)]
        found.append(best)
        left = left[~_beaten(ranks[left], ranks[best])]
    return np.sort(ordered[np.concatenate(found)])


def _beaten(rows: NDArray[np.int32], others: NDArray[np.int32], strictly: bool = False) -> NDArray[np.bool_]:
    """For each row, whether some of the others is nowhere larger; with `strictly`, a row does not count
    against itself."""
    found = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), _SLAB):
        slab = rows[start : start + _SLAB]
        under = slab[:, :1] >= others[:, 0]
        for column in range(1, slab.shape[1]):
            under &= slab[:, column, None] >= others[:, column]
        if strictly:
            under[np.arange(len(slab)), start + np.arange(len(slab))] = False
        found[start : start + _SLAB] = under.any(axis=1)
    return found
