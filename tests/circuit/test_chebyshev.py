"""Chebyshev series: coefficients against numpy's interpolation, degrees against the precision asked."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev as reference

from fheasible.circuit.chebyshev import elementwise, evaluate_series, series, series_for
from fheasible.errors import CircuitError

FUNCTIONS: list[Callable[[np.ndarray], np.ndarray]] = [np.exp, np.sin, np.cosh, np.arctan]


@given(
    st.sampled_from(FUNCTIONS),
    st.floats(-3, 2.9),
    st.floats(0.1, 4),
    st.integers(1, 60),
)
def test_coefficients_agree_with_numpys_interpolation(
    function: Callable[[np.ndarray], np.ndarray], low: float, width: float, degree: int
) -> None:
    high = low + width
    expected = reference.chebinterpolate(
        lambda u: function(np.clip((u * (high - low) + low + high) / 2, low, high)), degree
    )
    found = np.zeros(degree + 1)
    coefficients = series(function, "f", low, high, degree).coefficients
    found[: len(coefficients)] = coefficients
    np.testing.assert_allclose(found, expected, atol=4e-14 * np.abs(expected).max())


def test_the_root_of_degree_247_agrees_with_its_closed_form() -> None:
    # sqrt((1 + u) / 2) = 2/pi + sum_k (-1)^(k+1) 4 / (pi (4 k^2 - 1)) T_k(u), but for the folded tail
    found = series(np.sqrt, "sqrt", 0.0, 1.0, 247).coefficients
    exact = [2 / math.pi] + [(-1) ** (k + 1) * 4 / (math.pi * (4 * k * k - 1)) for k in range(1, 248)]
    assert len(found) == 248
    assert found[0] == pytest.approx(exact[0], rel=1e-5)
    assert found[1] == pytest.approx(exact[1], rel=1e-5)
    assert found[30] == pytest.approx(exact[30], rel=2e-2)


def test_odd_functions_have_no_even_terms() -> None:
    found = series(np.tanh, "tanh", -2.0, 2.0, 32).coefficients
    assert len(found) == 32  # degree 31: the 32nd coefficient is zero
    assert not any(found[::2])
    assert all(found[1::2])


@pytest.mark.parametrize("bits", [5, 12, 20, 33])
@pytest.mark.parametrize(
    ("function", "low", "high"), [(np.exp, -1.0, 1.0), (np.sqrt, 0.01, 1.0), (np.tanh, -4.0, 4.0)]
)
def test_the_degree_chosen_is_the_least_that_is_precise_enough(
    function: Callable[[np.ndarray], np.ndarray], low: float, high: float, bits: float
) -> None:
    x = np.linspace(low, high, 20_001)
    size = np.sqrt(np.mean(function(x) ** 2))
    found = series_for(function, "f", low, high, float(bits))

    def error(degree: int) -> float:
        made = series(function, "f", low, high, degree)
        return float(np.abs(evaluate_series(made, x) - function(x)).max() / size)

    # the root mean square is taken over a grid that is denser at the ends: allow a factor of two
    assert error(found.degree) <= 2 * 2.0**-bits
    assert error(found.degree - 2) > 0.5 * 2.0**-bits


def test_a_precision_out_of_reach_says_what_is_reached() -> None:
    with pytest.raises(CircuitError, match=r"sqrt on \[0, 1\] is approximated to (\d+\.\d) bits") as caught:
        series_for(np.sqrt, "sqrt", 0.0, 1.0, 20.0)
    assert "degree=" in caught.value.remedy


def test_functions_of_single_numbers_become_functions_of_arrays() -> None:
    def step(x: float) -> float:
        return 1.0 if x > 0 else math.exp(x)

    x = np.array([-1.0, 0.5])
    np.testing.assert_allclose(elementwise(step)(x), [math.exp(-1), 1.0])
    assert elementwise(np.sin) is np.sin
    np.testing.assert_array_equal(elementwise(lambda x: 7.0)(x), [7.0, 7.0])


def test_errors_of_the_math_module_are_points_without_a_value() -> None:
    with pytest.raises(CircuitError, match="no finite value at 0"):
        series_for(elementwise(math.log), "log", 0.0, 1.0, 10.0)
