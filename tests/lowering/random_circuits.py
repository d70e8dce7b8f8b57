"""Random applications of any length, as hypothesis strategies: instructions on values made before.

A bound is kept of every real vector, so that no value grows beyond what doubles tell apart and every
approximated function keeps its promise.
"""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.node import Circuit
from fheasible.circuit.simplify import check_outputs
from fheasible.errors import CircuitError
from fheasible.libraries.openfhe.ckks import chebyshev_depth
from fheasible.program.style import Style
from fheasible.program.types import Scheme

T = 1_000_003  # a modulus that random integers wrap around
LARGEST = 1e4

STYLES = {
    "ckks": Style(Scheme.CKKS),
    "ckks fixed": Style(Scheme.CKKS, exact_scales=False),
    "ckks automatic": Style(Scheme.CKKS, automatic=True),
    "ckks extended": Style(Scheme.CKKS, automatic=True, extended=True),
    "ckks composites": Style(Scheme.CKKS, automatic=True, series_depth=chebyshev_depth),
    "ckks extended composites": Style(
        Scheme.CKKS, automatic=True, extended=True, series_depth=chebyshev_depth
    ),
    "bgv": Style(Scheme.BGV),
    "bgv automatic": Style(Scheme.BGV, automatic=True),
    "bgv extended": Style(Scheme.BGV, automatic=True, extended=True, loses_last_summands=True),
    "bgv of residues": Style(Scheme.BGV, signed_numbers=False),
    "bfv": Style(Scheme.BFV),
    "bfv of one size": Style(Scheme.BFV, mixed_sizes=False, signed_numbers=False),
    "bfv hoisting": Style(Scheme.BFV, hoists=True),
}

styles = st.sampled_from(list(STYLES)).map(STYLES.__getitem__)
Instruction = tuple[str, int, int]
NAMES = (
    "add", "sub", "mul", "mul", "neg", "square", "pow", "plain_add", "plain_sub", "plain_mul", "vector_add",
    "vector_sub", "vector_mul", "mask_mul", "sum", "mean", "inner", "rotate", "rotate", "poly", "cheb",
    "matrix", "matrices", "part", "selected",
)  # fmt: skip


def instructions(most: int = 8, names: tuple[str, ...] = NAMES) -> st.SearchStrategy[list[Instruction]]:
    number = st.integers(0, 30)
    return st.lists(st.tuples(st.sampled_from(names), number, number), min_size=1, max_size=most)


@dataclass
class Growing:
    """The vectors made so far, each with a bound of its elements."""

    real: bool
    length: int
    made: list[tuple[fh.Vector, float]] = field(default_factory=list)

    def apply(self, instruction: Instruction) -> None:
        """Adds a vector, unless its values would outgrow what is told apart."""
        name, i, j = instruction
        (a, bound), (b, other) = self.made[-1 - i % len(self.made)], self.made[-1 - j % len(self.made)]
        made, grown = self._unary(name, a, bound, j) or self._binary(name, a, bound, b, other)
        if not self.real:
            self.made.append((made, 1.0))
        elif grown <= LARGEST:
            self.made.append((made, grown))

    def _binary(
        self, name: str, a: fh.Vector, bound: float, b: fh.Vector, other: float
    ) -> tuple[fh.Vector, float]:
        if name == "add":
            return a + b, bound + other
        if name == "sub":
            return a - b, bound + other
        if name == "mul":
            return a * b, bound * other
        return fh.inner_product(a, b), bound * other * max(len(a), len(b))

    def _unary(self, name: str, a: fh.Vector, bound: float, j: int) -> tuple[fh.Vector, float] | None:
        c = [0, 1, -1, 2, 3, -4][j % 6] * (0.25 if self.real and j % 2 else 1)
        plain = self.plain(j)
        most = float(np.abs(plain).max())
        match name:
            case "neg":
                return -a, bound
            case "bootstrap":
                return fh.bootstrap(a), bound
            case "square":
                return fh.square(a), bound**2
            case "pow":
                return a ** (2 + j % 9), max(bound, 1.0) ** (2 + j % 9)
            case "plain_add":
                return a + c, bound + abs(c)
            case "plain_sub":
                return c - a, bound + abs(c)
            case "plain_mul":
                return a * c, bound * abs(c)
            case "vector_add":
                return a + plain, bound + most
            case "vector_sub":
                return plain - a, bound + most
            case "vector_mul" | "mask_mul":
                return a * plain, bound * most
            case "sum":
                return fh.sum(a), bound * len(a)
            case "mean":
                return (fh.mean(a) if self.real else fh.sum(a)), bound
            case "rotate":
                return fh.rotate(a, j), bound
            case "poly":
                return fh.polynomial(a, self.coefficients(j)), 5 * max(bound, 1.0) ** 9
            case "matrix":
                return fh.matmul(self.matrix(self.length, len(a), j), a), bound * len(a)
            case "matrices":
                narrow = fh.matmul(self.matrix(1 + j % 7, len(a), j), a)
                return fh.matmul(self.matrix(self.length, len(narrow), j + 1), narrow), bound * len(a) * 7
            case "part" if len(a) > 1:
                k = 1 + j % (len(a) - 1)
                return fh.concatenate([a[k:], a[:k] if j % 2 else self.plain(j)[:k]]), max(bound, most)
            case "selected":
                return a[np.random.default_rng(j).integers(0, len(a), self.length)], bound
            case "part":
                return a, bound
            case "cheb" if self.real:
                return self.approximated(a, max(bound, 0.1), j), 5.0
        return None

    def plain(self, j: int) -> NDArray[np.generic]:
        """A plain vector; for some j it is zero at the end or at the beginning."""
        draw = np.random.default_rng(j)
        values = draw.uniform(-1, 1, self.length) if self.real else draw.integers(-T, T, self.length)
        third = -(-self.length // 3)
        if j % 3 == 0:
            values[third:] = 0
        elif j % 5 == 0:
            values[:third] = 0
        return values

    def matrix(self, m: int, n: int, j: int) -> NDArray[np.generic]:
        """Dense, sparse, or of a few diagonals."""
        draw = np.random.default_rng(j)
        full = draw.uniform(-1, 1, (m, n)) if self.real else draw.integers(-T, T, (m, n))
        if j % 3 == 1:
            return np.where(draw.random((m, n)) < 0.1, full, 0)
        return np.triu(np.tril(full, 2), -1) if j % 3 == 2 else full

    def coefficients(self, j: int) -> list[float]:
        """Of a degree up to 9; some are zero, the constant often."""
        draw = np.random.default_rng(j)
        values = draw.integers(-2, 3, 2 + j % 9)
        return [float(v) / 4 for v in values] if self.real else [int(v) for v in values]

    def approximated(self, a: fh.Vector, bound: float, j: int) -> fh.Vector:
        """tanh as a series on [-1, 1] or on an interval that holds the bound."""
        low, high = (-1.0, 1.0) if bound <= 1 and j % 2 else (-bound, 1.5 * bound)
        f = (np.tanh, np.cos)[j % 4 < 2]
        return fh.approximate(lambda v: f(v / high), low, high, degree=1 + j % 21)(a)


def circuit(real: bool, length: int, program: list[Instruction], minimise: bool) -> Circuit:
    """The traced circuit; an example whose output depends on no input is discarded."""

    def spec(n: int) -> fh.VectorSpec:
        return fh.reals(n, low=-1, high=1) if real else fh.integers(n, modulo=T)

    @fh.app(minimise_depth=minimise, x=spec(length), y=spec(length), z=spec(1))
    def application(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> list[fh.Vector]:
        growing = Growing(real, length, [(x, 1.0), (y, 1.0), (z, 1.0)])
        for instruction in program:
            growing.apply(instruction)
        return [growing.made[-1][0], growing.made[len(growing.made) // 2][0]]

    try:
        found = application.trace()
        check_outputs(normalise(found), found)  # balanced products may cancel, and maps in succession
        return found
    except CircuitError as error:
        assume("does not depend" not in error.message)
        raise


def inputs(real: bool, length: int, seed: int) -> dict[str, NDArray[np.generic]]:
    draw = np.random.default_rng(seed)
    lengths = {"x": length, "y": length, "z": 1}
    if real:
        return {name: draw.uniform(-1, 1, n) for name, n in lengths.items()}
    return {name: draw.integers(-(T // 2), T // 2 + 1, n) for name, n in lengths.items()}
