"""A plain matrix times a vector in ciphertexts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.matrix import Matrix
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import Value
from fheasible.lowering.diagonals import Copies, Diagonals, Ground, Need, choose, cost_of_products, plainly
from fheasible.lowering.packing import PackedVector, chunks_of, has_padding, valid
from fheasible.lowering.staging import factorings

Ways = tuple[tuple[Matrix, Diagonals], ...]

DEAR = 100.0  # a product with a matrix must cost this many rotations before factors of the matrix are used


def linear_map(on: Arithmetic, x: PackedVector, matrix: Matrix, need: Need) -> PackedVector:
    """The matrix times x. If there are products, x's waiting factor is multiplied in with them."""
    ground = Ground(on.build.slots, on.build.row)
    if not len(matrix):
        return PackedVector(
            matrix.shape[0], (on.zero(x.values[0]),) * chunks_of(matrix.shape[0], ground.slots)
        )
    moved = _moved(on, x, matrix, ground) if matrix.selects else None
    if moved:
        return moved
    clean = x.clean or not has_padding(x.length, ground.slots)
    asked = (ground, clean, x.period, need, on.style.hoists)
    for factor, way in matrix.once(asked, partial(_factored, matrix, *asked)):
        x = _multiplied(on, x, factor, ground, way)
    return x


# -- elements that move together need no product ----------------------------------------------------


def _moved(on: Arithmetic, x: PackedVector, matrix: Matrix, ground: Ground) -> PackedVector | None:
    """The result, if rotations alone move its elements; None where other elements would come with them."""
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
    return PackedVector(m, tuple(values), clean, x.factor, wild=not clean)


def _turned(slots: Array, swapped: int, turn: int, ground: Ground) -> Array:
    """The slots after an exchange of rows and a rotation."""
    rows = slots.reshape(-1, ground.row)
    return np.roll(rows[::-1] if swapped else rows, -turn, axis=1).reshape(-1).copy()


def _turn(on: Arithmetic, x: Value, swapped: int, turn: int) -> Value:
    return on.rotate(on.swap_rows(x) if swapped else x, turn)


def _summed(on: Arithmetic, x: PackedVector, parts: list[Value]) -> Value:
    return reduce(on.add, parts) if parts else on.zero(x.values[0])


# -- any others are products with diagonals ---------------------------------------------------------


def _factored(matrix: Matrix, ground: Ground, clean: bool, period: int, need: Need, hoists: bool) -> Ways:
    """The matrix, or several in succession where these are cheaper, each with its cheapest way.

    A level makes every operation longer, those before it too. Therefore k factors are taken to cost k times
    what their rotations and products cost.
    """
    found: Ways = ()
    least = np.inf
    for factors in _factors(matrix) if cost_of_products(matrix, ground) > DEAR / 2 else ():
        ways, cost = _priced(factors, ground, clean, period, need, hoists)
        if len(factors) * cost < least:
            found, least = ways, len(factors) * cost
    at_once, cost = choose(matrix, ground, clean, period, need, hoists, max(least, DEAR))
    return found if at_once is None or cost >= max(least, DEAR) else ((matrix, at_once),)


def _factors(matrix: Matrix) -> tuple[tuple[Matrix, ...], ...]:
    """The ways to write the matrix as several; they are found once for all programs."""
    return matrix.once("factors", lambda: tuple(factorings(matrix)))


def _priced(
    factors: tuple[Matrix, ...], ground: Ground, clean: bool, period: int, need: Need, hoists: bool
) -> tuple[Ways, float]:
    """Each factor with its cheapest way, and what all cost together. Vectors between factors are clean."""
    before = [(clean, period), *((True, 0) for _ in factors[1:])]
    after = [*(Need.CLEAN for _ in factors[1:]), need]
    ways, total = [], 0.0
    for factor, operand, asked in zip(factors, before, after, strict=True):
        way, cost = choose(factor, ground, *operand, asked, hoists)
        assert way is not None
        ways.append((factor, way))
        total += cost
    return tuple(ways), total


def _multiplied(
    on: Arithmetic, x: PackedVector, matrix: Matrix, ground: Ground, way: Diagonals
) -> PackedVector:
    operands = [_copied(on, v, way.spread, _backward) if way.spread else v for v in x.values]
    operands = [on.settle(v) for v in operands]
    m = matrix.shape[0]
    written = (way, ground, on.style.exact, x.factor)
    sums = matrix.once(written, partial(_sums, matrix, *written))  # programs of all libraries share the rows
    results = [_added(on, operands, sums.get(c, ())) for c in range(chunks_of(m, ground.slots))]
    if way.folded is None:
        return PackedVector(m, tuple(results))
    total = _copied(on, results[0], way.folded, _forward)
    whole = way.folded.window == ground.row and way.folded.rows == ground.two_rows
    return PackedVector(m, (total,), False, period=way.folded.period if whole else 0, wild=not whole)


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


class _Sum(NamedTuple):
    """Products that are added up and then turned by the giant step.

    Each product is one of an operand (source, whether its rows are exchanged, baby step) with a row of slots.
    """

    step: int
    products: tuple[tuple[tuple[int, ...], Array], ...]


def _sums(
    matrix: Matrix, way: Diagonals, ground: Ground, exact: bool, factor: float
) -> Mapping[int, tuple[_Sum, ...]]:
    """The sums that make up each ciphertext of the result."""
    kind = np.int64 if exact else np.float64
    values = matrix.values.astype(kind) if factor == 1.0 else matrix.values * factor
    baby, giant = way.steps(ground.row)
    found: dict[int, list[_Sum]] = {}
    for (target, step), entries in _groups(way.target, giant):
        keys = (way.source[entries], way.swapped[entries], baby[entries])
        products = tuple(
            (operand, _row(way, ground, values, entries[own], step)) for operand, own in _groups(*keys)
        )
        found.setdefault(target, []).append(_Sum(step, products))
    return {target: tuple(sums) for target, sums in found.items()}


def _row(way: Diagonals, ground: Ground, values: Array, entries: Array, step: int) -> Array:
    """A diagonal as a row of slots, turned back by the giant step that comes after."""
    row, at = np.divmod(way.slot[entries], ground.row)
    full = np.zeros(ground.slots, dtype=values.dtype)
    full[row * ground.row + (at + step) % ground.row] = values[entries]
    apart = len(entries) < ground.slots and bool(values[entries].any())  # some slots are 0, others not
    found = full if apart or not bool((full == full[0]).all()) else full[:1].copy()
    found.setflags(write=False)
    return found


def _added(on: Arithmetic, operands: list[Value], sums: tuple[_Sum, ...]) -> Value:
    """One ciphertext of the result, which is the sum of its `sums`."""
    found = []
    for step, products in sums:
        parts = [
            on.mul_plain(_turn(on, operands[source], swapped, baby), row)
            for (source, swapped, baby), row in products
        ]
        found.append(on.rotate(reduce(on.add, parts), step))
    if not found:
        return on.zero(operands[0])
    return reduce(on.add, [on.settle(v) for v in found] if len(found) > 1 else found)


def _groups(*keys: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """The distinct keys, in ascending order, each with the places where they stand."""
    order = np.lexsort(keys[::-1])
    if not len(order):
        return
    table = np.stack(keys)[:, order]
    starts = np.flatnonzero(np.r_[True, (np.diff(table, axis=1) != 0).any(axis=0)])
    found = zip(*table[:, starts].tolist(), strict=True)
    for key, start, end in zip(found, starts, [*starts[1:], len(order)], strict=True):
        yield key, order[start:end]
