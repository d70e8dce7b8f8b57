"""How an output depends on every operation: one pass backwards through a program for many directions at once.

A program is linear in small errors, so that reverse-mode differentiation on slots accounts for shared
ancestors, powers of one ciphertext and rotated copies alike.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fheasible.program.simulate import unit_interval
from fheasible.program.types import Action, Operation, Program

Slots = NDArray[np.float64]
Values = dict[int, Slots]

_MIXES = (Action.ROTATE, Action.EVAL_SUM)


def adjoints(
    program: Program, values: Values, output: int, directions: Slots
) -> Iterator[tuple[int, Slots, list[Slots]]]:
    """Backwards, each operation that the value `output` depends on: its number, the derivative by each slot
    of its result of the directions' products with the output (a row each), and the shares of its operands."""
    pending: Values = {output: directions}
    for i in range(len(program.operations) - 1, -1, -1):
        o = program.operations[i]
        g = pending.pop(o.out, None)
        if g is None:
            continue
        shares = _shares(program, o, g, values)
        yield i, g, shares
        for arg, share in zip(o.args, shares, strict=True):
            pending[arg] = pending[arg] + share if arg in pending else share


def mixing(program: Program) -> frozenset[int]:
    """The values of which a slot depends on other slots too."""
    found: set[int] = set()
    for o in program.operations:
        if o.action in _MIXES or any(a in found for a in o.args):
            found.add(o.out)
    return frozenset(found)


def _shares(program: Program, o: Operation, g: Slots, values: Values) -> list[Slots]:
    """The adjoint of each operand."""
    match o.action:
        case Action.ENCRYPT:
            return []
        case Action.ADD:
            return [g, g]
        case Action.SUB:
            return [g, -g]
        case Action.NEG:
            return [-g]
        case Action.MUL:
            return [g * values[o.args[1]], g * values[o.args[0]]]
        case Action.SQUARE:
            return [2 * g * values[o.args[0]]]
        case Action.MUL_PLAIN | Action.MUL_SCALAR:
            return [g * program.plains[o.plain or 0]]
        case Action.EVAL_SUM:
            return [np.broadcast_to(g.sum(axis=-1, keepdims=True), g.shape)]
        case Action.EVAL_CHEBYSHEV:
            return [g * _slope(values[o.args[0]], program.plains[o.plain or 0])]
        case Action.ROTATE:
            return [np.roll(g, o.steps, axis=-1)]
        case _:
            return [g]


def _slope(x: Slots, series: Slots) -> Slots:
    """The derivative of a Chebyshev series at x."""
    unit, c = unit_interval(x, series)
    inner = 2 / float(series[1] - series[0])
    return np.asarray(inner * np.polynomial.chebyshev.chebval(unit, np.polynomial.chebyshev.chebder(c)))
