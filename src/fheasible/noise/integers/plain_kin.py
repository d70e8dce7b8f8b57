"""Plain vectors whose polynomials have coefficients in common: their products have a mean, as squares have.

Half of the coefficients of a vector's polynomial depend only on the differences between each slot and the
slot half a row further on. Half of the others depend only on the differences between the sums of such pairs,
and so on for every period that slots may have. Modulo t a coefficient is random, so that two vectors have all
coefficients of a period in common or none. A mask and its complement have all coefficients but one in common;
masks of single slots are rotations of each other.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

PERIODS = 3  # periods that are compared, the longest first; the others have an eighth of the coefficients
_FEW = 3  # log2 of so few coefficients that they neither tell vectors apart nor matter

Slots = NDArray[Any]
Key = tuple[float, ...]


def families(vectors: Mapping[int, Slots], two_rows: bool) -> dict[int, int]:
    """For each vector, the first vector of its family. A vector of a family may have coefficients in common
    with another one of it, up to a rotation and a factor."""
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
    """A key for each period whose coefficients are not all 0: the period, the number of differences that are
    not 0, the number of those that are the largest, and the sum of all over the largest."""
    for period in range(min(PERIODS, rows.shape[1].bit_length() - _FEW)):
        first, second = np.hsplit(rows, 2)
        apart, rows = np.abs(first - second), first + second
        if most := apart.max():
            often, largest = int(np.count_nonzero(apart)), int(np.count_nonzero(apart == most))
            yield period, often, largest, float(apart.sum() / most)
