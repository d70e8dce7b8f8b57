"""Sums in which the same value stands several times."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.depth import depth
from fheasible.circuit.effort import effort
from fheasible.circuit.like_terms import with_like_terms
from fheasible.circuit.node import Circuit, Op
from fheasible.circuit.simplify import simplify

from .random_circuits import Instruction, circuit, inputs, instructions

C = np.array([0, 1, 1, 0])
SPECS = {
    "reals": fh.reals(4, low=-3, high=2),
    "integers": fh.integers(4, low=-30, high=20),
    "wrapping": fh.integers(4, modulo=65537),
}


def gathered(kind: str, function: Callable[..., Any]) -> tuple[Circuit, list[Op]]:
    found = with_like_terms(simplify(fh.app(x=SPECS[kind], y=SPECS[kind])(function).trace()))
    return found, [n.op for n in found.nodes() if n.op not in (Op.INPUT, Op.CONSTANT)]


@pytest.mark.parametrize("kind", list(SPECS))
@pytest.mark.parametrize(
    ("function", "ops"),
    [
        (lambda x, y: x + C - 2 * (x * C), [Op.MULTIPLY, Op.ADD]),
        (lambda x, y: 2 * x + 3 * (x * y) + 5 * x, [Op.MULTIPLY, Op.MULTIPLY, Op.MULTIPLY, Op.ADD]),
        (lambda x, y: 2 * x - (x - y), [Op.ADD]),
        (lambda x, y: y - x * C + x * [1, 2, 2, 1], [Op.ADD]),
        (lambda x, y: y - (x + y), [Op.NEGATE]),
        (lambda x, y: x * C + y - x * (C - 1) - y * C, [Op.MULTIPLY, Op.ADD]),
        (lambda x, y: y[0] + x * C + x * [3, 1, 0, 1] - y[0] * [0, 4, 4, 4], None),
    ],
)
def test_each_value_stands_once(kind: str, function: Callable[..., Any], ops: list[Op] | None) -> None:
    found, left = gathered(kind, function)
    if ops is not None:
        assert left == ops
    data = {"x": np.array([1, -2, 2, 0]), "y": np.array([2, 2, -1, -3])}
    expected = fh.app(x=SPECS[kind], y=SPECS[kind])(function)(**data)
    np.testing.assert_allclose(evaluate(found, data)["result"], expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + x + x + y,  # sums alone cost less than a product
        lambda x, y: (x + y) * C + x,  # two products in place of one
        lambda x, y: x * C + y,
        lambda x, y: x * C + y * (1 - C),
    ],
)
def test_what_would_not_take_less_stays(function: Callable[..., Any]) -> None:
    for kind in SPECS:
        written = simplify(fh.app(x=SPECS[kind], y=SPECS[kind])(function).trace())
        assert with_like_terms(written) == written


def test_a_product_that_takes_no_level_stays_where_one_with_the_sum_would() -> None:
    written = simplify(fh.app(x=SPECS["reals"])(lambda x: 2 * x + x).trace())
    assert depth(with_like_terms(written), "ckks") == depth(written, "ckks")


def test_what_rounding_leaves_of_a_factor_is_nothing() -> None:
    found, left = gathered("reals", lambda x, y: y * x + 0.1 * x + 0.2 * x - 0.3 * x)
    assert left == [Op.MULTIPLY]
    assert found.outputs[0][1].args[0].op is Op.INPUT


def test_integers_that_outgrow_a_word_stay_as_they_are_written() -> None:
    spec = fh.integers(2, low=0, high=1)
    written = simplify(fh.app(x=spec)(lambda x: x * 2**61 - x + x * (2**61 + 5)).trace())
    found = with_like_terms(written)
    assert evaluate(found, {"x": np.array([0, 1])})["result"].tolist() == [0, 2**62 + 4]


@given(st.sampled_from(["real", "integer"]), instructions(24), st.integers(0, 2**32))
def test_any_circuit_means_the_same_and_takes_no_more(
    kind: str, program: list[Instruction], seed: int
) -> None:
    written = simplify(circuit(kind, program))
    found = with_like_terms(written)
    data = inputs(kind, seed)
    before, after = evaluate(written, data), evaluate(found, data)
    for name, values in before.items():
        size = max(float(np.abs(values).max()), 1.0)
        np.testing.assert_allclose(after[name], values, rtol=0, atol=1e-9 * size * (kind == "real"))
    scheme = "ckks" if kind == "real" else "bfv"
    assert depth(found, scheme) <= depth(written, scheme)
    assert effort(found).products <= effort(written).products


def test_a_long_sum_takes_little_time() -> None:
    def total(x: Any, y: Any) -> Any:
        found = x * 3
        for k in range(3_000):
            found = found + x.rotate(k % 4) * y + 2 * x
        return found

    _, left = gathered("integers", total)
    assert len(left) < 20


def test_an_output_of_which_nothing_is_left_stays() -> None:
    written = simplify(fh.app(x=fh.integers(2, modulo=2))(lambda x: x + x).trace())
    assert with_like_terms(written) == written
