"""How far each operation's noise reaches the outputs, to first order and with all correlations.

A program is linear in small errors, so one pass backwards through it (reverse-mode differentiation on
slots) gives, for every operation, the squared factor by which its noise arrives: shared ancestors, powers
of one ciphertext and rotated copies are all accounted for. The gains belong to a program and its data,
not to parameters: any scale, modulus or library is then a dot product.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.scales import scales_of
from fheasible.program.schedule import value_levels
from fheasible.program.simulate import rotate, run, unit_interval, unpack
from fheasible.program.types import Action, Operation, Program

Slots = NDArray[Any]
PROBES = 12  # random directions for outputs of many elements; a single element needs but one


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """One entry per operation of the program, per output element on average.

    `noise`: mean squared effect of unit-variance noise added to the operation's result.
    `plain`: the same for unit-variance noise on its plain operand.
    `relative`: effect of a relative error of one in the result, one column per probe (it is coherent
    over operations, so columns are added before they are squared).
    `adjusted`: likewise, of the operand that a library brings to the other's level and degree unasked.
    """

    noise: NDArray[np.float64]
    plain: NDArray[np.float64]
    relative: NDArray[np.float64]
    adjusted: NDArray[np.float64]
    outputs: dict[str, Slots]  # what a noiseless execution gives
    largest: NDArray[np.float64]  # the largest slot of each operation's result, without its sign


def gains(program: Program, data: Mapping[str, Slots], seed: int = 0) -> Gains:
    """The gains at these input data."""
    values = run(program, data)
    count = sum(p.length for p in program.outputs)
    probes = 1 if count == 1 else PROBES
    rng = np.random.default_rng(seed)
    columns = [_backward(program, values, _probe(program, rng, count)) for _ in range(probes)]
    noise, plain, relative, adjusted = (np.stack(c, axis=1) for c in zip(*columns, strict=True))
    outputs = {p.name: unpack(p, [values[v] for v in p.values]) for p in program.outputs}
    largest = np.array([float(np.abs(values[o.out]).max()) for o in program.operations])
    root = count**0.5
    return Gains(
        noise.mean(axis=1) / count, plain.mean(axis=1) / count, relative / root, adjusted / root,
        outputs, largest,
    )  # fmt: skip


def _probe(program: Program, rng: np.random.Generator, count: int) -> dict[int, Slots]:
    """A random direction over the elements of all outputs, as slots of the values that hold them."""
    directions: dict[int, Slots] = {}
    for packed in program.outputs:
        signs = rng.choice([-1.0, 1.0], packed.length) if count > 1 else np.ones(1)
        for value, row in zip(packed.values, _as_read(signs, len(packed.values), program.slots), strict=True):
            directions[value] = directions.get(value, 0) + row
    return directions


def _as_read(signs: Slots, values: int, slots: int) -> Slots:
    """The weight of each slot in what `unpack` reads."""
    if len(signs) == 1:
        return np.full((1, slots), signs[0] / slots)
    weights = np.zeros(values * slots)
    weights[: len(signs)] = signs
    return weights.reshape(values, slots)


def _backward(
    program: Program, values: dict[int, Slots], adjoint: dict[int, Slots]
) -> tuple[Slots, Slots, Slots, Slots]:
    adjusts = _adjusted_operands(program)
    noise, plain, relative, adjusted = (np.zeros(len(program.operations)) for _ in range(4))
    for i in range(len(program.operations) - 1, -1, -1):
        o = program.operations[i]
        g = adjoint.pop(o.out, None)
        if g is None:
            continue
        noise[i] = _dot(g, g)
        relative[i] = _dot(g, values[o.out])
        if o.action is Action.MUL_PLAIN:
            weighted = g * values[o.args[0]]
            plain[i] = _dot(weighted, weighted)
        elif o.action is Action.ADD_PLAIN:
            plain[i] = noise[i]
        for arg, share in zip(o.args, _shares(program, o, g, values), strict=True):
            adjoint[arg] = adjoint[arg] + share if arg in adjoint else share
            if adjusts.get(i) == arg:
                adjusted[i] = _dot(share, values[arg])
    return noise, plain, relative, adjusted


def _adjusted_operands(program: Program) -> dict[int, int]:
    """Of each operation that has to align its operands: the one of the higher level, or the lower degree."""
    levels = value_levels(program)
    scales = scales_of(program) if program.automatic else {}
    return {
        i: max(o.args, key=lambda a: (levels[a], -scales[a][1]))
        for i, o in enumerate(program.operations)
        if o.internal and scales and len(o.args) == 2
    }


def _dot(x: Slots, y: Slots) -> float:
    """Without BLAS, whose threads spin on a machine that is shared."""
    return float(np.einsum("i,i->", x, y))


def _shares(program: Program, o: Operation, g: Slots, values: dict[int, Slots]) -> list[Slots]:
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
            return [np.full_like(g, g.sum())]
        case Action.EVAL_CHEBYSHEV:
            return [g * _slope(values[o.args[0]], program.plains[o.plain or 0])]
        case Action.ROTATE:
            return [rotate(g, -o.steps, program.two_rows)]
        case _:
            return [g]


def _slope(x: Slots, series: Slots) -> Slots:
    """The derivative of a Chebyshev series at x."""
    unit, c = unit_interval(x, series)
    inner = 2 / float(series[1] - series[0])
    return inner * np.polynomial.chebyshev.chebval(unit, np.polynomial.chebyshev.chebder(c))
