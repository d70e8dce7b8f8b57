"""Small applications: some written out, and random ones."""

from collections.abc import Callable

import numpy as np

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.errors import CircuitError
from fheasible.exploration.problem.problem import Problem

LENGTH = 100


@fh.app(x=fh.integers(8, low=-3, high=3), y=fh.integers(8, low=-3, high=3))
def whole(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
    return {"sum": fh.sum(x * y), "vector": x * y + fh.rotate(x, 1)}


@fh.app(x=fh.reals(8, low=-1, high=1), y=fh.reals(8, low=-1, high=1))
def real(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.mean(x * y) + fh.rotate(x, 1) + 0.5


@fh.app(x=fh.reals(4096, low=0, high=1))
def power(x: fh.Vector) -> fh.Vector:
    """The mean of x^16: four levels, a mask and rotations."""
    y = x * x
    y = y * y
    y = y * y
    return fh.mean(y * y)


@fh.app(x=fh.reals(64, low=-(2**15), high=2**15), y=fh.reals(64, low=-(2**15), high=2**15))
def large(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    """Up to 2^30: the first prime, of 60 bits at most, leaves a scale no more than 29."""
    return x * y


@fh.app(x=fh.integers(64, low=-(2**22), high=2**22), y=fh.integers(64, low=-(2**22), high=2**22))
def exact(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    """Up to 2^50: t has 51 bits or more, and its noise some 20 after the sum."""
    return fh.sum(x * y)


def problem(app: fh.App, seed: int = 1) -> Problem:
    circuit = app.trace()
    return Problem(circuit, random_data(circuit, seed), f"random data (seed {seed})")


Step = Callable[[fh.Vector, fh.Vector, np.random.Generator], fh.Vector]

WHOLE: dict[str, Step] = {
    "add": lambda a, b, _: a + b,
    "subtract": lambda a, b, _: a - b,
    "multiply": lambda a, b, _: a * b,
    "square": lambda a, _, __: a * a,
    "rotate": lambda a, _, draw: fh.rotate(a, int(draw.integers(1, LENGTH))),
    "sum": lambda a, b, _: fh.sum(a) + b,
    "scale": lambda a, _, draw: a * int(draw.integers(2, 6)),
    "weigh": lambda a, _, draw: a * draw.integers(-3, 4, LENGTH),
    "shift": lambda a, _, draw: a + draw.integers(-9, 10, LENGTH),
}
REAL: dict[str, Step] = WHOLE | {
    "sum": lambda a, b, _: fh.mean(a) + b,
    "scale": lambda a, _, draw: a * float(draw.uniform(-1, 1)),
    "weigh": lambda a, _, draw: a * draw.uniform(-1, 1, LENGTH),
    "shift": lambda a, _, draw: a + draw.uniform(-1, 1, LENGTH),
}


def random_circuit(seed: int, real: bool, products: int = 3) -> Circuit:
    """Six operations on values made before, at most so many products of vectors among them."""
    draw = np.random.default_rng(seed)
    steps = REAL if real else WHOLE
    spec = fh.reals(LENGTH, low=-1, high=1) if real else fh.integers(LENGTH, low=-2, high=2)

    @fh.app(x=spec, y=spec)
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        made, left = [x, y], products
        for _ in range(6):
            name = str(draw.choice(list(steps)))
            if name in ("multiply", "square"):
                left -= 1
                name = name if left >= 0 else "add"
            a, b = (made[-1 - int(k)] for k in draw.integers(0, min(3, len(made)), 2))
            made.append(steps[name](a, b, draw))
        return made[-1]

    try:
        return application.trace()
    except CircuitError:  # everything cancelled: another one
        return random_circuit(seed + 1_000_003, real, products)
