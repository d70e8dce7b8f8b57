"""Searching for many problems at once: a step looks at an array of candidates, never at one problem."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Ints


def smallest(succeeds: Callable[[Ints], NDArray[np.bool_]], low: Ints, high: Ints) -> Ints:
    """The smallest integer of each [low, high] that succeeds, given that larger ones do too; else `high`."""
    while (low < high).any():
        middle = (low + high) // 2
        enough = succeeds(middle)
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    return low
