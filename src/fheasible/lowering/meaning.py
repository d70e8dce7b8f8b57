"""What a grown program computes, without the operations that only keep levels, scales and sizes in agreement.

A bootstrap changes the levels of all that follows, and with them what must be dropped, rescaled or brought to
another scale. So these operations are left out here, and made anew once bootstraps have their places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from fheasible.lowering.builder import Grown, ProgramBuilder
from fheasible.program.types import Action

_AGREEMENT = (Action.RELINEARIZE, Action.RESCALE, Action.DROP)
_NO_PLAIN: NDArray[Any] = np.empty(0)

Internal = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Meant:
    """One operation. `args` are places in the list that it stands in, always before its own."""

    action: Action
    args: tuple[int, ...]
    plain: NDArray[Any] = field(default_factory=lambda: _NO_PLAIN)
    steps: int = 0
    source: str = ""
    chunk: int = 0
    levels: int = 0  # that a library's own series takes
    inside: Internal = ()  # what it does for it, with depths counted from its operand
    where: str = ""  # file:line of the user's program


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The operations, the place of each value that they make, and bounds on the magnitude of its slots."""

    operations: tuple[Meant, ...]
    places: Mapping[int, int]  # from a value of the builder to the operation that it stands for
    bounds: tuple[float, ...]


def meaning(
    build: ProgramBuilder, outputs: Sequence[int], inputs: Sequence[int], declared: Mapping[str, float]
) -> Meaning:
    """What the program computes. `declared` has the largest magnitude of each input."""
    found: list[Meant] = []
    places: dict[int, int] = {}
    depths: dict[int, int] = {}
    known: dict[tuple[Any, ...], int] = {}
    for g in build.reached(outputs, inputs):
        depths[g.out] = g.depth
        if _agrees(build, g):
            places[g.out] = places[g.args[0]]
            continue
        made = _meant(build, g, places, depths)
        key = (made.action, made.args, g.plain, g.steps, g.source, g.chunk)
        places[g.out] = known.setdefault(key, len(found))
        if places[g.out] == len(found):
            found.append(made)
    return Meaning(tuple(found), places, _bounds(build, found, places, declared))


def _agrees(build: ProgramBuilder, g: Grown) -> bool:
    """Whether the operation changes no slot: a product by one does no more than a rescaling or a drop."""
    one = g.action is Action.MUL_SCALAR and g.plain is not None and build.plain(g.plain)[0] == 1
    return one or g.action in _AGREEMENT


def _meant(build: ProgramBuilder, g: Grown, places: Mapping[int, int], depths: Mapping[int, int]) -> Meant:
    args = tuple(places[a] for a in g.args)
    plain = _NO_PLAIN if g.plain is None else build.plain(g.plain)
    levels = 0
    inside: Internal = ()
    if g.action is Action.EVAL_CHEBYSHEV:
        start = depths[g.args[0]]
        levels, inside = g.depth + 1 - start, tuple((action, at - start) for action, at in g.internal)
    action = g.action
    if action is Action.MUL and args[0] == args[1]:  # of two copies of a value at different levels
        action, args = Action.SQUARE, args[:1]
    return Meant(action, args, plain, g.steps, g.source, g.chunk, levels, inside, g.where)


# -- how large values may be ---------------------------------------------------------------------------


def _bounds(
    build: ProgramBuilder, meant: Sequence[Meant], places: Mapping[int, int], declared: Mapping[str, float]
) -> tuple[float, ...]:
    """What follows from the operations, or what the circuit says of a value if that is less."""
    told = dict.fromkeys(range(len(meant)), inf)
    for value, largest in build.bounds.items():
        if value in places:
            told[places[value]] = min(largest, told[places[value]])
    found: list[float] = []
    for place, m in enumerate(meant):
        own = declared[m.source] if m.source else _largest(m, [found[a] for a in m.args], build.slots)
        found.append(min(own, told[place]))
    return tuple(found)


def _largest(m: Meant, args: Sequence[float], slots: int) -> float:
    """A bound on the result, from those of the operands."""
    match m.action:
        case Action.ADD | Action.SUB:
            return args[0] + args[1]
        case Action.MUL:
            return _product(args[0], args[1])
        case Action.SQUARE:
            return _product(args[0], args[0])
        case Action.ADD_PLAIN | Action.ADD_SCALAR:
            return args[0] + _magnitude(m.plain)
        case Action.MUL_PLAIN | Action.MUL_SCALAR:
            return _product(args[0], _magnitude(m.plain))
        case Action.EVAL_SUM:
            return args[0] * slots
        case Action.EVAL_CHEBYSHEV:
            return float(np.abs(m.plain[2:]).sum())
        case Action.NEG | Action.ROTATE | Action.SWAP_ROWS | Action.BOOTSTRAP:
            return args[0]
        case Action.RELINEARIZE | Action.RESCALE | Action.DROP:
            return args[0]
        case Action.ENCRYPT:
            return inf
        case _:
            assert_never(m.action)


def _product(a: float, b: float) -> float:
    return a * b if a and b else 0.0  # 0 * infinity would be NaN


def _magnitude(plain: NDArray[Any]) -> float:
    return float(np.abs(plain).max())
