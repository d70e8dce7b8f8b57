"""Small applications of integers, and random ones, for tests of what a ring scheme makes of them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import fheasible as fh
from circuit.random_circuits import traced
from fheasible.circuit.node import Circuit

LENGTH = 3
Instruction = tuple[str, int, int]


@fh.app(c1=fh.integers(1, modulo=2), c2=fh.integers(1, modulo=2), c3=fh.integers(1, modulo=2))
def equation_3(c1: fh.Vector, c2: fh.Vector, c3: fh.Vector) -> fh.Vector:
    t = c1 * c2 + c3
    s = c1 * t + c1 + c2
    return c1 * c1 * c1 * c2 * c2 * c3 * c3 * s * t * (s + c3) * (s + c2 + c3)


@fh.app(a=fh.integers(2, low=0, high=3), b=fh.integers(2, low=-2, high=2))
def weighted(a: fh.Vector, b: fh.Vector) -> Any:
    return {"dot": fh.inner_product(a, b), "rest": 7 - a * [2, -1] + fh.rotate(b, 1)}


NAMES = (
    "add", "sub", "mul", "neg", "pow", "plain_add", "plain_sub", "plain_mul", "sum", "rotate", "poly",
    "matrix", "part",
)  # fmt: skip


def instructions(most: int = 5) -> st.SearchStrategy[list[Instruction]]:
    one = st.tuples(st.sampled_from(NAMES), st.integers(0, 20), st.integers(0, 20))
    return st.lists(one, min_size=1, max_size=most)


def circuit(program: list[Instruction], modulus: int, minimise: bool) -> Circuit:
    """Of x and y with LENGTH residues and z with one; an example without an input is discarded."""

    @fh.app(
        minimise_depth=minimise,
        x=fh.integers(LENGTH, modulo=modulus),
        y=fh.integers(LENGTH, modulo=modulus),
        z=fh.integers(1, modulo=modulus),
    )
    def application(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> Any:
        made = [x, y, z]
        for instruction in program:
            made.append(_apply(instruction, made))
        return made[-1], made[len(made) // 2]

    return traced(application)


def _apply(instruction: Instruction, made: list[fh.Vector]) -> fh.Vector:
    name, i, j = instruction
    a, b = made[-1 - i % len(made)], made[-1 - j % len(made)]
    plain = (0, 1, -1, 2, 3, -5)[j % 6]
    return {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "neg": lambda: -a,
        "pow": lambda: a ** (2 + j % 3),
        "plain_add": lambda: a + plain,
        "plain_sub": lambda: plain - a,
        "plain_mul": lambda: a * plain,
        "sum": lambda: fh.sum(a),
        "rotate": lambda: fh.rotate(a, j),
        "matrix": lambda: fh.matmul(np.random.default_rng(j).integers(-2, 3, (LENGTH, len(a))), a),
        "part": lambda: fh.concatenate([a[-1], a])[:LENGTH] if len(a) > 1 else a,
        "poly": lambda: fh.polynomial(a, (1, -2, 0, 1)[: 2 + j % 3]),
    }[name]()
