"""Small CKKS programs with their data, and a program with noise added to one of its values."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fheasible as fh
from fheasible.libraries.openfhe.ckks import chebyshev_depth
from fheasible.lowering.lower import lower
from fheasible.noise.reach.judged import JudgedElements, judged, sampled
from fheasible.noise.reach.variances import variances
from fheasible.program.simulate import run, simulate
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

CKKS = Style(Scheme.CKKS)
AUTOMATIC = Style(Scheme.CKKS, automatic=True, extended=True)
BOOTSTRAPPED = Style(Scheme.CKKS, budget=LevelBudget(3))
COMPOSITES = Style(Scheme.CKKS, automatic=True, series_depth=chebyshev_depth)

Function = Callable[[fh.Vector, fh.Vector], Any]

WEIGHTS = np.array([0.5, -1.5, 0.25, 1.0, -0.75])
FUNCTIONS: dict[str, Function] = {
    "product": lambda x, y: x * y,
    "weighted": lambda x, y: x * WEIGHTS + WEIGHTS * y - WEIGHTS,
    "sixteenth power": lambda x, y: x**16,
    "sum of powers": lambda x, y: fh.sum(x**16),
    "rotated": lambda x, y: fh.rotate(x, 1),
    "turned and added": lambda x, y: fh.rotate(x, 1) + fh.rotate(x, 2),
    "rotated copies": lambda x, y: fh.rotate(x, 1) + fh.rotate(x, 2) + x,
    "deviation": lambda x, y: x - fh.mean(x),
    "variance": lambda x, y: fh.mean((x - fh.mean(x)) ** 2),
    "inner product": lambda x, y: fh.inner_product(x, y),
    "turned products": lambda x, y: fh.rotate(x * y, 1) * x,
    "series": lambda x, y: fh.approximate(np.tanh, -1.5, 2, degree=9)(x) * y,
    "cancelling": lambda x, y: (x + y) * (x - y) - x * x,
    "power of a sum": lambda x, y: fh.sum(x) ** 4 * 0.3,
    "sums among vectors": lambda x, y: fh.sum(x) * y * fh.sum(x * y) - fh.mean(y),
    "root of a variance": lambda x, y: fh.sqrt(
        fh.mean((x - fh.mean(x)) ** 2) + 0.1, low=0.05, high=2, degree=7
    ),
    "two outputs": lambda x, y: (x * y, fh.sum(x) * 0.3),
}


def program(name: str, style: Style = CKKS, slots: int = 4, length: int = 5) -> Program:
    declared = {v: fh.reals(length, low=-1, high=1) for v in "xy"}
    return lower(fh.app(**declared)(lambda x, y: FUNCTIONS[name](x, y)).trace(), style, slots)


def data(length: int = 5) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(4)
    return {name: draw.uniform(0.6, 1, length) * draw.choice([-1, 1], length) for name in "xy"}


def with_noise(found: Program, at: int) -> Program:
    """`found`, with the slots of an input `noise` added to the result of its operation number `at`."""
    target = found.operations[at].out
    noise = max(o.out for o in found.operations) + 1
    noisy = noise + 1

    def renamed(values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(noisy if v == target else v for v in values)

    added = (Operation(Action.ENCRYPT, noise, source="noise"), Operation(Action.ADD, noisy, (target, noise)))
    after = tuple(replace(o, args=renamed(o.args)) for o in found.operations[at + 1 :])
    return replace(
        found,
        operations=(*found.operations[: at + 1], *added, *after),
        inputs=(*found.inputs, Packed("noise", found.slots, (noise,))),
        outputs=tuple(replace(p, values=renamed(p.values)) for p in found.outputs),
    )


def elements_of(program: Program, values: dict[str, NDArray[np.float64]], seed: int = 0) -> JudgedElements:
    """Those that stand for all."""
    wanted = {v for packed in sampled(program) for v in packed.values}
    reached = variances(program, run(program, values), wanted)
    return judged(program, reached, simulate(program, values), seed)
