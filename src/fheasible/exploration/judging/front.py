"""The exact Pareto front of many points."""

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints

_HEAD, _SLAB = 256, 8192  # points whose front is found next, and points compared with it at once


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
