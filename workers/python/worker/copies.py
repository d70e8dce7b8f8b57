"""What is read of a vector that the ring repeats."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 8  # copies of which one can be told to be far off
FAR = 16.0  # times the middle distance from the median: no normal noise is that far off


def combined(copies: NDArray[Any]) -> NDArray[Any]:
    """The mean of the copies (copy, slot), each of which has noise of its own, without those that are far off
    all others."""
    middle = _middle(copies)
    from_middle = copies - middle  # whose mean rounds less than that of the copies
    if len(copies) < FEWEST:
        return middle + from_middle.mean(axis=0)
    away = np.abs(from_middle)
    near = away <= FAR * _middle(away)
    return middle + np.where(near, from_middle, 0.0).sum(axis=0) / near.sum(axis=0)


def _middle(values: NDArray[Any]) -> NDArray[Any]:
    """The median of each column, of two in the middle the larger: numpy's own imports 10 MB of modules."""
    half = len(values) // 2
    return np.partition(values, half, axis=0)[half]
