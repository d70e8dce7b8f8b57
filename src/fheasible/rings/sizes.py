"""Whole numbers, or arrays of them with one entry for each parameter set that is counted at once."""

from typing import Any, TypeAlias

import numpy as np

Size: TypeAlias = Any  # an int, or an int64 array of one entry per parameter set


def ceil_div(a: Size, b: Size) -> Size:
    """The least integer that is not below a/b, for b > 0."""
    return -(-a // b)


def ceil_log2(x: Size) -> Size:
    """The least k with 2^k >= x, for x >= 1 (exact below 2^53)."""
    if isinstance(x, int):
        return (x - 1).bit_length()
    return np.frexp(np.asarray(x, dtype=np.float64) - 0.5)[1].astype(np.int64)


def larger(a: Size, b: Size) -> Size:
    """The larger of the two, set by set."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return np.maximum(a, b)


def smaller(a: Size, b: Size) -> Size:
    """The smaller of the two, set by set."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return np.minimum(a, b)


def agree(a: Size, b: Size) -> bool:
    """Whether the two are equal in every set."""
    return a is b or bool(np.all(a == b))
