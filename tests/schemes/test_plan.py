"""Steps of a circuit: the order as written, the least depth, what cannot be expressed."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Op
from fheasible.errors import PromiseBroken, UnsupportedOperation
from fheasible.schemes.plan import Plan, plan

from .applications import circuit, equation_3, instructions, weighted


def test_equation_3_as_written_is_a_chain_of_ten_multiplications_from_the_left() -> None:
    """The tenth is the output; its left operand the ninth, and so on; to the right stand the factors as they
    are written, S and T in their own two and one levels."""
    steps = plan(equation_3.trace(), minimise_depth=False)
    assert steps.depth == 10
    inputs = {i: s.attribute for i, s in enumerate(steps.steps) if s.op is Op.INPUT}
    chain, at = [], steps.outputs[0].step
    while steps.steps[at].op is Op.MULTIPLY:
        left, right = steps.steps[at].args
        chain.append(inputs.get(right, "sum"))
        at = left
    first = inputs[at]
    assert [first, *reversed(chain)] == [
        "c1", "c1", "c1", "c2", "c2", "c3", "c3", "sum", "sum", "sum", "sum",
    ]  # fmt: skip


def test_equation_3_is_five_deep_at_least() -> None:
    """Seven inputs, T of depth 1 and three values of depth 2: 7 + 2 + 3·4 = 21 <= 2^5, and 21 > 2^4."""
    steps = plan(equation_3.trace())
    assert steps.depth == 5
    assert steps.minimised


def test_an_expression_that_occurs_twice_is_computed_once_in_both_orders() -> None:
    """S = c1·T + c1 + c2 and T = c1·c2 + c3 are named once: two products and 1 + 2 sums; S + c3 and
    S + c2 + c3 three sums more; beside them ten products as written. c1·c1 and its like recur in no other
    place there; paired, squares of c2 and c3 do."""
    written = plan(equation_3.trace(), minimise_depth=False).operations()
    assert written == {"encrypt": 3, "multiply": 2 + 10, "add": 6, "decrypt": 1}
    least = plan(equation_3.trace(), minimise_depth=True).operations()
    assert least["add"] == 6
    assert least["multiply"] <= 2 + 10


def test_the_example_is_equation_3(request: pytest.FixtureRequest) -> None:
    from fheasible.circuit.load import load

    example = load(str(request.config.rootpath / "examples" / "7_ten_products.py")).trace()
    for order in (True, False):
        assert plan(example, order).steps == plan(equation_3.trace(), order).steps


def test_a_power_as_written_is_a_chain_and_else_a_tree() -> None:
    @fh.app(x=fh.integers(1, modulo=17))
    def eighth(x: fh.Vector) -> fh.Vector:
        return x**8

    assert plan(eighth.trace(), False).operations()["multiply"] == 7
    assert plan(eighth.trace(), False).depth == 7
    assert plan(eighth.trace(), True).operations()["multiply"] == 3
    assert plan(eighth.trace(), True).depth == 3


@given(st.integers(2, 12))
def test_a_polynomial_of_least_depth_has_that_of_its_leading_power(degree: int) -> None:
    @fh.app(x=fh.integers(1, modulo=17))
    def dense(x: fh.Vector) -> fh.Vector:
        return fh.polynomial(x, [3] * (degree + 1))

    assert plan(dense.trace(), True).depth == (degree - 1).bit_length()
    assert plan(dense.trace(), False).depth == degree - 1


@given(instructions(), st.booleans())
def test_steps_survive_their_json_form(program: list[tuple[str, int, int]], minimise: bool) -> None:
    steps = plan(circuit(program, 17, minimise))
    told = Plan.from_json(json.loads(json.dumps(steps.to_json())))
    assert told == steps
    assert told.digest == steps.digest


@given(instructions())
def test_steps_use_what_was_made_before_and_every_step_is_used(
    program: list[tuple[str, int, int]],
) -> None:
    steps = plan(circuit(program, 17, True))
    assert all(a < i for i, step in enumerate(steps.steps) for a in step.args)
    assert all(steps.uses())
    kept = {Op.INPUT, Op.CONSTANT, Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.MULTIPLY, Op.SUM, Op.ROTATE, Op.LINEAR}
    assert {step.op for step in steps.steps} <= kept


def test_real_numbers_are_refused_with_the_line_and_the_remedy() -> None:
    @fh.app(x=fh.reals(47, low=0, high=1))  # as long as in no other test: equal nodes are one, of one line
    def root(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(x * x, low=0, high=1, degree=3)

    with pytest.raises(UnsupportedOperation) as found:
        plan(root.trace())
    assert "real numbers" in found.value.message
    assert "test_plan.py:" in found.value.message
    assert "fh.integers" in found.value.remedy


def test_the_plaintext_modulus_must_tell_the_outputs_apart() -> None:
    """dot: two products between -6 and 6, so -12 to 12, 25 values; rest: 7 - 2·a1 + b2 and 7 + a2 + b1, from
    -1 to 12."""
    steps = plan(weighted.trace())
    steps.check_modulus(25)
    with pytest.raises(PromiseBroken) as found:
        steps.check_modulus(24)
    assert "-12 and 12" in found.value.message
    with pytest.raises(PromiseBroken):
        steps.check_modulus(np.array([25, 30, 24]))


def test_residues_need_a_multiple_of_their_modulus() -> None:
    steps = plan(equation_3.trace())
    steps.check_modulus(np.array([2, 4, 6]))
    with pytest.raises(PromiseBroken) as found:
        steps.check_modulus(3)
    assert "t = 2" in found.value.remedy


def test_the_largest_plaintext_counts_what_bits_add_up_to() -> None:
    """T <= 2, S <= 1·2 + 1 + 1 = 4, S + c3 <= 5, S + c2 + c3 <= 6: 4·2·5·6 = 240."""
    assert plan(equation_3.trace()).largest == 240
