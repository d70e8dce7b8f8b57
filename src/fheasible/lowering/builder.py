"""Grow a program operation by operation; the same operation on the same operands is made once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.program.schedule import late_encryptions, reachable, with_frees
from fheasible.program.style import Style
from fheasible.program.types import Action, Operation, Packed, Program


@dataclass(frozen=True, slots=True)
class Value:
    """A ciphertext while its program grows.

    `depth` counts the rescalings behind it (-1: fresh, with the extended limb still on); `degree` is 2
    for a product that has not been rescaled yet; `size` is 3 before relinearisation. `zero` says that
    it is known to hold nothing but zeros.
    """

    id: int
    depth: int
    degree: int
    size: int
    zero: bool = False


@dataclass(frozen=True, slots=True)
class _Grown:
    """An operation whose levels are still counted from the top, because the depth is not yet known."""

    operation: Operation
    depth: int
    internal: tuple[tuple[str, int], ...]


class Builder:
    def __init__(self, style: Style, slots: int, two_rows: bool) -> None:
        self.style = style
        self.slots = slots
        self.two_rows = two_rows
        self._grown: list[_Grown] = []
        self._plains: list[NDArray[Any]] = []
        self._plain_index: dict[tuple[str, bytes], int] = {}
        self._made: dict[tuple[Any, ...], Value] = {}

    @property
    def row(self) -> int:
        """Slots that a rotation turns over."""
        return self.slots // 2 if self.two_rows else self.slots

    def emit(
        self,
        action: Action,
        args: Sequence[Value],
        *,
        depth: int,
        degree: int = 1,
        size: int = 2,
        plain: NDArray[Any] | None = None,
        steps: int = 0,
        source: str = "",
        chunk: int = 0,
        internal: tuple[tuple[str, int], ...] = (),
    ) -> Value:
        """The value of that operation, of the given depth, degree and size."""
        index = None if plain is None else self._plain(plain)
        key = (action, tuple(a.id for a in args), depth, index, steps, source, chunk)
        if key not in self._made:
            made = Value(len(self._grown), depth, degree, size)
            operation = Operation(action, made.id, tuple(a.id for a in args), 0, index, steps, source, chunk)
            self._grown.append(_Grown(operation, depth, internal))
            self._made[key] = made
        return self._made[key]

    def finish(self, inputs: Sequence[Packed], outputs: Sequence[Packed], depth: int) -> Program:
        """The program, with dead operations gone and levels counted from the bottom."""
        wanted = [v for packed in outputs for v in packed.values]
        given = [v for packed in inputs for v in packed.values]  # a client sends whole vectors
        kept = late_encryptions(reachable([g.operation for g in self._grown], [*wanted, *given]))
        levels = depth if self.style.leveled else 0
        placed = [self._place(self._grown[o.out], levels) for o in kept]
        operations, plains = self._compact(placed)
        return Program(
            self.style.scheme,
            self.slots,
            levels,
            with_frees(operations, wanted),
            plains,
            tuple(inputs),
            tuple(outputs),
            self.style.automatic,
            self.two_rows,
        )

    def depth_needed(self, values: Sequence[Value]) -> int:
        """Levels that the program's deepest value has used up, a pending rescaling included."""
        wanted = [v.id for v in values]
        kept = reachable([g.operation for g in self._grown], wanted)
        by_id = {v.id: v for v in self._made.values()}
        return max((by_id[o.out].depth + by_id[o.out].degree - 1 for o in kept), default=0)

    def trace(self) -> tuple[tuple[str, int], ...]:
        """(action, depth) of everything but encryption, what libraries do unasked included."""
        steps: list[tuple[str, int]] = []
        for g in self._grown:
            if g.operation.action is not Action.ENCRYPT:
                steps += [(g.operation.action.value, g.depth), *g.internal]
        return tuple(steps)

    def count(self, action: Action) -> int:
        return sum(g.operation.action is action for g in self._grown)

    def _plain(self, plain: NDArray[Any]) -> int:
        key = (plain.dtype.str + str(plain.shape), plain.tobytes())
        if key not in self._plain_index:
            self._plain_index[key] = len(self._plains)
            self._plains.append(plain)
        return self._plain_index[key]

    def _place(self, grown: _Grown, levels: int) -> Operation:
        o, leveled = grown.operation, self.style.leveled
        level = levels - grown.depth if leveled else 0
        internal = tuple((action, levels - at) for action, at in grown.internal) if leveled else ()
        return Operation(o.action, o.out, o.args, level, o.plain, o.steps, o.source, o.chunk, (), internal)

    def _compact(self, placed: list[Operation]) -> tuple[list[Operation], tuple[NDArray[Any], ...]]:
        """Plains that nothing uses any more are left out."""
        used = sorted({o.plain for o in placed if o.plain is not None})
        new = {old: i for i, old in enumerate(used)}
        renumbered = [
            Operation(
                o.action, o.out, o.args, o.level, None if o.plain is None else new[o.plain],
                o.steps, o.source, o.chunk, (), o.internal,
            )
            for o in placed
        ]  # fmt: skip
        return renumbered, tuple(self._plains[i] for i in used)


def scalar(value: float, exact: bool) -> NDArray[Any]:
    """A plain operand of one number."""
    return np.array([int(value) if exact else float(value)], dtype=np.int64 if exact else np.float64)
