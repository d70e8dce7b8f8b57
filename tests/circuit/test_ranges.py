"""Value ranges: they hold every value, and are tight where it is easy."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import values
from fheasible.circuit.ranges import intervals, warnings

from .random_circuits import Instruction, circuit, inputs, instructions


def interval(function: Callable[[Any], Any], spec: fh.VectorSpec) -> tuple[float, float]:
    found = fh.app(x=spec)(function).trace()
    return intervals(found)[dict(found.outputs)["result"]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x + 1, (-1, 4)),
        (lambda x: 1 - x, (-2, 3)),
        (lambda x: x * -2, (-6, 4)),
        (lambda x: x * [1, -1, 0, 2], (-4, 6)),
        (lambda x: x * x, (0, 9)),
        (lambda x: x**2, (0, 9)),
        (lambda x: x**3, (-8, 27)),
        (lambda x: (x * x) * (x * x), (0, 81)),
        (lambda x: fh.sum(x), (-8, 12)),
        (lambda x: fh.mean(x), (-2, 3)),
        (lambda x: x - fh.mean(x), (-5, 5)),
        (lambda x: fh.mean((x - fh.mean(x)) ** 2), (0, 6.25)),  # half at each end
        (lambda x: x.rotate(1), (-2, 3)),
        (lambda x: fh.concatenate([x[:2] + 7, x[2:]]), (-2, 10)),
        (lambda x: fh.concatenate([[8, 9], x * x + 1, [20]]), (0, 20)),  # 0 stands beside the plain parts
        (lambda x: fh.concatenate([x, x]) + fh.concatenate([x, x]), (-4, 6)),
        (lambda x: [[1, -2, 0, 0], [0, 0, 3, 3]] @ x, (-12, 18)),  # [-8, 7] and [-12, 18]
        (lambda x: fh.inner_product(x, [1, -2, 0, 3]), (-14, 16)),  # 1 and 3 from one end, -2 from the other
        (lambda x: fh.mean([1, -2, 0, 3] * (x + 1)), (-12 / 4, 18 / 4)),  # of [-1, 4]
        (lambda x: fh.concatenate([x + 4, [1]]), (0, 7)),  # 0 stands beside the 1
        (lambda x: x[0] * [1, 0, 0, 0] + (x[3] + 9) * [0, 0, 1, 1], (-2, 12)),  # numbers in places
        (lambda x: x[0] * [1, 1, 0, 0] + x[3] * [0, 1, 0, 0], (-4, 6)),  # both in one place
        (lambda x: x[0] * [2, 0, 0, 0] + x[3] * [0, 1, 0, 0], (-6, 9)),  # one is more than placed
        (lambda x: fh.polynomial(x, [1, 0, 1]), (1, 10)),
    ],
)
def test_intervals_by_hand(function: Callable[[Any], Any], expected: tuple[float, float]) -> None:
    assert interval(function, fh.reals(4, low=-2, high=3)) == pytest.approx(expected, rel=1e-12)


def test_a_polynomial_of_reals_has_the_extremes_where_its_slope_is_zero() -> None:
    """x^3 + x^4 has the slope 3 x^2 + 4 x^3, which is zero at -3/4. Terms alone: [-8, 27] + [0, 81]."""
    found = interval(lambda x: fh.polynomial(x, [0, 0, 0, 1, 1]), fh.reals(4, low=-2, high=3))
    assert found == pytest.approx((-27 / 256, 108), abs=1e-6)
    assert found[0] <= -27 / 256


def test_a_polynomial_of_integers_has_the_interval_of_its_terms() -> None:
    found = interval(lambda x: fh.polynomial(x, [0, 0, 0, 1, 1]), fh.integers(4, low=-2, high=3))
    assert found == (-8, 108)


def test_an_approximated_function_has_the_range_of_its_reachable_arguments() -> None:
    low, high = interval(lambda x: fh.exp(x, low=-5, high=5), fh.reals(3, low=-1, high=2))
    assert (low, high) == pytest.approx((np.exp(-1), np.exp(2)), rel=1e-3)


def test_sums_of_the_same_sums_are_found_at_once() -> None:
    """The result is the sum of 4,052,739,537,881 elements, the 62nd number of Fibonacci."""

    def fibonacci(x: fh.Vector) -> fh.Vector:
        a, b = x[1:], x[:-1]
        for _ in range(60):
            a, b = b, a + b
        return b

    assert interval(fibonacci, fh.reals(4, low=-2, high=3)) == (-2 * 4052739537881, 3 * 4052739537881)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "sinc", [lambda v: math.sin(float(v)) / float(v), lambda v: np.sin(v) / v], ids=["math", "numpy"]
)
def test_a_function_without_a_value_at_one_place_has_the_range_of_all_others(sinc: Any) -> None:
    """Python's floats raise there, and numpy's warn."""
    circuit = fh.app(x=fh.reals(1, low=-1, high=1))(fh.approximate(sinc, low=-1, high=1, degree=15)).trace()
    low, high = intervals(circuit)[circuit.outputs[0][1]]
    assert low == pytest.approx(math.sin(1))
    assert high == pytest.approx(1)


def test_integers_keep_exact_bounds_beyond_doubles() -> None:
    found = interval(lambda x: x**3, fh.integers(3, low=0, high=10**15 + 1))
    assert found == (0, (10**15 + 1) ** 3)
    assert isinstance(found[1], int)


def test_weighted_sums_of_integers_are_exact() -> None:
    found = interval(lambda x: fh.sum(x * [3, -1]), fh.integers(2, low=0, high=10**15 + 1))
    assert found == (-(10**15 + 1), 3 * (10**15 + 1))
    assert all(isinstance(end, int) for end in found)


def test_bounds_beyond_doubles_are_infinite_for_reals() -> None:
    assert interval(lambda x: (x**999) * 0.5, fh.reals(3, low=-10, high=10)) == (-np.inf, np.inf)


def test_wrapping_integers_stay_in_their_residues() -> None:
    assert interval(lambda x: x * x, fh.integers(3, modulo=17)) == (-8, 8)
    assert interval(lambda x: x * 0 + 3 + x * 0 * x + 1 + x - x + x, fh.integers(3, modulo=17)) == (-8, 8)


@settings(deadline=None)
@given(st.sampled_from(["real", "integer"]), instructions(), st.integers(0, 2**32))
def test_intervals_hold_the_values(kind: str, program: list[Instruction], seed: int) -> None:
    written = circuit(kind, program)
    for found in (written, normalise(written)):
        held = intervals(found)
        for n, value in values(found, inputs(kind, seed)).items():
            slack = 1e-9 * (1 + max(abs(held[n][0]), abs(held[n][1])))
            assert held[n][0] - slack <= value.min()
            assert value.max() <= held[n][1] + slack


def test_a_promise_that_may_be_broken_is_a_warning_with_its_line() -> None:
    @fh.app(x=fh.reals(10, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(fh.sum(x), low=0, high=1, degree=15)

    (warning,) = warnings(application.trace())
    line = application.function.__code__.co_firstlineno + 2
    assert f"test_ranges.py:{line}: " in warning
    assert "sqrt is promised values in [0, 1]" in warning
    assert "[0, 10]" in warning


def test_a_promise_that_surely_holds_is_no_warning() -> None:
    @fh.app(x=fh.reals(10, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=0.25, degree=15)

    assert warnings(application.trace()) == []
