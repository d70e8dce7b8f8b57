"""Products as squares: what they save, that values stay, and where a difference would lose precision."""

from collections.abc import Callable
from functools import partial
from math import ceil, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.depth import depth
from fheasible.circuit.effort import effort
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.simplify import simplify
from fheasible.circuit.squares import with_squares

from .alike import alike
from .random_circuits import Instruction, circuit, inputs, instructions

STEPS = 9


def traced(function: Callable[[Any], Any], low: float = 0, high: float = 1, **others: Any) -> Circuit:
    return fh.app(x=fh.reals(4, low=low, high=high), **others)(function).trace()


def squared(function: Callable[[Any], Any], low: float = 0, high: float = 1, **others: Any) -> Circuit:
    return with_squares(simplify(traced(function, low, high, **others)))


def iterated(step: Callable[[Any], Any], x: Any, times: int = STEPS) -> Any:
    for _ in range(times):
        x = step(x)
    return x


def products(found: Circuit) -> list[Node]:
    return [n for n in found.nodes() if n.op is Op.MULTIPLY and n.args[1].op is not Op.CONSTANT]


def are_squares(found: Circuit) -> bool:
    return all(n.args[0] is n.args[1] for n in products(found))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * (1 - x),
        lambda x: 3.2 * x * (1 - x),
        lambda x: 3.2 * (x * (1 - x)),
        lambda x: x * (0.7 + 0.3 * x),
        lambda x: (0.5 * x - 2) * -(x + 3),
        lambda x: (x - 1) * (x + 1),
        lambda x: x * ([1, 2, 3, 4] - x),
        lambda x: (2 * x) * (1 - 2 * x),
        lambda x: fh.polynomial(x, [0.25, -1, 3]),
    ],
)
def test_a_product_of_a_value_with_an_affine_function_of_itself_is_a_square(
    function: Callable[[Any], Any],
) -> None:
    found = squared(function)
    assert len(products(found)) == 1
    assert are_squares(found)
    data = {"x": np.array([0, 0.3, 0.9, 1])}
    wanted = evaluate(traced(function), data)["result"]
    np.testing.assert_allclose(evaluate(found, data)["result"], wanted, rtol=0, atol=4e-15)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * (1 - fh.rotate(x, 1)),
        lambda x: x * x * (1 - x),  # of depth two with two products either way
        lambda x: x * (1 - [1, 2, 3, 4] * x),
        lambda x: fh.sum(x) * (x + 1),
    ],
)
def test_what_is_none_is_left_as_it_is(function: Callable[[Any], Any]) -> None:
    assert alike(squared(function), simplify(traced(function)))


@pytest.mark.parametrize(("low", "high", "taken"), [(0, 1, True), (0, 0.2, True), (0, 0.1, False)])
def test_no_square_is_taken_where_its_terms_cancel(low: float, high: float, taken: bool) -> None:
    """x (1 - x) is as small as x there; 1/4 and (x - 1/2)^2 are not: beyond twice the result a bit is lost.
    At 0.2 the result is 0.16, at 0.1 it is 0.09."""
    assert are_squares(squared(lambda x: x * (1 - x), low, high)) is taken


def test_integers_are_left_as_they_are() -> None:
    made = fh.app(x=fh.integers(4, low=0, high=9))(lambda x: x * (6 - x)).trace()
    assert normalise(made) == simplify(made)
    mixed = fh.app(x=fh.integers(4, low=0, high=9), y=fh.reals(4, low=0, high=1))
    assert not are_squares(normalise(mixed(lambda x, y: x * (6 - x) + y * 0.3).trace()))


@pytest.mark.parametrize("power", [180, 400])  # 9^180 has a square that no float holds, 9^400 is none itself
def test_values_without_end_are_no_error(power: int) -> None:
    found = squared(lambda x: x**power * (0.5 - x**power), 0, 9)
    assert not are_squares(found)


@pytest.mark.parametrize(
    ("step", "levels"),
    [
        # a square for each step, and the first factor, which nothing before it takes
        (lambda x: 3.2 * x * (1 - x), STEPS + 1),
        (lambda x: x * 3.2 * (1 - x), STEPS + 1),
        (lambda x: fh.polynomial(x, [0, 3.2, -3.2]), STEPS + 1),
        (lambda x: 4 * x * (1 - x), STEPS),  # a square of 2 x - 1, and twice costs no level
    ],
)
def test_an_iterated_map_takes_a_level_and_a_square_for_each_step(
    step: Callable[[Any], Any], levels: int
) -> None:
    made = traced(partial(iterated, step))
    found = normalise(made)
    assert (depth(found, "ckks"), len(products(found))) == (levels, STEPS)
    assert are_squares(found)
    data = {"x": np.array([0.01, 0.3, 0.9, 0.99])}
    wanted = evaluate(made, data)["result"]
    np.testing.assert_allclose(evaluate(found, data)["result"], wanted, rtol=0, atol=1e-12)


def test_as_written_means_no_squares() -> None:
    made = fh.app(minimise_depth=False, x=fh.reals(4, low=0, high=1))(lambda x: 3.2 * x * (1 - x)).trace()
    assert not are_squares(normalise(made))


def test_a_square_that_buys_nothing_is_not_taken() -> None:
    """A product at the first level needs nothing relinearised, and a square two plain sums."""
    assert not are_squares(normalise(traced(lambda x: x * (1 - x))))


def test_a_square_never_deepens() -> None:
    """u v w (1 - u v w) t: seven factors, if all are opened, are three levels; the square of u v w is a third
    one already, and t then needs a fourth."""

    def application(u: Any, v: Any, w: Any, t: Any) -> Any:
        x = u * v * w
        return x * (1 - x) * t

    spec = fh.reals(4, low=0, high=1)
    made = fh.app(u=spec, v=spec, w=spec, t=spec)(application).trace()
    assert depth(normalise(made), "ckks") == ceil(log2(3 + 4 + 1))


@settings(deadline=None)
@given(instructions(), st.integers(0, 2**32))
def test_squares_never_change_a_value(program: list[Instruction], seed: int) -> None:
    written = simplify(circuit("real", [*program, ("affine", seed % 8, 0), ("affine", 0, seed % 3)]))
    data = inputs("real", seed)
    found = with_squares(written)
    before, after = evaluate(written, data), evaluate(found, data)
    largest = max(float(np.abs(v).max()) for v in values(written, data).values())
    for name in before:
        assert before[name].shape == after[name].shape
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-11 * largest)


@settings(deadline=None)
@given(instructions())
def test_the_normal_form_takes_no_more_effort_with_squares(program: list[Instruction]) -> None:
    written = circuit("real", [*program, ("affine", 0, 3), ("affine", 0, 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fheasible.circuit.balance.with_squares", lambda found: found)
        without = normalise(written)
    assert effort(normalise(written)) <= effort(without)
