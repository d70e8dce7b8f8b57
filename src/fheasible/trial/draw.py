"""Random choices that are the same on every machine and in every version of Python."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Choices that follow from `name` alone.

    Only `Random.random`, seeded with a text, is used: Python promises that it stays as it is, and promises
    this of no other method.
    """

    def __init__(self, name: str) -> None:
        self._random = Random(name)

    def share(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def chance(self, probability: float) -> bool:
        return self.share() < probability

    def whole(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return low + int(self.share() * (high - low + 1))

    def one(self, of: Sequence[T]) -> T:
        return of[self.whole(0, len(of) - 1)]

    def weighted(self, of: Sequence[tuple[float, T]]) -> T:
        """One of the second parts, drawn with the first parts as weights."""
        left = self.share() * sum(weight for weight, _ in of)
        for weight, found in of:
            left -= weight
            if left < 0:
                return found
        return of[-1][1]

    def some(self, of: Sequence[T], most: int) -> list[T]:
        """At most `most` different items, in their order."""
        left = list(range(len(of)))
        taken = [left.pop(self.whole(0, len(left) - 1)) for _ in range(min(most, len(of)))]
        return [of[i] for i in sorted(taken)]

    def decimal(self, low: float, high: float, digits: int = 2) -> float:
        """A number in [low, high] with `digits` digits after the point."""
        unit = float(10**digits)
        return self.whole(round(low * unit), round(high * unit)) / unit
