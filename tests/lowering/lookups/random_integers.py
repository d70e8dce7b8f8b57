"""Random applications on integers, as hypothesis strategies: instructions, each on values made before."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import fheasible as fh
from circuit.random_circuits import traced
from fheasible.circuit.node import Circuit

LENGTH = 4
NAMES = (
    "add", "sub", "mul", "neg", "times", "vector", "plain", "greater", "equal", "at_least", "maximum",
    "minimum", "where", "floor", "modulo", "and", "or", "xor", "lookup", "polynomial", "square", "sum",
    "rotate", "pick", "concatenate", "matrix", "sort", "argmax", "abs", "shift",
)  # fmt: skip
Instruction = tuple[str, int, int]


def instructions(most: int = 6) -> st.SearchStrategy[list[Instruction]]:
    return st.lists(
        st.tuples(st.sampled_from(NAMES), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=most
    )


def circuit(program: list[Instruction], modulus: int | None = None, bitwise: bool = True) -> Circuit:
    """The traced circuit; an example whose output depends on no input, or is too large, is discarded."""

    def spec(n: int, low: int, high: int) -> fh.VectorSpec:
        return fh.integers(n, modulo=modulus) if modulus else fh.integers(n, low=low, high=high)

    @fh.app(x=spec(LENGTH, -9, 20), y=spec(LENGTH, 0, 255), z=spec(1, 3, 40))
    def application(x: Any, y: Any, z: Any) -> Any:
        made = [x, y, z]
        for name, i, j in program:
            if bitwise or name not in ("and", "or", "xor"):
                made.append(_apply(name, j, made[-1 - i % len(made)], made[-1 - j % len(made)], modulus))
        return made[-1], made[len(made) // 2]

    return traced(application)


def _apply(name: str, j: int, a: Any, b: Any, modulus: int | None) -> Any:
    small = a % 37 if modulus is None or modulus > 74 else a
    table: dict[str, Callable[[], Any]] = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: (a % 1000) * (b % 300) if modulus is None else a * b,
        "neg": lambda: -a,
        "times": lambda: (a % 4096) * (j - 15),
        "vector": lambda: (a % 500) * np.arange(-1, len(a) - 1),
        "plain": lambda: a + (j - 15) * np.arange(len(a)),
        "greater": lambda: a > b,
        "equal": lambda: a == b,
        "at_least": lambda: a >= 5 * (j - 3),
        "maximum": lambda: fh.maximum(a, b),
        "minimum": lambda: fh.minimum(a, j),
        "where": lambda: fh.where(a > b, a, b + j),
        "floor": lambda: a // (j - 50),
        "modulo": lambda: a % (j + 1),
        "and": lambda: a & b,
        "or": lambda: a | (b - j),
        "xor": lambda: a ^ j,
        "lookup": lambda: fh.lookup(small, [(v * v * j) % 41 - 20 for v in range(100)], low=-50),
        "polynomial": lambda: fh.polynomial(a % 40, [j, -1, 2]) if modulus is None else a * a,
        "square": lambda: (a % 700) ** 2,
        "sum": lambda: fh.sum(a),
        "rotate": lambda: fh.rotate(a, j),
        "pick": lambda: a[np.random.default_rng(j).integers(0, len(a), LENGTH)],
        "concatenate": lambda: (
            fh.concatenate([a[len(a) // 2 :], b[: LENGTH - len(a) + len(a) // 2]])
            if len(a) == len(b) == LENGTH
            else a
        ),
        "matrix": lambda: fh.matmul(np.random.default_rng(j).integers(-3, 9, (LENGTH, len(a))), a % 999),
        "sort": lambda: fh.sort(a) if len(a) > 1 else a,
        "argmax": lambda: fh.argmax(a) if len(a) > 1 else a,
        "abs": lambda: abs(a),
        "shift": lambda: ((a % 256) << (j % 5)) + (b >> (j % 7)),
    }
    return table[name]()
