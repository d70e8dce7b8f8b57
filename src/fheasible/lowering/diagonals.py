"""A plain matrix by its diagonals: how its entries fall on rotated ciphertexts, and the cheapest way.

The product is y = sum over d of diag_d * rot_d(x) [HS14]. With d = g + b, it takes rotations of x by b (baby
steps) and rotations of sums of products by g (giant steps), of each about the square root of the number of d
[HS18]. A wide matrix is folded: copies of y lie side by side, each with some of the products, and are added
up by log-many rotations. For a tall matrix, copies of x are made in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from math import prod

import numpy as np

from fheasible.aliases import Ints
from fheasible.circuit.matrix import Matrix

# Costs in rotations, as the shipped profiles have them for 4 to 12 limbs and N = 2^13 to 2^15.
HOISTED = 0.45  # each baby step of one value after its first, where a library hoists: 0.40 to 0.51
_GIANT = 1.1  # a giant step: it is a level lower, and has a rescaling of its own
PRODUCT = 0.17  # a product with a plain vector, including its encoding: 0.11 to 0.25
_KEY = 0.05  # each rotation key: its memory, and the time to make it beforehand
_FLAGS = 1 << 24  # up to this many possible diagonals, a flag for each is faster than sorting
_FLAGS_EACH = 256  # up to this many flags for each number, flags are faster than sorting
_WIDTHS = sorted({k << i for i in range(16) for k in (1, 3)})


class Need(IntEnum):
    """What the users of a vector ask of the slots beyond its end."""

    NOTHING = 0
    TAME = 1  # values that a function can take: zeros, or values that elements may have
    CLEAN = 2  # zeros


@dataclass(frozen=True, slots=True)
class Ground:
    """The numbers of slots of a ciphertext and of one of its rows."""

    slots: int
    row: int

    @property
    def two_rows(self) -> bool:
        return self.row < self.slots


@dataclass(frozen=True, slots=True)
class Copies:
    """Copies of a vector, side by side every `period` slots within `window` slots; in both rows if `rows`."""

    period: int
    window: int
    rows: bool

    @property
    def rotations(self) -> int:
        return len(self.steps) + int(self.rows)

    @property
    def steps(self) -> tuple[int, ...]:
        """The rotations by which one copy becomes two, two become four, and so on."""
        found, step = [], self.period
        while step < self.window:
            found.append(step)
            step *= 2
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Diagonals:
    """One way to multiply by a matrix.

    A rotation by turn[k] of the ciphertext source[k] (with its rows exchanged where swapped[k]) brings a
    number into slot[k]. Entry k multiplies that number, and the product is added to the ciphertext target[k].
    """

    source: Ints
    swapped: Ints
    target: Ints
    slot: Ints
    turn: Ints
    backward: bool = False  # the steps are counted in the other direction
    spread: Copies | None = None  # copies of the operand, made before the products
    folded: Copies | None = None  # copies of the result, added up after the products
    baby: int = 0  # baby steps are below this number

    def steps(self, row: int) -> tuple[Ints, Ints]:
        """Each entry's baby step and giant step, modulo the row."""
        sign = -1 if self.backward else 1
        count = sign * self.turn % row
        baby = count % self.baby
        return sign * baby % row, sign * (count - baby) % row


def choose(
    matrix: Matrix, ground: Ground, clean: bool, period: int, need: Need, hoists: bool, below: float = np.inf
) -> tuple[Diagonals | None, float]:
    """The cheapest way to multiply by the matrix, and its cost in rotations.

    The operand is clean if `clean`, and repeats every `period` slots unless that is 0; `need` is what is
    asked of the result. The way is None if none costs less than `below`.
    """
    best, least = None, below
    for way in _ways(matrix, ground, clean, period, need):
        places = _distinct(way, ground)
        for baby in _widths(places, ground.row) if PRODUCT * len(places.turn) < least else ():
            cost = _cost(replace(places, baby=baby), ground.row, hoists)
            if cost < least:
                best, least = replace(way, baby=baby), cost
    return best, float(least)


def cost_of_products(matrix: Matrix, ground: Ground) -> float:
    """The cost of the products alone, in rotations, if every element of the result is in its own place."""
    return PRODUCT * len(_distinct(plainly(matrix, ground), ground).turn)


def plainly(matrix: Matrix, ground: Ground) -> Diagonals:
    """The way in which every element of the result is computed in its own place."""
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
    """The way with a copy of row i of the matrix every `width` slots: each product falls on a near one."""
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
    """The way with a copy of operand element j every `width` slots: each product takes a near one."""
    target, slot = _divided(matrix.rows, ground.slots)
    row, near = _divided(slot, ground.row)
    ahead = (matrix.columns - near) % width
    window = min(ground.row, _power_above(int((near + ahead).max())))
    copies = Copies(width, max(window, width), bool(row.any()))
    own = _zeros(slot)
    spread = None if there or not copies.rotations else copies
    return Diagonals(own, own, target, slot, ahead % ground.row, spread=spread)


def _divided(places: Ints, by: int) -> tuple[Ints, Ints]:
    """Quotients and remainders of places; without work or memory if all places are below the divisor."""
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
    """The way with only one entry for each diagonal."""
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
    """The numbers of baby steps to try, in units of the greatest common divisor of all steps."""
    count = places.turn * (-1 if places.backward else 1) % row
    unit = int(np.gcd.reduce(count)) or row
    return [*(unit * k for k in _WIDTHS if unit * k <= int(count.max())), row]


def _cost(places: Diagonals, row: int, hoists: bool) -> float:
    """The cost of the way, in rotations."""
    baby, giant = places.steps(row)
    operand = 2 * places.source + places.swapped
    babies, giants = _pairs(operand, baby, row), _pairs(places.target, giant, row)
    first = len(_once(babies // row))
    turned = first + (HOISTED if hoists else 1) * (len(babies) - first)
    swaps = len(_once(places.source[places.swapped == 1]))
    copied = sum(c.rotations for c in (places.spread, places.folded) if c)
    keys = len(_once(np.concatenate((babies, giants)) % row))
    products = PRODUCT * len(places.turn) + _KEY * keys
    return float(turned + _GIANT * len(giants) + swaps + copied + products)


def _pairs(of: Ints, step: Ints, row: int) -> Ints:
    """The distinct pairs (value, step) that need a rotation, each as one number."""
    return _once((of * row + step)[step > 0])


def _once(places: Ints) -> Ints:
    """The distinct places, ascending; by flags if these are not many more, which is much faster."""
    most = int(places.max(initial=0)) + 1
    if most > max(_FLAGS_EACH * len(places), 1024):
        return np.unique(places)
    there = np.zeros(most, dtype=np.bool_)
    there[places] = True
    return np.flatnonzero(there)
