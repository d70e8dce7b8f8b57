"""What is read of a vector that the ring repeats."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 8  # copies of which one can be told to be far off
FAR = 16.0  # times the middle distance from the median: no normal noise is that far off


def combined(copies: NDArray[Any]) -> NDArray[Any]:
    """The mean of the copies (copy, slot), each of which has noise of its own, without those that are far off
    all others."""
    if len(copies) < FEWEST:
        return copies.mean(axis=0)
    away = np.abs(copies - np.median(copies, axis=0))
    near = away <= FAR * np.median(away, axis=0)
    return np.where(near, copies, 0.0).sum(axis=0) / near.sum(axis=0)
