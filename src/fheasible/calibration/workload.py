"""The program that calibration runs: every primitive of a scheme, at a few levels of one context."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Hoist, Operation, Packed, Program, Scheme

ROTATIONS = (1, 2, 3, 4)


def workload(
    scheme: Scheme,
    slots: int,
    levels: int,
    at: tuple[int, ...],
    rotations: int,
    low: bool,
    linear: bool = False,
    hoists: bool = False,
) -> Program:
    """A program that runs each primitive once per level of `at`.

    It rotates with `rotations` keys. Its output is at the lowest level when `low`, else at the top, where
    decryption costs more. `linear`: it leaves out all operations that need a key. `hoists`: all rotations but
    the first share digits, and so does one more rotation by the first one's key.
    """
    grow = _Growing(scheme, slots, max(at), ROTATIONS[:rotations], linear, hoists)
    outputs = [grow.every_primitive(level) for level in sorted(at, reverse=True)]
    output = outputs[-1] if low else outputs[0]
    return Program(
        scheme,
        slots,
        levels,
        with_frees(grow.operations, [output]),
        grow.plains,
        (Packed("x", 2 * slots, (0, 1)),),
        (Packed("result", slots, (output,)),),
        two_rows=grow.two_rows,
    )


def values(scheme: Scheme, count: int) -> NDArray[Any]:
    """Numbers like those that applications have: random ones of both signs, none of them 0.

    A regular vector is encoded in less time, because many of its coefficients are 0 or have signs that a
    processor foresees.
    """
    draw = np.random.default_rng(count)
    found: NDArray[np.float64] = draw.uniform(0.01, 1, count) * draw.choice([-1, 1], count)
    return found if scheme is Scheme.CKKS else np.rint(100 * found).astype(np.int64)


class _Growing:
    def __init__(
        self,
        scheme: Scheme,
        slots: int,
        top: int,
        rotations: tuple[int, ...],
        linear: bool,
        hoists: bool,
    ) -> None:
        self.operations: list[Operation] = []
        self.linear, self.hoists = linear, hoists
        self.scheme, self.slots, self.top, self.rotations = scheme, slots, top, rotations
        self.leveled = scheme is not Scheme.BFV
        self.two_rows = scheme is not Scheme.CKKS
        self.plains = (
            values(scheme, slots),
            np.array([0.7]) if scheme is Scheme.CKKS else np.array([3], dtype=np.int64),
        )

    def emit(
        self, action: Action, args: tuple[int, ...], level: int,
        plain: int | None = None, steps: int = 0, chunk: int = 0, hoist: Hoist = Hoist.NONE,
    ) -> int:  # fmt: skip
        out = len(self.operations)
        source = "x" if action is Action.ENCRYPT else ""
        made = Operation(action, out, args, level, plain, steps, source, chunk, hoist=hoist)
        self.operations.append(made)
        return out

    def every_primitive(self, level: int) -> int:
        """The difference at that level, which no key switching has made noisy; emits every primitive.

        Light operations find their operands where most programs have them: a sum adds a value that was just
        made from one operand to an older value, and every other one follows an operation that used its
        operands.
        """
        x, y = (self.emit(Action.ENCRYPT, (), level, chunk=c) for c in (0, 1))
        if level < self.top:
            self.emit(Action.DROP, (0,), level)  # not used in products: its scale is the top level's
        products = (
            level > 0 or self.scheme is not Scheme.CKKS
        )  # CKKS' last prime cannot hold a product's scale
        self.emit(Action.ADD_PLAIN, (x,), level, plain=0)
        if products:
            self._plain_products(x, level)
        between = self.emit(Action.MUL, (x, y), level) if products and not self.linear else None
        difference = self.emit(Action.SUB, (x, y), level)
        self.emit(Action.NEG, (x,), level)
        self.emit(Action.ADD_SCALAR, (x,), level, plain=1)
        if between is not None:
            self._finish(between, level)
            self._finish(self.emit(Action.SQUARE, (x,), level), level)
        if not self.linear:
            y = self._automorphisms(y, level)
        self.emit(Action.ADD, (x, y), level)
        return difference

    def _plain_products(self, x: int, level: int) -> None:
        self.emit(Action.MUL_PLAIN, (x,), level, plain=0)
        self._rescale(self.emit(Action.MUL_SCALAR, (x,), level, plain=1), level)

    def _automorphisms(self, x: int, level: int) -> int:
        """The value that was made last, once the rotations and the swap of rows are emitted."""
        made = x
        alone = self.rotations[: 1 if self.hoists else None]
        for steps in alone:
            made = self.emit(Action.ROTATE, (x,), level, steps=steps)
        if shared := self.rotations[len(alone) :]:
            marks = (Hoist.FIRST, *[Hoist.NEXT] * (len(shared) - 1), Hoist.LAST)
            turns = (*shared, alone[0])  # none uses the key of the one before it, as in most programs
            for steps, mark in zip(turns, marks, strict=True):
                made = self.emit(Action.ROTATE, (x,), level, steps=steps, hoist=mark)
        return self.emit(Action.SWAP_ROWS, (x,), level) if self.two_rows else made

    def _finish(self, product: int, level: int) -> None:
        self._rescale(self.emit(Action.RELINEARIZE, (product,), level), level)

    def _rescale(self, value: int, level: int) -> None:
        if self.leveled and level > 0:
            self.emit(Action.RESCALE, (value,), level - 1)
