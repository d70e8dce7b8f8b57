"""Sums over the operations that a pass meets: of arrays times numbers, of squares of rows, and of adjoints.

Where the same array comes several times, its numbers are added first.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.reach.rows import Adjoint, Full, Rows

Key = TypeVar("Key")


class Sums(Generic[Key]):
    """For each key, a sum of arrays times numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Key, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self._arrays: dict[int, Floats] = {}  # by id; kept here, so that no other array gets the same id

    def add(self, key: Key, number: float, array: Floats) -> None:
        self._arrays[id(array)] = array
        self._numbers[key][id(array)] += number

    def totals(self) -> dict[Key, Floats]:
        """The sum for each key, in the order in which the keys came."""
        return {key: self._total(found) for key, found in self._numbers.items()}

    def _total(self, numbers: dict[int, float]) -> Floats:
        """The sum of the arrays times their numbers, added one after another."""
        arrays = np.concatenate([self._arrays[i] for i in numbers]).reshape(len(numbers), -1)
        arrays *= np.array(list(numbers.values()))[:, None]
        return np.asarray(np.add.accumulate(arrays)[-1] + 0.0)


class GrowingSum:
    """The sum of adjoints, added one after another as in `Adjoint.plus`; in place once the total has full
    rows that nothing else holds."""

    def __init__(self, first: Adjoint) -> None:
        self.total = first
        self._own = False  # whether nothing else holds the rows of the total

    def add(self, g: Adjoint) -> None:
        total = self.total
        if self._own and isinstance(g.rows, Full) and g.factor == total.factor != 0:
            total.rows.whole()[...] += g.rows.values
            return
        self.total = total.plus(g)
        self._own = isinstance(self.total.rows, Full) and self.total.rows not in (total.rows, g.rows)


class Squared:
    """The sum of what the rows of adjoints bring, times the squares of their factors, as one array. The
    function `add` that it is made with adds what rows bring, times a number, to that array."""

    def __init__(self, size: tuple[int, int], add: Callable[[Rows, float, Floats], None]) -> None:
        self._size, self._add = size, add
        self._sum: Floats | None = None
        self._rows: Rows | None = None  # those that came last
        self._square = 0.0

    def add(self, g: Adjoint) -> None:
        if g.rows is not self._rows:
            self.total()
            self._rows = g.rows
        self._square += g.factor**2

    def total(self) -> Floats | None:
        """The sum so far; None where nothing was added."""
        if self._rows is not None:
            self._sum = np.zeros(self._size) if self._sum is None else self._sum
            self._add(self._rows, self._square, self._sum)
            self._rows, self._square = None, 0.0
        return self._sum
