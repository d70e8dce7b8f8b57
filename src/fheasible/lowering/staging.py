"""Writes a plain matrix as a product of several that have few diagonals each.

An example is a batch of rows that lie one after another, each multiplied by the same small matrix. The matrix
of the batch has few entries, and yet a diagonal of its own for nearly each of them: the results lie closer
together than the rows, so that each moves by another distance. If every result is added up near where its row
begins, all results have the same few diagonals. They then move by their distances in stages, by one digit of
the distance in each. The number of diagonals is then the sum of the digits' values, not their product. Each
stage costs one level.

Elements that each go to a place of their own, in whatever order, as in a reversal, are carried by the digits
of their distances if no two meet on their way, and otherwise in three stages (`routing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Ints
from fheasible.circuit.matrix import Matrix
from fheasible.lowering import routing

_MOST = 4  # the most stages in which elements are moved


def factorings(matrix: Matrix) -> Iterator[tuple[Matrix, ...]]:
    """The ways to write the matrix as several, each in the order in which they are applied."""
    if _carries(matrix):
        yield from _carrying(matrix)
        return
    yield from _gathering(matrix, _sums(matrix.rows, matrix.columns))
    spread = _sums(matrix.columns, matrix.rows)
    if spread.moved:  # transposed only now, since that takes time for a large matrix
        for factors in _gathering(matrix.transposed(), spread):
            yield tuple(factor.transposed() for factor in reversed(factors))


def _carries(matrix: Matrix) -> bool:
    """Whether each element goes to one place at most and meets no other, and not all stay in their order."""
    alone = all(np.bincount(places).max(initial=0) <= 1 for places in (matrix.rows, matrix.columns))
    return alone and bool((np.diff(matrix.columns) < 0).any())


def _carrying(matrix: Matrix) -> Iterator[tuple[Matrix, ...]]:
    """The ways to carry every element: by the digits of its distance, and through blocks."""
    sums = _Sums(matrix.rows, matrix.columns)
    for count in range(2, _MOST + 1):
        stages = _moves(sums, matrix.shape[1], matrix.shape[0], count)
        if stages:
            yield _ending_with(matrix.values, stages)
    route = routing.stops(matrix.columns, matrix.rows, max(matrix.shape))
    yield _ending_with(matrix.values, _stages(route, matrix.shape[1], matrix.shape[0]))


def _ending_with(values: NDArray[Any], stages: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    """The stages, the last of which also multiplies by the values; these are ordered by rows."""
    return (*stages[:-1], stages[-1].with_values(values))


class _Sums(NamedTuple):
    """The rows that are not empty, and for each the place near its first entry where it is added up."""

    rows: Ints
    places: Ints

    @property
    def moved(self) -> bool:
        return not np.array_equal(self.rows, self.places)


def _sums(rows: Ints, columns: Ints) -> _Sums:
    """The sums of entries that are ordered by rows, or by columns. No two sums have the same place."""
    begins = np.full(int(rows.max(initial=0)) + 1, -1)
    begins[rows[::-1]] = columns[::-1]
    present = np.flatnonzero(begins >= 0)
    numbers = np.arange(len(present))
    return _Sums(present, np.maximum.accumulate(begins[present] - numbers) + numbers)


def _gathering(matrix: Matrix, sums: _Sums) -> Iterator[tuple[Matrix, ...]]:
    """The ways to add up rows near where they begin, and then to gather the results in stages."""
    if not sums.moved:
        return
    places = sums.places[np.searchsorted(sums.rows, matrix.rows)]
    near = Matrix((int(sums.places[-1]) + 1, matrix.shape[1]), places, matrix.columns, matrix.values)
    summed = () if _stays(near) else (near,)
    length = summed[0].shape[0] if summed else matrix.shape[1]
    for count in range(1, _MOST + 1):
        stages = _moves(sums, length, matrix.shape[0], count)
        if stages:
            yield (*summed, *stages)


def _stays(matrix: Matrix) -> bool:
    """Whether each element of the result is that of the operand in the same place."""
    return matrix.selects and bool((matrix.rows == matrix.columns).all())


def _moves(sums: _Sums, length: int, final: int, count: int) -> tuple[Matrix, ...]:
    """Successive selections that take each sum from its place to its row, by a digit of its distance in each.

    Empty if two sums would meet on their way. Places in between are shifted where some would be negative.
    """
    distances = sums.places - sums.rows
    least = int(distances.min())
    unit = int(np.gcd.reduce(distances - least)) or 1
    steps = (distances - least) // unit
    base = ceil(round((int(steps.max()) + 1) ** (1 / count), 9))
    stops = [*(sums.places - unit * (steps % base**k) for k in range(count)), sums.rows]
    before = min(0, *(int(stop.min()) for stop in stops))
    stops[1:-1] = [stop - before for stop in stops[1:-1]]
    if base ** (count - 1) > int(steps.max()) or not all(map(_apart, stops)):
        return ()
    return _stages(stops, length, final)


def _stages(stops: Sequence[Ints], length: int, final: int) -> tuple[Matrix, ...]:
    """Selections that take each element from stop to stop."""
    lengths = [length, *(int(stop.max()) + 1 for stop in stops[1:-1]), final]
    ones = np.ones(len(stops[0]), dtype=np.int64)
    return tuple(
        Matrix((after, before), to, start, ones)
        for (before, after), (start, to) in zip(pairwise(lengths), pairwise(stops), strict=True)
    )


def _apart(places: Ints) -> bool:
    """Whether no two places are the same."""
    return len(np.unique(places)) == len(places)
