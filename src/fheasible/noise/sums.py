"""Sums of arrays times numbers, where the same array comes again and again: the numbers are added first."""

from collections import defaultdict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.rows import Adjoint, Rows

Floats = NDArray[np.float64]
Key = TypeVar("Key")


class Sums(Generic[Key]):
    """Of each key a sum."""

    def __init__(self) -> None:
        self._numbers: dict[Key, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self._arrays: dict[int, Floats] = {}  # by identity, and kept, so that no other has it

    def add(self, key: Key, number: float, array: Floats) -> None:
        self._arrays[id(array)] = array
        self._numbers[key][id(array)] += number

    def totals(self) -> dict[Key, Floats]:
        """In the order in which the keys came."""
        return {
            key: np.asarray(sum(number * self._arrays[i] for i, number in found.items()))
            for key, found in self._numbers.items()
        }


class Squared:
    """What rows bring, times the squares of their factors, as one array: `add` adds it for rows."""

    def __init__(self, size: tuple[int, int], add: Callable[[Rows, float, Floats], None]) -> None:
        self._size, self._add = size, add
        self._sum: Floats | None = None
        self._rows: Rows | None = None  # the last that came
        self._square = 0.0

    def add(self, g: Adjoint) -> None:
        if g.rows is not self._rows:
            self.total()
            self._rows = g.rows
        self._square += g.factor**2

    def total(self) -> Floats | None:
        """None where nothing came."""
        if self._rows is not None:
            self._sum = np.zeros(self._size) if self._sum is None else self._sum
            self._add(self._rows, self._square, self._sum)
            self._rows, self._square = None, 0.0
        return self._sum
