"""Degrees for approximations that leave them open: enough for the precision asked, with room for noise."""

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

from fheasible.circuit.chebyshev import HIGHEST_DEGREE
from fheasible.circuit.degrees import Approximated, Degrees
from fheasible.exploration.wish import Asked
from fheasible.noise.achieved import Vectors, achieved

MARGIN_BITS = (
    0.5  # that approximations alone must do better than asked: what the noise model keeps for itself
)
ROOM_BITS = 1.5  # with so many, noise may take half of the error; a longer series would buy less than a bit

MOST_LEVELS = HIGHEST_DEGREE.bit_length()


class Needed(NamedTuple):
    """What is asked for with some inputs, and their results: by their approximations, and in truth."""

    on: Approximated
    truth: Vectors
    asked: Asked

    def room(self, degrees: Degrees) -> float:
        """Bits by which approximations of those degrees do better than asked; below 0 they do worse."""
        found = reached(self.on, self.truth, self.asked, degrees)
        if self.asked.in_bits:
            return found - self.asked.value
        return log2(self.asked.value / found) if found else float("inf")


def degrees_to_try(on: Approximated, truth: Vectors, asked: Asked) -> tuple[Degrees, ...]:
    """Degrees of the open approximations, the shallowest first; one empty tuple where none is open.

    From the first that meet the wish at all, series that fill their levels, down to the least degrees that
    leave room for noise. Where no degree is enough, the highest.
    """
    return _Chooser((Needed(on, truth, asked),)).found() if on.open else ((),)


def with_others(own: tuple[Degrees, ...], data: Needed, others: Sequence[Needed]) -> tuple[Degrees, ...]:
    """Those degrees, which are enough for the data, and where they leave too much with other inputs those
    that are enough there, too. What no degrees reach is left out."""
    highest: Degrees = (HIGHEST_DEGREE,) * len(data.on.open)
    missed = [
        other
        for other in others
        if data.on.open and other.room(own[-1]) < ROOM_BITS and other.room(highest) >= ROOM_BITS
    ]
    more = _Chooser((data, *missed)).found() if missed else ()
    return tuple(dict.fromkeys((*own, *more)))


def reached(on: Approximated, truth: Vectors, asked: Asked, degrees: Degrees) -> float:
    """The figure that is asked for, by the approximations alone with those degrees: the worse one of their
    largest errors nearby and of those that they have."""
    ways = (False, True) if on.open else (False,)  # the errors of given degrees are the same in both
    figures = [asked.of(achieved(on.outputs(degrees, by_chance), truth)) for by_chance in ways]
    return min(figures) if asked.in_bits else max(figures)


class _Chooser:
    def __init__(self, needs: Sequence[Needed]) -> None:
        self.needs = needs
        self.open = len(needs[0].on.open)

    def found(self) -> tuple[Degrees, ...]:
        full: Degrees = (1,) * self.open
        enough: list[Degrees] = []
        while (room := self.room(full)) < ROOM_BITS and min(full) < HIGHEST_DEGREE:
            enough += [full] if room >= MARGIN_BITS else []
            full = self._deeper(full)
        return (*enough, self._least(full) if room >= ROOM_BITS else full)

    def room(self, degrees: Degrees) -> float:
        return min(needed.room(degrees) for needed in self.needs)

    def _deeper(self, full: Degrees) -> Degrees:
        """One level more for the approximation that gains most by it."""
        deeper = [(*full[:i], 2 * d + 1, *full[i + 1 :]) for i, d in enumerate(full) if d < HIGHEST_DEGREE]
        return max(deeper, key=lambda d: (self.room(d), -max(d))) if len(deeper) > 1 else deeper[0]

    def _least(self, degrees: Degrees) -> Degrees:
        """The least degrees that leave as much room, each in turn."""
        for i in range(len(degrees)):
            short, enough = 0, degrees[i]
            while enough - short > 1:
                middle = (short + enough) // 2
                tried = (*degrees[:i], middle, *degrees[i + 1 :])
                short, enough = (short, middle) if self.room(tried) >= ROOM_BITS else (middle, enough)
            degrees = (*degrees[:i], enough, *degrees[i + 1 :])
        return degrees
