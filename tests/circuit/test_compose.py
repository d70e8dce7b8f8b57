"""Linear maps in succession become one matrix, where that is no more work."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.compose import compose
from fheasible.circuit.depth import depth
from fheasible.circuit.modulus import modulus
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.simplify import simplify

from .alike import alike
from .random_circuits import Instruction, circuit, inputs, instructions

A = np.array([[1, 2, 0, 3], [0, -1, 1, 2], [2, 0, 0, 1]])
B = np.array([[1, 0, 2], [3, 1, 0]])
W = np.array([1, 2, 3])


def normal(function: Callable[[Any], Any], minimise: bool = True) -> Circuit:
    declared = fh.app(minimise_depth=minimise, x=fh.integers(4, low=-3, high=3))
    return normalise(declared(lambda x: function(x)).trace())


def result(function: Callable[[Any], Any]) -> Node:
    return dict(normal(function).outputs)["result"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (lambda x: B @ (A @ x), lambda x: (B @ A) @ x),
        (lambda x: A @ x.rotate(1), lambda x: A[:, [3, 0, 1, 2]] @ x),
        (lambda x: (A @ x).rotate(1), lambda x: A[[1, 2, 0]] @ x),
        (lambda x: (A @ x)[1:], lambda x: A[1:] @ x),
        (lambda x: (A @ x)[1], lambda x: fh.inner_product(x, A[1])),
        (lambda x: W * (A @ x), lambda x: (W[:, None] * A) @ x),
        (lambda x: A @ (x * [1, 2, 3, 4]), lambda x: (A * [1, 2, 3, 4]) @ x),
        (lambda x: fh.sum(A @ x), lambda x: fh.inner_product(x, A.sum(axis=0))),
        (lambda x: fh.inner_product(A @ x, W), lambda x: fh.inner_product(x, W @ A)),
        (lambda x: x[1:][::-1][1:], lambda x: x[[2, 1]]),
        (lambda x: fh.columns(x, 1, 2)[1], lambda x: x[3]),
        (
            lambda x: [[1, -1]] @ ([[1, 2, 0, 0], [1, 2, 0, 1]] @ x),
            lambda x: fh.inner_product(x, [0, 0, 0, -1]),
        ),
    ],
)
def test_what_becomes_one(written: Callable[[Any], Any], meant: Callable[[Any], Any]) -> None:
    data = {"x": np.array([3, -1, 2, 1])}
    one, other = normal(written), normal(meant)
    assert evaluate(one, data)["result"].tolist() == evaluate(other, data)["result"].tolist()
    assert alike(one, other)


def test_a_matrix_of_low_rank_stays_two() -> None:
    tall, wide = np.ones((50, 2), int), np.ones((2, 50), int)
    found = fh.app(x=fh.integers(50, low=0, high=1))(lambda x: tall @ (wide @ x)).trace()
    assert [n.op for n in normalise(found).nodes()] == [Op.INPUT, Op.LINEAR, Op.LINEAR]


def test_what_is_used_twice_is_not_computed_twice() -> None:
    def twice(x: fh.Vector) -> Any:
        y = A @ x
        return y, B @ y

    assert [n.op for n in normal(twice).nodes()] == [Op.INPUT, Op.LINEAR, Op.LINEAR]


def test_as_written_means_as_written() -> None:
    found = normal(lambda x: B @ (A @ x), minimise=False)
    assert [n.op for n in found.nodes()] == [Op.INPUT, Op.LINEAR, Op.LINEAR]
    assert depth(found, "ckks") == 2
    assert depth(normal(lambda x: B @ (A @ x)), "ckks") == 1


def test_numbers_are_folded_into_a_matrix_but_not_into_a_choice() -> None:
    spec = fh.reals(4, low=-1, high=1)
    scaled = normalise(fh.app(x=spec)(lambda x: fh.tanh(0.5 * (A @ x), -8, 8, degree=5)).trace())
    assert depth(scaled, "ckks") == 1 + 3
    assert Op.MULTIPLY not in {n.op for n in scaled.nodes()}
    moved = normalise(fh.app(x=spec)(lambda x: 0.5 * (x**3)[1:3]).trace())
    (matrix,) = [n.attribute for n in moved.nodes() if n.op is Op.LINEAR]
    assert matrix.selects


@given(st.sampled_from(["real", "integer"]), instructions(), st.integers(0, 2**32))
def test_composing_changes_no_value_and_deepens_nothing(
    kind: str, program: list[Instruction], seed: int
) -> None:
    written = simplify(circuit(kind, program))
    data = inputs(kind, seed)
    made = compose(written, modulus(written))
    before, after = evaluate(written, data), evaluate(made, data)
    largest = max(float(np.abs(v).max()) for v in values(written, data).values())
    for name in before:
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-11 * largest * (kind == "real"))
    for scheme in ("ckks", "bfv"):
        assert depth(made, scheme) <= depth(written, scheme)
