"""How an output depends on every operation: one backward pass through a program for many directions at once.

A program is linear in small errors, so that reverse-mode differentiation on slots accounts for shared
ancestors, powers of one ciphertext and rotated copies alike.
"""

from collections.abc import Iterator
from functools import lru_cache
from heapq import heappop, heappush
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import UnsupportedOperation
from fheasible.noise.reach.rows import Adjoint, Rows, summed
from fheasible.program.simulate import unit_interval
from fheasible.program.types import Action, Operation, Program

Slots = NDArray[np.float64]
Values = dict[int, Slots]

MIXES = (Action.ROTATE, Action.EVAL_SUM)


def adjoints(
    program: Program, values: Values, output: int, directions: Rows, ends: frozenset[int] = frozenset()
) -> Iterator[tuple[int, Adjoint, list[Adjoint]]]:
    """Each operation that the value `output` depends on, from the last to the first: its number, the
    derivative of the directions' products with the output by each slot of its result (a row for each
    direction), and the shares of its operands. `ends`: values that the pass does not go beyond, so that their
    operands have no shares.

    `values`: the slots of each value, or one number where all slots are alike.
    """
    pending = {output: Adjoint(1.0, directions)}
    for i in _behind(program, output, ends) if ends else _all_behind(program, output):
        o = program.operations[i]
        g = pending.pop(o.out)
        shares = [] if o.out in ends else shares_of(program, o, g, values)
        yield i, g, shares
        for arg, share in zip(o.args, shares, strict=o.out not in ends):
            known = pending.get(arg)
            pending[arg] = share if known is None else known.plus(share)


@lru_cache(maxsize=64)
def _all_behind(program: Program, output: int) -> tuple[int, ...]:
    """The operations that the value depends on, the last first. They are kept, because passes at many points
    take the same ones."""
    return tuple(_behind(program, output, frozenset()))


def _behind(program: Program, output: int, ends: frozenset[int]) -> Iterator[int]:
    """The operations that the value depends on, the last first, back to those that make `ends`."""
    made, met = _made(program), {output}
    ahead = [-made[output]]
    while ahead:
        i = -heappop(ahead)
        yield i
        o = program.operations[i]
        for arg in o.args if o.out not in ends else ():
            if arg not in met:
                met.add(arg)
                heappush(ahead, -made[arg])


@lru_cache(maxsize=64)
def _made(program: Program) -> dict[int, int]:
    """For each value, the number of the operation that makes it."""
    return {o.out: i for i, o in enumerate(program.operations)}


@lru_cache(maxsize=64)
def mixing(program: Program) -> frozenset[int]:
    """The values in which a slot depends on other slots too."""
    found: set[int] = set()
    for o in program.operations:
        if o.action in MIXES or any(a in found for a in o.args):
            found.add(o.out)
    return frozenset(found)


def shares_of(program: Program, o: Operation, g: Adjoint, values: Values) -> list[Adjoint]:
    """The adjoint of each operand."""
    match o.action:  # the most frequent first
        case Action.ADD:
            return [g, g]
        case Action.MUL_SCALAR | Action.MUL_PLAIN:
            return [g.times(program.plains[o.plain or 0])]
        case (
            Action.DROP | Action.RESCALE | Action.RELINEARIZE | Action.BOOTSTRAP
            | Action.ADD_SCALAR | Action.ADD_PLAIN
        ):  # fmt: skip
            return [g]
        case Action.MUL:
            return [g.times(values[o.args[1]]), g.times(values[o.args[0]])]
        case Action.ROTATE:
            return [g.turned(o.steps)]
        case Action.ENCRYPT:
            return []
        case Action.SUB:
            return [g, Adjoint(-g.factor, g.rows)]
        case Action.NEG:
            return [Adjoint(-g.factor, g.rows)]
        case Action.SQUARE:
            return [g.times(2 * values[o.args[0]])]
        case Action.EVAL_SUM:
            return [Adjoint(g.factor, summed(g.rows))]
        case Action.EVAL_CHEBYSHEV:
            return [g.times(_slope(values[o.args[0]], program.plains[o.plain or 0]))]
        case Action.SWAP_ROWS:
            raise UnsupportedOperation("CKKS has no swap_rows", "lower the program for its style")
        case _:
            assert_never(o.action)


def _slope(x: Slots, series: Slots) -> Slots:
    """The derivative of a Chebyshev series at x."""
    unit, c = unit_interval(x, series)
    inner = 2 / float(series[1] - series[0])
    return np.asarray(inner * np.polynomial.chebyshev.chebval(unit, np.polynomial.chebyshev.chebder(c)))
