"""Numbers stored as their log2, because noise bounds overflow a float; for one set or many at once."""

from dataclasses import dataclass
from typing import Any, Union

import numpy as np

Number = Union["Magnitude", int, float]


@dataclass(frozen=True, slots=True, eq=False)
class Magnitude:
    """The number 2^`log2`, zero for -inf. `log2` may be an array with one entry for each parameter set."""

    log2: Any

    @staticmethod
    def of(x: Any) -> "Magnitude":
        """The magnitude of a non-negative number, of any size, or of an array of them."""
        if isinstance(x, Magnitude):
            return x
        if isinstance(x, int):
            return Magnitude(_log2(x))
        with np.errstate(divide="ignore"):
            return Magnitude(np.log2(x))

    def __add__(self, other: Number) -> "Magnitude":
        return Magnitude(np.logaddexp2(self.log2, Magnitude.of(other).log2))

    def __mul__(self, other: Number) -> "Magnitude":
        return Magnitude(self.log2 + Magnitude.of(other).log2)

    def __truediv__(self, other: Number) -> "Magnitude":
        return Magnitude(self.log2 - Magnitude.of(other).log2)

    def __lt__(self, other: Number) -> Any:
        """Whether this magnitude is the smaller one, set by set."""
        return self.log2 < Magnitude.of(other).log2

    __radd__ = __add__
    __rmul__ = __mul__

    def minus(self, other: Number) -> "Magnitude":
        """The difference, or zero where it would be negative."""
        ratio = np.exp2(np.minimum(Magnitude.of(other).log2 - self.log2, 0.0))
        with np.errstate(divide="ignore"):
            return Magnitude(self.log2 + np.log2(1.0 - ratio))

    def larger(self, other: Number) -> "Magnitude":
        """The larger of the two, set by set."""
        return Magnitude(np.maximum(self.log2, Magnitude.of(other).log2))

    def sqrt(self) -> "Magnitude":
        return Magnitude(self.log2 / 2)


def _log2(x: int) -> float:
    """log2 of an integer, which may be too large for a float."""
    if x == 0:
        return float("-inf")
    shift = max(x.bit_length() - 60, 0)
    return float(np.log2(x >> shift)) + shift
