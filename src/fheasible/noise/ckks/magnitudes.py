"""What no slot of a value exceeds in any execution of a rehearsal, without a look at the slots.

It follows from the operands, and grows from operation to operation. Where it is too large to tell anything,
the slots are looked at once.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from fheasible.program.simulate import Slots
from fheasible.program.types import Action, Operation, Program


class Magnitudes:
    """An upper bound of the size of the slots of each value that has been computed."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._plains: dict[int, float] = {}
        self._known: dict[int, float] = {}

    def keep(self, value: int, most: float) -> None:
        self._known[value] = most

    def of(self, value: int, slots: Slots) -> float:
        if value not in self._known:
            self._known[value] = measured(slots)
        return self._known[value]

    def plain(self, o: Operation) -> float:
        """The largest number of an operation's plain operand."""
        place = o.plain or 0
        if place not in self._plains:
            self._plains[place] = measured(self._program.plains[place])
        return self._plains[place]

    def made(self, o: Operation, operands: Sequence[Slots], made: Slots) -> float:
        """Of the result of an operation, without the noise that it brings."""
        sizes = [self.of(value, slots) for value, slots in zip(o.args, operands, strict=True)]
        match o.action:  # the most frequent first
            case Action.ADD | Action.SUB:
                return sizes[0] + sizes[1]
            case Action.MUL_SCALAR | Action.MUL_PLAIN:
                return sizes[0] * self.plain(o)
            case Action.DROP | Action.RESCALE | Action.RELINEARIZE | Action.ROTATE | Action.NEG:
                return sizes[0]
            case Action.ADD_SCALAR | Action.ADD_PLAIN:
                return sizes[0] + self.plain(o)
            case Action.MUL:
                return sizes[0] * sizes[1]
            case Action.SQUARE:
                return sizes[0] * sizes[0]
            case Action.EVAL_SUM:
                return sizes[0] * self._program.slots
            case _:
                return measured(made)


def measured(slots: Slots) -> float:
    """The largest of all slots, without its sign. (For complex numbers, numpy's own `abs` takes five times as
    long as squares, since it never overflows.)"""
    if slots.dtype.kind != "c":
        return float(np.abs(slots).max(initial=0.0))
    squares = np.square(slots.real)
    squares += np.square(slots.imag)
    return sqrt(squares.max(initial=0.0))
