"""Random applications, as hypothesis strategies: a list of instructions, each on values made before."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.errors import CircuitError

LENGTH = 5
PRIME = 2_147_483_647
PLAINS = {"real": (0.0, 1.0, -1.0, 2.0, 0.5, -0.25), "integer": (0, 1, -1, 2, 3, -7)}
VECTORS = {
    "real": ([0.5, -1.0, 0.0, 1.0, 2.0], [1.0] * LENGTH),
    "integer": ([3, -1, 0, 1, 2], [1] * LENGTH),
}

Instruction = tuple[str, int, int]


def instructions(most: int = 12) -> st.SearchStrategy[list[Instruction]]:
    names = ["add", "sub", "mul", "mul", "neg", "pow", "plain_add", "plain_sub", "plain_mul", "vector_mul"]
    others = ["affine", "sum", "mean", "rotate", "bootstrap", "poly", "matrix", "part", "selected"]
    name = st.sampled_from([*names, *others])
    return st.lists(st.tuples(name, st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=most)


def circuit(kind: str, program: list[Instruction], minimise: bool = True) -> Circuit:
    """The traced circuit; an example whose output depends on no input is discarded."""
    spec = _spec(kind)

    @fh.app(minimise_depth=minimise, x=spec(LENGTH), y=spec(LENGTH), z=spec(1))
    def application(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> Any:
        made = [x, y, z]
        for instruction in program:
            made.append(_apply(kind, instruction, made))
        return made[-1], made[len(made) // 2]

    return traced(application)


def traced(application: fh.App) -> Circuit:
    """The traced circuit; an example whose output depends on no input is discarded."""
    try:
        return application.trace()
    except CircuitError as error:
        assume("does not depend" not in error.message)
        raise


def both_ways(found: Circuit) -> tuple[Circuit, Circuit]:
    return replace(found, minimise_depth=True), replace(found, minimise_depth=False)


def inputs(kind: str, seed: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    lengths = {"x": LENGTH, "y": LENGTH, "z": 1}
    if kind == "real":
        return {name: draw.uniform(-1, 1, n) for name, n in lengths.items()}
    return {name: draw.integers(-PRIME // 2 + 1, PRIME // 2, n) for name, n in lengths.items()}


def _spec(kind: str) -> Callable[[int], fh.VectorSpec]:
    if kind == "real":
        return lambda n: fh.reals(n, low=-1, high=1)
    return lambda n: fh.integers(n, modulo=PRIME)


def _apply(kind: str, instruction: Instruction, made: list[fh.Vector]) -> fh.Vector:
    name, i, j = instruction
    a, b = made[-1 - i % len(made)], made[-1 - j % len(made)]
    plain = PLAINS[kind][j % len(PLAINS[kind])]
    table: dict[str, Callable[[], fh.Vector]] = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "neg": lambda: -a,
        "pow": lambda: a ** (2 + j % 4),
        "plain_add": lambda: a + plain,
        "plain_sub": lambda: plain - a,
        "plain_mul": lambda: a * plain,
        "vector_mul": lambda: VECTORS[kind][j % 2] * a,
        "sum": lambda: fh.sum(a),
        "mean": lambda: fh.mean(a) if kind == "real" else fh.sum(a),
        "rotate": lambda: fh.rotate(a, j),
        "bootstrap": lambda: fh.bootstrap(a) if kind == "real" else a,
        "matrix": lambda: fh.matmul(_matrix(kind, len(a), j), a),
        "part": lambda: fh.concatenate([a[j % len(a) :], a[: j % len(a)]]) if j % len(a) else a,
        "selected": lambda: a[np.random.default_rng(j).integers(0, len(a), len(a))],
        "affine": lambda: a * (plain * a + (1 - j % 3)),
        "poly": lambda: fh.polynomial(a, PLAINS[kind][j % 3 : j % 3 + 1 + j % 4]),
    }
    return table[name]()


def _matrix(kind: str, columns: int, j: int) -> np.ndarray:
    """Of few and small values, some of them zero; a row for each element, or for some j a single one."""
    values = np.random.default_rng(j).integers(-2, 3, (1 if j % 4 == 0 else LENGTH, columns))
    return values / 4 if kind == "real" else values
