"""The degrees of approximations that leave them open: enough for the precision asked, with room for noise."""

from collections.abc import Sequence
from math import inf, log2
from typing import NamedTuple

from fheasible.circuit.degrees import Approximated, Degrees, cheaper, highest, least, levels, of_levels
from fheasible.circuit.worst_error import WorstErrors
from fheasible.exploration.problem.wish import Asked
from fheasible.noise.achieved import Vectors, achieved

MARGIN_BITS = 0.5  # by which approximations alone must do better than asked: the noise model's own margin
ROOM_BITS = 1.5  # with so many, noise may take half of the error; a longer series would gain less than a bit


class Needed(NamedTuple):
    """A precision that is asked for on some inputs: `on` gives their results by approximations, `truth` the
    exact ones."""

    on: Approximated
    truth: Vectors
    asked: Asked

    def room(self, degrees: Degrees) -> float:
        """The bits by which approximations of those degrees do better than asked; below 0 they do worse."""
        found = reached(self.on, self.truth, self.asked, degrees)
        if self.asked.in_bits:
            return found - self.asked.value
        return log2(self.asked.value / found) if found else float("inf")


class Rounded(NamedTuple):
    """Integers that are to be rounded right: with errors that are less than asked, whatever the inputs
    are."""

    on: WorstErrors
    asked: Asked

    def room(self, degrees: Degrees) -> float:
        """The bits by which approximations of those degrees do better than asked; below 0 they do worse."""
        found = self.on.largest(degrees)
        return log2(self.asked.value / found) if 0 < found < inf else (inf if not found else -inf)


def degrees_that_round(on: WorstErrors, asked: Asked) -> tuple[Degrees, ...]:
    """The degrees to try for the open approximations of a circuit of integers; as `degrees_to_try`, but for
    all inputs."""
    return _Chooser((Rounded(on, asked),)).found() if on.open else ((),)


def degrees_to_try(on: Approximated, truth: Vectors, asked: Asked) -> tuple[Degrees, ...]:
    """The degrees to try for the open approximations, the shallowest first; one empty tuple where none is
    open.

    They go from the first series that meet the wish at all and fill their levels, to the least degrees that
    leave room for noise. Where no degrees leave that room, the last ones are the highest.
    """
    return _Chooser((Needed(on, truth, asked),)).found() if on.open else ((),)


def with_others(own: tuple[Degrees, ...], data: Needed, others: Sequence[Needed]) -> tuple[Degrees, ...]:
    """The degrees `own`, which are enough for the data, and further ones that are enough for the other inputs
    as well, where `own` leave too large an error there. Needs that no degrees can meet are ignored."""
    most: Degrees = tuple(highest(n.attribute) for n in data.on.open)
    missed = [
        other
        for other in others
        if data.on.open and other.room(own[-1]) < ROOM_BITS and other.room(most) >= ROOM_BITS
    ]
    more = _Chooser((data, *missed)).found() if missed else ()
    return tuple(dict.fromkeys((*own, *more)))


def reached(on: Approximated, truth: Vectors, asked: Asked, degrees: Degrees) -> float:
    """The figure that is asked for, from the approximations alone with those degrees. It is the worse one of
    two: with their largest errors nearby, and with the errors that they have at exactly these inputs."""
    ways = (False, True) if on.open else (False,)  # the errors of given degrees are the same in both
    figures = [asked.of(achieved(on.outputs(degrees, by_chance), truth)) for by_chance in ways]
    return min(figures) if asked.in_bits else max(figures)


class _Chooser:
    def __init__(self, needs: Sequence[Needed | Rounded]) -> None:
        self.needs = needs
        self.open = [n.attribute for n in needs[0].on.open]

    def found(self) -> tuple[Degrees, ...]:
        full: Degrees = tuple(least(found) for found in self.open)
        enough: list[Degrees] = []
        while (room := self.room(full)) < ROOM_BITS and (deeper := self._deeper(full)):
            enough += [full] if room >= MARGIN_BITS else []
            full = deeper
        return (*enough, self._least(full) if room >= ROOM_BITS else full)

    def room(self, degrees: Degrees) -> float:
        return min(needed.room(degrees) for needed in self.needs)

    def _deeper(self, full: Degrees) -> Degrees | None:
        """The degrees with one level more for the approximation that gains most from it; None where all are
        the highest."""
        more = [of_levels(found, levels(d) + 1) for found, d in zip(self.open, full, strict=True)]
        deeper = [(*full[:i], d, *full[i + 1 :]) for i, d in enumerate(more) if d is not None]
        if len(deeper) < 2:
            return deeper[0] if deeper else None
        together = tuple(full[i] if d is None else d for i, d in enumerate(more))
        if any(found.jump for found in self.open):
            return together  # one alone may gain nothing where several gain much, as in a network that sorts
        return max(deeper, key=lambda d: (self.room(d), -max(map(levels, d))))

    def _least(self, degrees: Degrees) -> Degrees:
        """The least degrees that still leave `ROOM_BITS`, lowered one after the other."""
        for i, found in enumerate(self.open):
            possible = cheaper(found, degrees[i])
            short, enough = -1, len(possible) - 1
            while enough - short > 1:
                middle = (short + enough) // 2
                tried = (*degrees[:i], possible[middle], *degrees[i + 1 :])
                short, enough = (short, middle) if self.room(tried) >= ROOM_BITS else (middle, enough)
            degrees = (*degrees[:i], possible[enough], *degrees[i + 1 :])
        return degrees
