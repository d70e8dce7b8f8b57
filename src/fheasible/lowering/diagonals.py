"""A plain matrix by its diagonals: how its entries fall on rotated ciphertexts, and the cheapest way.

y = sum over d of diag_d * rot_d(x) [HS14]; with d = g + b it takes the rotations by b of x (baby steps) and
those by g of sums of products (giant steps), about the square root of all d each [HS18]. A wide matrix is
folded: copies of y lie side by side, each with some of the products, and are added up by log-many rotations.
For a tall one copies of x are made so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.matrix import Matrix

Array = NDArray[Any]
Ints = NDArray[np.int64]

# Costs in rotations, as the shipped profiles have them for 4 to 12 limbs and N = 2^13 to 2^15.
HOISTED = 0.45  # a baby step after the first of one value, where a library hoists: 0.40 to 0.51
_GIANT = 1.1  # a giant step: a level below, with a rescaling of its own
_PRODUCT = 0.17  # with a plain vector, which is encoded for it: 0.11 to 0.25
_KEY = 0.05  # a rotation key more: memory, and time before
_FLAGS = 1 << 24  # up to so many, a flag for each possible diagonal is faster than sorting
_FLAGS_EACH = 256  # ... and for each of so few numbers, so many
_WIDTHS = sorted({k << i for i in range(16) for k in (1, 3)})


class Need(IntEnum):
    """What those who use a vector ask of the slots beyond its end."""

    NOTHING = 0
    TAME = 1  # nothing that a function could not bear: zeros, or what an element has
    CLEAN = 2  # zeros


@dataclass(frozen=True, slots=True)
class Ground:
    """Slots of a ciphertext and of one of its rows."""

    slots: int
    row: int

    @property
    def two_rows(self) -> bool:
        return self.row < self.slots


@dataclass(frozen=True, slots=True)
class Copies:
    """Side by side every `period` slots, within `window` of them, both rows if `rows`."""

    period: int
    window: int
    rows: bool

    @property
    def rotations(self) -> int:
        return len(self.steps) + int(self.rows)

    @property
    def steps(self) -> tuple[int, ...]:
        """By which one copy becomes two, two become four, ..."""
        found, step = [], self.period
        while step < self.window:
            found.append(step)
            step *= 2
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Diagonals:
    """One way. Entry k multiplies what a rotation by turn[k] of the ciphertext source[k] (its rows exchanged
    where swapped[k]) brings into slot[k], and is added to the ciphertext target[k].
    """

    source: Ints
    swapped: Ints
    target: Ints
    slot: Ints
    turn: Ints
    backward: bool = False  # the steps are counted from the other end
    spread: Copies | None = None  # of the operand, made before
    folded: Copies | None = None  # of the result, added up after
    baby: int = 0  # baby steps are below it

    def steps(self, row: int) -> tuple[Ints, Ints]:
        """Each entry's baby step and giant step, modulo the row."""
        sign = -1 if self.backward else 1
        count = sign * self.turn % row
        baby = count % self.baby
        return sign * baby % row, sign * (count - baby) % row


def choose(
    matrix: Matrix, ground: Ground, clean: bool, period: int, need: Need, hoists: bool, below: float = np.inf
) -> tuple[Diagonals | None, float]:
    """The cheapest way, for an operand that is clean or repeats, and a result of which so much is asked; and
    its cost in rotations. None where none costs less than `below`."""
    best, least = None, below
    for way in _ways(matrix, ground, clean, period, need):
        places = _distinct(way, ground)
        for baby in _widths(places, ground.row) if _PRODUCT * len(places.turn) < least else ():
            cost = _cost(replace(places, baby=baby), ground.row, hoists)
            if cost < least:
                best, least = replace(way, baby=baby), cost
    return best, float(least)


def cost_of_products(matrix: Matrix, ground: Ground) -> float:
    """What the products alone cost, in rotations, where every element of the result is in its own place."""
    return _PRODUCT * len(_distinct(plainly(matrix, ground), ground).turn)


def plainly(matrix: Matrix, ground: Ground) -> Diagonals:
    """Every element of the result in its own place."""
    (target, slot), (source, place) = (_divided(i, ground.slots) for i in (matrix.rows, matrix.columns))
    row, other = _divided(slot, ground.row)[0], _divided(place, ground.row)[0]
    swapped = (row != other).astype(np.int64) if ground.two_rows else _zeros(slot)
    return Diagonals(source, swapped, target, slot, (place - slot) % ground.row)


def _ways(matrix: Matrix, ground: Ground, clean: bool, period: int, need: Need) -> Iterator[Diagonals]:
    m, n = matrix.shape
    plain = plainly(matrix, ground)
    yield plain
    yield replace(plain, backward=True)
    if need is not Need.CLEAN and m <= ground.row:
        for width in _powers(m, ground.row):
            folded = _folded(matrix, ground, width)
            if folded.folded and (need is Need.NOTHING or folded.folded.window == ground.row):
                yield folded
    if n <= ground.row and (clean or period):
        for width in (period,) if period else _powers(n, ground.row):
            yield _spread(matrix, ground, width, there=bool(period))


def _powers(least: int, most: int) -> list[int]:
    """The powers of two from `least` to `most`."""
    return [1 << k for k in range((least - 1).bit_length(), most.bit_length())]


def _folded(matrix: Matrix, ground: Ground, width: int) -> Diagonals:
    """Row i of the matrix has a copy every `width` slots: each product falls on one that is near."""
    source, place = _divided(matrix.columns, ground.slots)
    row, place = _divided(place, ground.row)
    back = (matrix.rows - place) % width
    window = min(ground.row, _power_above(int((place + back).max())))
    slot = row * ground.row + (place + back) % ground.row
    copies = Copies(width, max(window, width), bool(row.any()))
    own = _zeros(slot)
    folded = copies if copies.rotations else None
    return Diagonals(source, own, own, slot, -back % ground.row, backward=True, folded=folded)


def _spread(matrix: Matrix, ground: Ground, width: int, there: bool) -> Diagonals:
    """Element j of the operand has a copy every `width` slots: each product takes one that is near."""
    target, slot = _divided(matrix.rows, ground.slots)
    row, near = _divided(slot, ground.row)
    ahead = (matrix.columns - near) % width
    window = min(ground.row, _power_above(int((near + ahead).max())))
    copies = Copies(width, max(window, width), bool(row.any()))
    own = _zeros(slot)
    spread = None if there or not copies.rotations else copies
    return Diagonals(own, own, target, slot, ahead % ground.row, spread=spread)


def _divided(places: Ints, by: int) -> tuple[Ints, Ints]:
    """Quotients and remainders; of places that are all below the divisor, without work or memory."""
    if int(places.max(initial=0)) < by:
        return _zeros(places), places
    quotients, rest = np.divmod(places, by)
    return quotients, rest


def _zeros(like: Ints) -> Ints:
    return np.broadcast_to(np.int64(0), like.shape)


def _power_above(k: int) -> int:
    """The least power of two > k."""
    return 1 << k.bit_length()


def _distinct(way: Diagonals, ground: Ground) -> Diagonals:
    """One entry for each diagonal."""
    shape = (int(way.target.max()) + 1, int(way.source.max()) + 1, 2, ground.row)
    places = np.ravel_multi_index((way.target, way.source, way.swapped, way.turn), shape)
    if prod(shape) <= _FLAGS:
        there = np.zeros(prod(shape), dtype=bool)
        there[places] = True
        places = np.flatnonzero(there)
    else:
        places = np.unique(places)
    target, source, swapped, turn = np.unravel_index(places, shape)
    return replace(way, source=source, swapped=swapped, target=target, turn=turn, slot=turn)


def _widths(places: Diagonals, row: int) -> list[int]:
    """Numbers of baby steps to try: in units of what all steps are multiples of."""
    count = places.turn * (-1 if places.backward else 1) % row
    unit = int(np.gcd.reduce(count)) or row
    return [*(unit * k for k in _WIDTHS if unit * k <= int(count.max())), row]


def _cost(places: Diagonals, row: int, hoists: bool) -> float:
    """In rotations."""
    baby, giant = places.steps(row)
    operand = 2 * places.source + places.swapped
    babies, giants = _pairs(operand, baby, row), _pairs(places.target, giant, row)
    first = len(_once(babies // row))
    turned = first + (HOISTED if hoists else 1) * (len(babies) - first)
    swaps = len(_once(places.source[places.swapped == 1]))
    copied = sum(c.rotations for c in (places.spread, places.folded) if c)
    keys = len(_once(np.concatenate((babies, giants)) % row))
    products = _PRODUCT * len(places.turn) + _KEY * keys
    return float(turned + _GIANT * len(giants) + swaps + copied + products)


def _pairs(of: Ints, step: Ints, row: int) -> Ints:
    """The distinct (value, step) that need a rotation, as one number each."""
    return _once((of * row + step)[step > 0])


def _once(places: Ints) -> Ints:
    """The distinct ones, ascending; by flags where these are not many more, which is much faster."""
    most = int(places.max(initial=0)) + 1
    if most > max(_FLAGS_EACH * len(places), 1024):
        return np.unique(places)
    there = np.zeros(most, dtype=np.bool_)
    there[places] = True
    return np.flatnonzero(there)
