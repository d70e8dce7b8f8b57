"""Sums over the operations that a pass meets: of arrays times numbers, of squares of rows, of adjoints.

Where the same array comes again and again, its numbers are added first.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.rows import Adjoint, Full, Rows

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
        return {key: self._total(found) for key, found in self._numbers.items()}

    def _total(self, numbers: dict[int, float]) -> Floats:
        """From 0, one array after another."""
        arrays = np.concatenate([self._arrays[i] for i in numbers]).reshape(len(numbers), -1)
        arrays *= np.array(list(numbers.values()))[:, None]
        return np.asarray(np.add.accumulate(arrays)[-1] + 0.0)


class Added:
    """The sum of adjoints, one after another as `Adjoint.plus` has it, in place once it is rows in full."""

    def __init__(self, first: Adjoint) -> None:
        self.total = first
        self._own = False  # whether nobody else has the rows of the total

    def add(self, g: Adjoint) -> None:
        total = self.total
        if self._own and isinstance(g.rows, Full) and g.factor == total.factor != 0:
            total.rows.whole()[...] += g.rows.values
            return
        self.total = total.plus(g)
        self._own = isinstance(self.total.rows, Full) and self.total.rows not in (total.rows, g.rows)


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
