"""Figures of pairs of kinds, each worked out once, when it is first asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LEAST_ROOM = 32  # kinds


class PairTable:
    """A figure for each pair of numbers. `figure` works it out."""

    def __init__(self, figure: Callable[[int, int], Any], dtype: DTypeLike) -> None:
        self._figure = figure
        self._found: NDArray[Any] = np.zeros((0, 0), dtype)
        self._known: NDArray[np.bool_] = np.zeros((0, 0), np.bool_)

    def __call__(self, x: Any, y: Any, count: int) -> Any:
        """The figures of the pairs (x, y): arrays of numbers below `count`, or one number for all."""
        if count > len(self._known):
            self._grow(max(count, 2 * len(self._known), _LEAST_ROOM))
        known = self._known[x, y]
        if not known.all():
            self._fill(*(each[~known].tolist() for each in np.broadcast_arrays(x, y)))
        return self._found[x, y]

    def _fill(self, x: list[int], y: list[int]) -> None:
        for pair in set(zip(x, y, strict=True)):
            self._found[pair] = self._figure(*pair)
            self._known[pair] = True

    def _grow(self, count: int) -> None:
        more = ((0, count - len(self._known)),) * 2
        self._found, self._known = np.pad(self._found, more), np.pad(self._known, more)
