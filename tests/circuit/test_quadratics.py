"""Intervals of polynomials of degree 2 are those of all values that they have, however they are written."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.aliases import Interval
from fheasible.circuit.quadratics import quadratics
from fheasible.circuit.ranges import intervals

NUMBERS = st.floats(-3, 3).map(lambda v: round(v, 3))
Function = Callable[[Any], Any]


@st.composite
def linears(draw: st.DrawFn) -> Function:
    """A function of degree 1 at most, in one of the ways in which it may be written."""
    a, b = draw(NUMBERS), draw(NUMBERS)
    ways: list[Function] = [
        lambda x: a * x + b,
        lambda x: b - x * a,
        lambda x: (x + a) - b,
        lambda x: -(x - b),
        lambda x: x - a * x,
    ]
    return draw(st.sampled_from(ways))


@st.composite
def functions(draw: st.DrawFn) -> Function:
    """A function of degree 2 at most, of linear ones."""
    f, g = draw(linears()), draw(linears())
    ways: list[Function] = [
        lambda x: f(x) * g(x),
        lambda x: f(x) ** 2 - g(x),
        lambda x: g(x) + f(x) * x,
        lambda x: x * x - f(x) * g(x),
        lambda x: f(x) + g(x),
    ]
    return draw(st.sampled_from(ways))


def of(function: Function, low: float, high: float) -> Interval:
    circuit = fh.app(x=fh.reals(3, low=low, high=high))(function).trace()
    return intervals(circuit)[circuit.outputs[0][1]]


def varies(function: Function, low: float, high: float) -> bool:
    return float(np.ptp(function(np.linspace(low, high, 7)) + np.zeros(7))) > 1e-6


@given(functions(), NUMBERS, st.floats(0.1, 3).map(lambda v: round(v, 3)))
@settings(max_examples=200, deadline=None)
def test_the_interval_is_that_of_all_values(function: Function, low: float, width: float) -> None:
    if not varies(function, low, low + width):
        return  # an output that does not depend on the input is refused
    values = function(np.linspace(low, low + width, 20_001))
    found, size = of(function, low, low + width), float(np.abs(values).max())
    assert found[0] <= values.min() + 1e-9 * size
    assert found[1] >= values.max() - 1e-9 * size
    assert found[0] >= values.min() - 1e-6 * size - 1e-9
    assert found[1] <= values.max() + 1e-6 * size + 1e-9


def test_a_value_that_is_far_from_the_ends_is_found() -> None:
    """x (1 - x) is 1/4 at 1/2, and 0.21 and 0.16 at the ends."""
    assert of(lambda x: x * (1 - x), 0.3, 0.8) == pytest.approx((0.16, 0.25))
    assert of(lambda x: x - x**2, 0.3, 0.8) == pytest.approx((0.16, 0.25))


def test_steps_that_stay_small_do_not_grow_without_bounds() -> None:
    """x - x^2 falls towards 0 from 1/4: after n steps it is below 1 / (n + 4)."""

    def steps(x: Any) -> Any:
        for _ in range(80):
            x = x - x**2
        return x

    low, high = of(steps, 0.1, 0.5)
    exact = steps(np.array([0.1, 0.5]))
    assert 0 < low <= exact.min() * (1 + 1e-6)
    assert exact.max() * (1 - 1e-6) <= high < 1 / 84


def test_values_of_two_inputs_are_not_taken_for_those_of_one() -> None:
    circuit = fh.app(x=fh.reals(2, low=0, high=1), y=fh.reals(2, low=0, high=1))(
        lambda x, y: x - y * y
    ).trace()
    made = circuit.outputs[0][1]
    assert list(quadratics(made)) == [made]
    assert intervals(circuit)[made] == (-1, 1)


def test_elements_that_are_moved_are_other_values() -> None:
    """x less its neighbour's square is not x less its own square."""
    circuit = fh.app(x=fh.reals(4, low=0, high=1))(lambda x: x - fh.rotate(x, 1) ** 2).trace()
    assert intervals(circuit)[circuit.outputs[0][1]] == (-1, 1)
