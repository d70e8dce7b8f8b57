"""Small programs written by hand, and lowered ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.lowering.lower import lower
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action, Operation, Packed, Program, Scheme


def by_hand(
    *operations: Operation,
    plains: tuple[NDArray[Any], ...] = (),
    outputs: tuple[int, ...] = (),
    slots: int = 4,
    scheme: Scheme = Scheme.BFV,
    two_rows: bool = False,
    inputs: int = 1,
) -> Program:
    """Inputs x_0, x_1, ... of one ciphertext each, then the operations; the last one's value is returned."""
    fresh = tuple(Operation(Action.ENCRYPT, i, source=f"x_{i}") for i in range(inputs))
    given = tuple(Packed(f"x_{i}", slots, (i,)) for i in range(inputs))
    wanted = outputs or (operations[-1].out,)
    results = tuple(Packed(f"result_{v}", slots, (v,)) for v in wanted)
    return Program(scheme, slots, 0, fresh + operations, plains, given, results, two_rows=two_rows)


def everything(real: bool, length: int) -> Circuit:
    """Every kind of operation that a program can hold."""
    spec = fh.reals(length, low=-1, high=1) if real else fh.integers(length, low=-9, high=9)
    draw = np.random.default_rng(3)
    weights = draw.uniform(-1, 1, length) if real else draw.integers(-9, 10, length)
    third = 1 / 3 if real else 3

    @fh.app(x=spec, y=spec)
    def application(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        turned = fh.rotate(x * weights + y * third, 2) - 7
        return {"vector": turned * x * y + x + weights, "number": fh.sum(-turned * third) + third}

    return application.trace()


SOME = {
    "ckks": lower(everything(True, 10), Style(Scheme.CKKS), 4),
    "ckks by itself": lower(everything(True, 10), Style(Scheme.CKKS, automatic=True, extended=True), 4),
    "ckks with bootstraps": lower(everything(True, 10), Style(Scheme.CKKS, budget=LevelBudget(2)), 4),
    "bgv": lower(everything(False, 10), Style(Scheme.BGV), 4),
    "bfv": lower(everything(False, 10), Style(Scheme.BFV), 16),
}
