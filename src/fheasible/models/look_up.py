"""A table of bits as look-ups on encrypted bits."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.integer_functions import lookup
from fheasible.circuit.vector import Vector
from fheasible.circuit.where import told

MOST_BITS: Final = 4  # of one look-up: a ciphertext holds the bits together
Bit = Vector | int
Entries = NDArray[np.int64]


def looked_up(bits: Sequence[Bit], entries: Entries, where: str) -> Bit:
    """The entry at the place that the bits give, the first of them the lowest. A bit that makes no difference
    is left out; larger tables are split by their last bit."""
    with told(where):
        return _looked_up(list(bits), entries)


def _looked_up(bits: list[Bit], entries: Entries) -> Bit:
    bits, entries = _needed(bits, entries)
    if not bits:
        return int(entries[0])
    if len(bits) == 1:  # a bit itself, or its opposite
        (bit,) = bits
        return bit if entries[1] else 1 - bit
    if len(bits) <= MOST_BITS:
        return lookup(_place(bits), entries.tolist())
    half = len(entries) // 2
    parts = [_looked_up(bits[:-1], part) for part in (entries[:half], entries[half:])]
    return _looked_up([*parts, bits[-1]], _CHOSEN)


_CHOSEN: Final = np.array([0, 1, 0, 1, 0, 0, 1, 1])  # a where c is 0, b where it is 1; a is the lowest bit


def _needed(bits: list[Bit], entries: Entries) -> tuple[list[Bit], Entries]:
    """The bits that make a difference, with the table for them alone. Known bits are left out, and so are
    bits that stand twice."""
    kept: list[Bit] = []
    table: Array = (
        entries.reshape((2,) * len(bits)).transpose(*reversed(range(len(bits)))) if bits else entries
    )
    for bit in bits:  # the first axis that is left is that of this bit
        axis = len(kept)
        if isinstance(bit, int):
            table = table.take(bit, axis=axis)
            continue
        same = _place_of(bit, kept)
        if same is not None:
            table = np.stack([table.take(v, axis=axis).take(v, axis=same) for v in (0, 1)], axis=same)
            continue
        low, high = table.take(0, axis=axis), table.take(1, axis=axis)
        if bool((low == high).all()):
            table = low
            continue
        kept.append(bit)
    flat = table.T.reshape(-1)
    return (kept, flat) if len(kept) == len(bits) else _needed(kept, flat)


def _place_of(bit: Vector, among: Sequence[Bit]) -> int | None:
    """The place of the same bit; None where it is not there."""
    places = (i for i, other in enumerate(among) if isinstance(other, Vector) and other.node is bit.node)
    return next(places, None)


def _place(bits: Sequence[Bit]) -> Vector:
    """The number that the bits make, the first of them the lowest."""
    (first, *others) = bits
    assert isinstance(first, Vector)
    found = first
    for power, bit in enumerate(others, start=1):
        assert isinstance(bit, Vector)
        found = found + bit * (1 << power)
    return found
