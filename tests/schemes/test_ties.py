"""Which operands share an encryption, by hand."""

from collections.abc import Callable

import fheasible as fh
from fheasible.circuit.node import Op
from fheasible.schemes.plan import plan
from fheasible.schemes.ties import Tie, ties


def ties_of(function: Callable[..., fh.Vector], op: Op, length: int = 4) -> list[Tie]:
    """Of the steps of that kind, in order; the function of two vectors is evaluated as written."""
    inputs = {name: fh.integers(length, modulo=17) for name in ("x", "y")}
    steps = plan(fh.app(minimise_depth=False, **inputs)(function).trace())
    return [tie for step, tie in zip(steps.steps, ties(steps), strict=True) if step.op is op]


def test_different_inputs_are_not_related_and_one_is_to_itself() -> None:
    assert ties_of(lambda x, y: x + y, Op.ADD) == [Tie(False)]
    assert ties_of(lambda x, y: (x + y) * x, Op.MULTIPLY) == [Tie(True)]


def test_elements_of_a_vector_are_different_encryptions() -> None:
    assert ties_of(lambda x, y: fh.sum(x * y), Op.SUM) == [Tie(False)]
    assert ties_of(lambda x, y: x + fh.rotate(x, 1) + 0 * y, Op.ADD)[0] == Tie(False)
    assert ties_of(lambda x, y: fh.sum(x + fh.rotate(x, 1)) + fh.sum(y), Op.SUM)[0] == Tie(True)


def test_a_sum_is_behind_every_element_that_it_is_combined_with() -> None:
    assert ties_of(lambda x, y: fh.sum(y - fh.sum(x)), Op.SUM) == [Tie(False), Tie(True)]


def test_a_factor_that_comes_again_is_counted() -> None:
    repeats = [tie.repeats for tie in ties_of(lambda x, y: y * x * x * x, Op.MULTIPLY)]
    assert repeats == [(1, 1), (2, 1), (3, 1)]
