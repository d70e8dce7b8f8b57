"""A plain matrix times a vector in ciphertexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.matrix import Matrix
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import Value
from fheasible.lowering.diagonals import Copies, Diagonals, Ground, Need, choose, plainly
from fheasible.lowering.packing import Vector, chunks_of, has_padding, valid
from fheasible.lowering.staging import factorings

Array = NDArray[Any]
Ways = tuple[tuple[Matrix, Diagonals], ...]

DEAR = 100.0  # rotations that a product with a matrix must cost before factors of it are sought


def linear_map(on: Arithmetic, x: Vector, matrix: Matrix, need: Need) -> Vector:
    """The matrix times x, whose waiting factor it takes in."""
    ground = Ground(on.build.slots, on.build.row)
    if not len(matrix):
        return Vector(matrix.shape[0], (on.zero(x.values[0]),) * chunks_of(matrix.shape[0], ground.slots))
    moved = _moved(on, x, matrix, ground) if matrix.selects else None
    if moved:
        return moved
    for factor, way in _factored(on, x, matrix, ground, need):
        x = _multiplied(on, x, factor, ground, way)
    return x


# -- elements that move together need no product ----------------------------------------------------


def _moved(on: Arithmetic, x: Vector, matrix: Matrix, ground: Ground) -> Vector | None:
    """Elements moved by rotations alone, None where others would come with them."""
    way, m = plainly(matrix, ground), matrix.shape[0]
    parts = list(_groups(way.target, way.source, way.swapped, way.turn))
    zeros = [~valid(x.length, ground.slots, c) & x.clean for c in range(len(x.values))]
    clean = True
    for (target, source, swapped, turn), entries in parts:
        beside = ~_turned(zeros[source], swapped, turn, ground)
        beside[way.slot[entries]] = False
        inside = valid(m, ground.slots, target)
        if (beside & inside).any():
            return None
        clean &= not beside.any()
    values = [
        _summed(on, x, [_turn(on, x.values[s], w, t) for (c, s, w, t), _ in parts if c == chunk])
        for chunk in range(chunks_of(m, ground.slots))
    ]
    return Vector(m, tuple(values), clean, x.factor, wild=not clean)


def _turned(slots: Array, swapped: int, turn: int, ground: Ground) -> Array:
    """The slots after an exchange of rows and a rotation."""
    rows = slots.reshape(-1, ground.row)
    return np.roll(rows[::-1] if swapped else rows, -turn, axis=1).reshape(-1).copy()


def _turn(on: Arithmetic, x: Value, swapped: int, turn: int) -> Value:
    return on.rotate(on.swap_rows(x) if swapped else x, turn)


def _summed(on: Arithmetic, x: Vector, parts: list[Value]) -> Value:
    return reduce(on.add, parts) if parts else on.zero(x.values[0])


# -- any others are products with diagonals ---------------------------------------------------------


def _factored(on: Arithmetic, x: Vector, matrix: Matrix, ground: Ground, need: Need) -> Ways:
    """The matrix, or several in succession where these are cheaper."""
    at_once, cost = _priced(on, x, (matrix,), ground, need)
    if cost <= DEAR:
        return at_once
    ways = [_priced(on, x, factors, ground, need) for factors in factorings(matrix)]
    return min(((at_once, cost), *ways), key=lambda found: found[1])[0]


def _priced(
    on: Arithmetic, x: Vector, factors: tuple[Matrix, ...], ground: Ground, need: Need
) -> tuple[Ways, float]:
    """Each factor with the cheapest way, and the cost of all: a level makes every operation longer, those
    before it too, so that k factors cost k times what their rotations and products do."""
    clean = x.clean or not has_padding(x.length, ground.slots)
    before = [(clean, x.period), *((True, 0) for _ in factors[1:])]
    after = [*(Need.CLEAN for _ in factors[1:]), need]
    found = [
        choose(factor, ground, *operand, asked, on.style.hoists)
        for factor, operand, asked in zip(factors, before, after, strict=True)
    ]
    ways = tuple((factor, way) for factor, (way, _) in zip(factors, found, strict=True))
    return ways, len(factors) * sum(cost for _, cost in found)


def _multiplied(on: Arithmetic, x: Vector, matrix: Matrix, ground: Ground, way: Diagonals) -> Vector:
    kind = np.int64 if on.style.exact else np.float64
    values = matrix.values.astype(kind) if x.factor == 1.0 else matrix.values * x.factor
    operands = [_copied(on, v, way.spread, _backward) if way.spread else v for v in x.values]
    products = _Products(on, way, ground, [on.settle(v) for v in operands], values)
    m = matrix.shape[0]
    results = [products.of(chunk) for chunk in range(chunks_of(m, ground.slots))]
    if way.folded is None:
        return Vector(m, tuple(results))
    total = _copied(on, results[0], way.folded, _forward)
    whole = way.folded.window == ground.row and way.folded.rows == ground.two_rows
    return Vector(m, (total,), False, period=way.folded.period if whole else 0, wild=not whole)


def _copied(
    on: Arithmetic, x: Value, copies: Copies, turn: Callable[[Arithmetic, Value, int], Value]
) -> Value:
    """x and its rotations by the steps between copies, added up."""
    for step in copies.steps:
        x = on.settle(x)
        x = on.add(x, turn(on, x, step))
    if copies.rows:
        x = on.settle(x)
        x = on.add(x, on.swap_rows(x))
    return x


def _forward(on: Arithmetic, x: Value, steps: int) -> Value:
    return on.rotate(x, steps)


def _backward(on: Arithmetic, x: Value, steps: int) -> Value:
    return on.rotate(x, on.build.row - steps)


class _Products:
    """The sums of products of diagonals with rotated operands."""

    def __init__(
        self, on: Arithmetic, way: Diagonals, ground: Ground, operands: list[Value], values: Array
    ) -> None:
        self.on, self.way, self.ground, self.operands, self.values = on, way, ground, operands, values
        self.baby, self.giant = way.steps(ground.row)

    def of(self, target: int) -> Value:
        """The ciphertext `target` of the result."""
        entries = np.flatnonzero(self.way.target == target)
        sums = [self._giant(step, entries[own]) for (step,), own in _groups(self.giant[entries])]
        if not sums:
            return self.on.zero(self.operands[0])
        if len(sums) > 1:
            sums = [self.on.settle(v) for v in sums]
        return reduce(self.on.add, sums)

    def _giant(self, step: int, entries: Array) -> Value:
        """The sum of the products that go one giant step, turned by it."""
        way = self.way
        keys = (way.source[entries], way.swapped[entries], self.baby[entries])
        products = [
            self.on.mul_plain(
                _turn(self.on, self.operands[source], swapped, baby), self._row(entries[own], step)
            )
            for (source, swapped, baby), own in _groups(*keys)
        ]
        return self.on.rotate(reduce(self.on.add, products), step)

    def _row(self, entries: Array, step: int) -> Array:
        """A diagonal as a row of slots, turned back by the giant step that comes after."""
        row, at = np.divmod(self.way.slot[entries], self.ground.row)
        full = np.zeros(self.ground.slots, dtype=self.values.dtype)
        full[row * self.ground.row + (at + step) % self.ground.row] = self.values[entries]
        return full[:1] if bool((full == full[0]).all()) else full


def _groups(*keys: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """The distinct keys, in ascending order, each with the places where they stand."""
    order = np.lexsort(keys[::-1])
    if not len(order):
        return
    table = np.stack(keys)[:, order]
    starts = np.flatnonzero(np.r_[True, (np.diff(table, axis=1) != 0).any(axis=0)])
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        yield tuple(int(k) for k in table[:, start]), order[start:end]
