"""Plain vectors whose polynomials have coefficients in common: products of them have a mean, as squares have.

A polynomial of slots has half of its coefficients for what tells each slot from the one half a row further
on, half of the others for what tells the sums of both apart, and so on: for every period that slots may have.
Modulo t a coefficient is random, so that two vectors have these in common or nothing. A mask and its
complement have all but one; masks of single slots are rotations of each other.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

PERIODS = 3  # that are looked at, from the longest on: the rest has an eighth of the coefficients
_FEW = 3  # log2 of coefficients, too few to tell vectors apart or to matter

Slots = NDArray[Any]
Key = tuple[float, ...]


def families(vectors: Mapping[int, Slots], two_rows: bool) -> dict[int, int]:
    """Of each vector, the first one of its family: those that may have coefficients in common, but for a
    rotation and a factor, with another one of it."""
    rows = 2 if two_rows else 1
    first: dict[Key, int] = {}
    elder: dict[int, int] = {}
    for i, v in vectors.items():
        keys = list(_keys(v.reshape(rows if len(v) > 1 else 1, -1)))
        heads = {_head(elder, first[key]) for key in keys if key in first}
        elder[i] = min(heads, default=i)
        elder |= dict.fromkeys(heads, elder[i])
        first |= dict.fromkeys(keys, elder[i])
    return {i: _head(elder, i) for i in elder}


def _head(elder: dict[int, int], i: int) -> int:
    while elder[i] != i:
        i = elder[i]
    return i


def _keys(rows: Slots) -> Iterator[Key]:
    """What is known of each period's coefficients that are not 0: of differences the number, how many are the
    largest, and their sum over that."""
    for period in range(min(PERIODS, rows.shape[1].bit_length() - _FEW)):
        first, second = np.hsplit(rows, 2)
        apart, rows = np.abs(first - second), first + second
        if most := apart.max():
            often, largest = int(np.count_nonzero(apart)), int(np.count_nonzero(apart == most))
            yield period, often, largest, float(apart.sum() / most)
