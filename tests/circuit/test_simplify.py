"""Simplification: each identity by hand, and that no value ever changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.simplify import simplify
from fheasible.errors import CircuitError

from .alike import alike
from .random_circuits import Instruction, circuit, inputs, instructions


def simple(function: Callable[[Any, Any], Any], kind: str = "real") -> Node:
    spec = fh.reals(4, low=-1, high=1) if kind == "real" else fh.integers(4, low=-3, high=3)
    return dict(simplify(fh.app(x=spec, y=spec)(function).trace()).outputs)["result"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (lambda x, y: x * 1 + y * 0, lambda x, y: x),
        (lambda x, y: 0 + x - 0, lambda x, y: x),
        (lambda x, y: (x - x) + y, lambda x, y: y),
        (lambda x, y: -(x * -1), lambda x, y: x),
        (lambda x, y: x + -y, lambda x, y: x - y),
        (lambda x, y: -x + y, lambda x, y: y - x),
        (lambda x, y: x - -y, lambda x, y: x + y),
        (lambda x, y: -(x - y), lambda x, y: y - x),
        (lambda x, y: 0 - x, lambda x, y: -x),
        (lambda x, y: x * -1, lambda x, y: -x),
        (lambda x, y: 2 * x, lambda x, y: x * 2),
        (lambda x, y: x * [3, 3, 3, 3], lambda x, y: x * 3),
        (lambda x, y: x.rotate(1).rotate(2), lambda x, y: x.rotate(3)),
        (lambda x, y: x.rotate(3).rotate(1), lambda x, y: x),
        (lambda x, y: fh.sum(x.rotate(2)), lambda x, y: fh.sum(x)),
        (lambda x, y: fh.sum(fh.sum(x)), lambda x, y: fh.sum(x)),
        (lambda x, y: fh.polynomial(x, [1, 3, 0]), lambda x, y: x * 3 + 1),
        (lambda x, y: fh.polynomial(x, [0, 0, 1]), lambda x, y: x**2),
        (lambda x, y: x + fh.sum(y - y), lambda x, y: x),
        (lambda x, y: np.eye(4, dtype=int) @ x, lambda x, y: x),
        (lambda x, y: x[:], lambda x, y: x),
        (lambda x, y: np.zeros((4, 4), dtype=int) @ x + y, lambda x, y: y),
        (lambda x, y: fh.matmul([[1, 2, 3, 4]], x), lambda x, y: fh.inner_product(x, [1, 2, 3, 4])),
        (lambda x, y: fh.matmul([[1, 1, 1, 1]], x), lambda x, y: fh.sum(x)),
        (lambda x, y: fh.matmul([[1], [2], [2]], fh.sum(x)), lambda x, y: fh.sum(x) * [1, 2, 2]),
        (lambda x, y: x[[3, 0, 1, 2]], lambda x, y: x.rotate(-1)),
        (lambda x, y: x.rotate(1)[[1, 2, 3, 0]], lambda x, y: x.rotate(2)),
        (lambda x, y: x[2], lambda x, y: fh.sum(x * [0, 0, 1, 0])),
        (lambda x, y: fh.concatenate([x]), lambda x, y: x),
    ],
)
@pytest.mark.parametrize("kind", ["real", "integer"])
def test_identities(written: Callable[..., Any], meant: Callable[..., Any], kind: str) -> None:
    assert alike(simple(written, kind), simple(meant, kind))


def test_plain_operands_are_folded_together() -> None:
    n = simple(lambda x, y: x * ((y - y + 3) * 4))
    assert n.op is Op.MULTIPLY
    assert n.args[1].attribute.array.tolist() == [12.0]


def test_a_neutral_operand_that_gives_the_length_stays() -> None:
    @fh.app(x=fh.reals(1, low=0, high=1))
    def spread(x: fh.Vector) -> fh.Vector:
        return x + np.zeros(3)

    (_, n), *_ = simplify(spread.trace()).outputs
    assert n.length == 3
    assert evaluate(simplify(spread.trace()), {"x": np.array([7.0])})["result"].tolist() == [7.0] * 3


def test_an_output_without_inputs_is_refused_by_name() -> None:
    with pytest.raises(CircuitError, match="the output b of <lambda> does not depend on any input"):
        fh.app(x=fh.reals(2, low=0, high=1))(lambda x: {"a": x, "b": (x - x) * x + 5}).trace()


def test_an_output_without_inputs_is_refused_at_its_own_line_whatever_was_traced_before() -> None:
    @fh.app(x=fh.reals(8, low=-1, high=1))
    def before(x: fh.Vector) -> fh.Vector:
        return fh.inner_product(x, [1.0] * 8)

    @fh.app(x=fh.reals(8, low=-1, high=1))
    def constant(x: fh.Vector) -> fh.Vector:
        return x - x + 1

    kept = before.trace()  # with a plain vector of ones
    with pytest.raises(CircuitError, match=rf":{constant.function.__code__.co_firstlineno + 2}: the output"):
        constant.trace()
    assert kept.outputs


def plains_are_canonical(found: Circuit) -> bool:
    for n in found.nodes():
        if n.op in (Op.ADD, Op.MULTIPLY):
            assert n.args[0].op is not Op.CONSTANT
        if n.op is Op.CONSTANT:
            assert len(n.attribute) == n.length
    return True


@given(st.sampled_from(["real", "integer"]), instructions(), st.integers(0, 2**32))
def test_simplifying_never_changes_a_value(kind: str, program: list[Instruction], seed: int) -> None:
    written = circuit(kind, program)
    data = inputs(kind, seed)
    before, after = evaluate(written, data), evaluate(simplify(written), data)
    largest = max(float(np.abs(v).max()) for v in values(written, data).values())
    for name in before:
        assert before[name].shape == after[name].shape
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-12 * largest * (kind == "real"))
    assert plains_are_canonical(simplify(written))


@given(st.sampled_from(["real", "integer"]), instructions())
def test_simplifying_twice_is_simplifying_once(kind: str, program: list[Instruction]) -> None:
    once = simplify(circuit(kind, program))
    assert simplify(once).outputs == once.outputs
