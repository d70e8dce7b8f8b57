"""Which elements of its values a program needs: of a sorted vector of which three are picked, the last
exchanges need not be made of all.

What no output needs is left out, element by element. Fresh inputs and plain numbers stay whole.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fheasible.program.lookups import Step

Needed = NDArray[np.bool_]
_WHOLE = (Step.ENCRYPT, Step.TRIVIAL)


class Made(NamedTuple):
    """A step that was made, by which equal ones are found. `plain`: the bytes of its 64-bit integers."""

    step: Step
    length: int
    args: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    plain: bytes | None = None
    group: int = 0
    table: int = 0
    source: str = ""
    digit: int = 0


class Onto(Protocol):
    """What is asked of a builder (`builder.LookupBuilder`)."""

    def length(self, value: int) -> int: ...
    def pick(self, value: int, places: NDArray[np.int64]) -> int: ...
    def join(self, values: Sequence[int]) -> int: ...


def needed(steps: Sequence[Made], shown: Iterable[int]) -> list[Needed]:
    """For each step, which elements of its value are needed to have all elements of those that are shown."""
    found = [np.zeros(s.length, dtype=bool) for s in steps]
    for value in shown:
        found[value][:] = True
    for s, own in zip(reversed(steps), reversed(found), strict=True):
        if not own.any():
            continue
        if s.step in _WHOLE:
            own[:] = True
        elif s.step is not Step.PICK and own.all():
            for a in s.args:
                found[a][:] = True
        else:
            for a, places in zip(s.args, _places(s, own, steps), strict=True):
                found[a][places] = True
    return found


def _places(s: Made, own: Needed, steps: Sequence[Made]) -> list[NDArray[np.int64]]:
    """The places of the elements of each argument that these elements of the step's value are made of, in
    their order."""
    at = np.flatnonzero(own)
    lengths = [steps[a].length for a in s.args]
    match s.step:
        case Step.PICK:
            return [_plain(s)[at]]
        case Step.JOIN:
            ends = np.cumsum(lengths)
            return [
                at[(at >= end - n) & (at < end)] - (end - n) for n, end in zip(lengths, ends, strict=True)
            ]
        case Step.FOLD:
            every = (at[:, None] * s.group + np.arange(s.group)).reshape(-1)
            return [every[every < lengths[0]]]
    return [at if n == s.length else np.zeros(min(n, len(at)), dtype=np.int64) for n in lengths]


def _plain(s: Made) -> NDArray[np.int64]:
    assert s.plain is not None
    return np.frombuffer(s.plain, dtype=np.int64)


def _picked(onto: Onto, value: int, places: NDArray[np.int64]) -> int:
    if onto.length(value) == 1 and len(places) > 1:
        return onto.join([value] * len(places))
    return onto.pick(value, places)


def narrowed(
    steps: Sequence[Made],
    alive: Sequence[Needed],
    onto: Onto,
    emit: Callable[[int, Made], int],
) -> dict[int, int]:
    """The values on the builder `onto`, each with the elements of it that are `alive` alone; those of which
    none is are left out. `emit` makes a step in place of that with a number."""
    made: dict[int, int] = {}
    held = [np.cumsum(own) - 1 for own in alive]  # where each element is then
    for value, (s, own) in enumerate(zip(steps, alive, strict=True)):
        if not own.any():
            continue
        args = [
            _picked(onto, made[a], held[a][places])
            for a, places in zip(s.args, _places(s, own, steps), strict=True)
            if len(places)
        ]
        if s.step is Step.PICK:
            made[value] = args[0]
        elif s.step is Step.JOIN:
            made[value] = args[0] if len(args) == 1 else onto.join(args)
        else:
            length = len(own) if s.step in _WHOLE else int(own.sum())
            made[value] = emit(value, s._replace(args=tuple(args), length=length))
    return made
