"""Figures of pairs of kinds, each worked out once, when it is first asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LEAST_ROOM = 32  # kinds


class PairTable:
    """Some figures for each pair of numbers. `figures` works them out; `types` are their types."""

    def __init__(self, figures: Callable[[int, int], tuple[Any, ...]], *types: DTypeLike) -> None:
        self._figures, self._room = figures, 0
        self._found: list[NDArray[Any]] = [np.zeros(0, each) for each in types]
        self._known = np.zeros(0, np.bool_)

    def __call__(self, x: Any, y: Any, count: int) -> list[Any]:
        """The figures of the pairs (x, y): arrays of numbers below `count`, or one number for all."""
        if count > self._room:
            self._grow(max(count, 2 * self._room, _LEAST_ROOM))
        place = np.multiply(x, self._room, dtype=np.int64) + y
        known = self._known[place]
        if not known.all():
            self._fill(np.unique(place[~known] if np.ndim(place) else place).tolist())
        return [figures[place] for figures in self._found]

    def _fill(self, places: list[int]) -> None:
        for place in places:
            for figures, figure in zip(self._found, self._figures(*divmod(place, self._room)), strict=True):
                figures[place] = figure
            self._known[place] = True

    def _grow(self, room: int) -> None:
        self._found = [_grown(each, self._room, room) for each in self._found]
        self._known, self._room = _grown(self._known, self._room, room), room


def _grown(found: NDArray[Any], before: int, room: int) -> NDArray[Any]:
    made = np.zeros((room, room), found.dtype)
    made[:before, :before] = found.reshape(before, before)
    return made.reshape(-1)
