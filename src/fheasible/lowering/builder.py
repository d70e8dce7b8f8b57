"""Grows a program operation by operation; the same operation on the same operands is made once."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.program.digests import digest
from fheasible.program.schedule import frees, late_encryptions, reachable
from fheasible.program.style import Style
from fheasible.program.types import Action, Operation, Packed, Program

_SUMMANDS = (Action.ADD_PLAIN, Action.ADD_SCALAR)
_BOOTSTRAP: Final = Action.BOOTSTRAP


@dataclass(frozen=True, slots=True)
class Value:
    """A ciphertext while its program grows.

    `depth` counts the rescalings behind it, since the last bootstrap if there is one. It is below 0 while
    a fresh value has the extended limb, or more levels than a bootstrap leaves. `degree` is 2
    for a product that has not been rescaled yet; `size` is 3 before relinearisation. `zero` says that
    the value is known to hold nothing but zeros; `minus` is the value that this one is the negation of.
    """

    id: int
    depth: int
    degree: int
    size: int
    zero: bool = False
    minus: "Value | None" = None


class Grown(NamedTuple):
    """An operation whose levels are still counted from the top, because the depth is not yet known."""

    action: Action
    out: int
    args: tuple[int, ...]
    depth: int
    degree: int
    plain: int | None
    steps: int
    source: str
    chunk: int
    internal: tuple[tuple[str, int], ...]
    where: str = ""  # file:line of the user's program


class ProgramBuilder:
    def __init__(self, style: Style, slots: int, two_rows: bool) -> None:
        self.style = style
        self.slots = slots
        self.two_rows = two_rows
        self.where = ""  # the line of the user's program that the next operations compute
        self._grown: list[Grown] = []
        self._plains: list[NDArray[Any]] = []
        self._plain_index: dict[bytes, int] = {}
        self._rows: dict[int, tuple[int, NDArray[Any]]] = {}  # read-only plains by identity, kept alive
        self._made: dict[tuple[Any, ...], Value] = {}
        self.bounds: dict[int, float] = {}  # the largest magnitude in any slot of a value, where it is known

    @property
    def row(self) -> int:
        """The number of slots that a rotation turns as one cycle."""
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
        """The value that the operation makes, of the given depth, degree and size."""
        index = None if plain is None else self._plain(plain)
        key = (action, tuple([a.id for a in args]), depth, index, steps, source, chunk)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = Value(len(self._grown), depth, degree, size)
            made_by = Grown(
                action, made.id, key[1], depth, degree, index, steps, source, chunk, internal, self.where
            )
            self._grown.append(made_by)
        return made

    def bounded(self, value: Value, largest: float) -> None:
        """Remembers that no slot of the value is larger in magnitude."""
        self.bounds[value.id] = min(largest, self.bounds.get(value.id, inf))

    def reached(self, outputs: Sequence[int], inputs: Sequence[int]) -> list[Grown]:
        """The operations that the outputs depend on, and all encryptions: a client sends whole vectors."""
        return late_encryptions(reachable(self._grown, [*outputs, *inputs]))

    def plain(self, index: int) -> NDArray[Any]:
        """The plain operand of that index."""
        return self._plains[index]

    def finish(self, inputs: Sequence[Packed], outputs: Sequence[Packed], depth: int) -> Program:
        """The program, without dead operations and with levels counted from the bottom."""
        wanted = [v for packed in outputs for v in packed.values]
        kept = self.reached(wanted, [v for packed in inputs for v in packed.values])
        levels = depth if self.style.leveled else 0
        operations, plains = self._placed(kept, levels, frees(kept, wanted))
        return Program(
            self.style.scheme,
            self.slots,
            levels,
            operations,
            plains,
            tuple(inputs),
            tuple(outputs),
            self.style.automatic,
            self.two_rows,
            self.style.spare if any(g.action is _BOOTSTRAP for g in kept) else 0,
        )

    def depth_needed(self, values: Sequence[int]) -> int:
        """The number of levels that the program's deepest value has used up, including a pending rescaling.

        One level more is needed where a plain summand would be lost at the last one.
        """
        kept = reachable(self._grown, values)
        deepest = max((g.depth + g.degree - 1 for g in kept), default=0)
        at_last = any(g.action in _SUMMANDS and g.depth == deepest for g in kept)
        return deepest + int(self.style.loses_last_summands and at_last)

    def bootstraps(self, outputs: Sequence[int]) -> bool:
        """Whether the outputs depend on a bootstrap."""
        return any(g.action is Action.BOOTSTRAP for g in reachable(self._grown, outputs))

    def trace(self) -> tuple[tuple[str, int], ...]:
        """(action, depth) of everything but encryption, including what libraries do unasked."""
        steps: list[tuple[str, int]] = []
        for g in self._grown:
            if g.action is not Action.ENCRYPT:
                steps += [(g.action.value, g.depth), *g.internal]
        return tuple(steps)

    def _plain(self, plain: NDArray[Any]) -> int:
        if id(plain) in self._rows:
            return self._rows[id(plain)][0]
        key = digest(plain)
        if key not in self._plain_index:
            self._plain_index[key] = len(self._plains)
            self._plains.append(plain)
        if not plain.flags.writeable:
            self._rows[id(plain)] = self._plain_index[key], plain
        return self._plain_index[key]

    def _placed(
        self, kept: Sequence[Grown], levels: int, frees: Sequence[tuple[int, ...]]
    ) -> tuple[tuple[Operation, ...], tuple[NDArray[Any], ...]]:
        """The operations at their levels, and the plains; plains that nothing uses any more are left out."""
        used = sorted({g.plain for g in kept if g.plain is not None})
        new: dict[int | None, int | None] = {old: i for i, old in enumerate(used)}
        new[None] = None
        leveled = self.style.leveled
        operations = [
            Operation(
                g.action, g.out, g.args, levels - g.depth if leveled else 0, new[g.plain], g.steps, g.source,
                g.chunk, dying, _counted_down(g.internal, levels) if leveled else (), where=g.where,
            )
            for g, dying in zip(kept, frees, strict=True)
        ]  # fmt: skip
        return tuple(operations), tuple(self._plains[i] for i in used)


def _counted_down(internal: tuple[tuple[str, int], ...], levels: int) -> tuple[tuple[str, int], ...]:
    return tuple((action, levels - at) for action, at in internal)


def scalar(value: float, exact: bool) -> NDArray[Any]:
    """A plain operand of one number."""
    return np.array([int(value) if exact else float(value)], dtype=np.int64 if exact else np.float64)
