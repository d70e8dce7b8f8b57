"""Series through the values that a function has at whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.circuit.chebyshev import evaluate_series, evaluate_slope
from fheasible.circuit.degrees import approximation
from fheasible.circuit.through import MOST_VALUES, through

VALUES = st.lists(st.integers(-20, 20), min_size=2, max_size=80).filter(lambda v: len(set(v)) > 1)


@given(low=st.integers(-50, 50), values=VALUES)
def test_it_has_the_values_at_whole_numbers_and_hardly_magnifies_noise(low: int, values: list[int]) -> None:
    found = through("of few", low, tuple(map(float, values)))
    x = low + np.arange(len(values), dtype=np.float64)
    assert np.abs(evaluate_series(found, x) - values).max() < 1e-9
    most = 8.1 * (max(values) - min(values))
    assert np.abs(evaluate_slope(found, x)).max() < most
    for noise in (-1e-4, 1e-4):
        assert np.abs(evaluate_series(found, x + noise) - values).max() < 1.1e-4 * most


def test_a_polynomial_of_least_degree_would_magnify_noise_ten_million_times() -> None:
    """Lagrange's polynomial of degree 31 through 32 points that alternate between 0 and 1."""
    places = np.arange(32)
    apart = places[:, None] - places[None, :] + np.eye(32)
    weights = 1 / np.prod(apart, axis=1)
    slope_at_first = sum(weights[j] / weights[0] / -places[j] * (places[j] % 2) for j in range(1, 32))
    assert abs(slope_at_first) > 1e7
    found = through("parity", 0, tuple(map(float, places % 2)))
    assert np.abs(evaluate_slope(found, places.astype(np.float64))).max() < 2


@pytest.mark.parametrize(("number", "levels"), [(3, 2), (4, 2), (9, 4), (40, 6), (100, 8)])
def test_few_values_take_few_levels(number: int, levels: int) -> None:
    found = through("step", 0, tuple((np.arange(number) > number // 2).astype(float).tolist()))
    assert found.degree < 1 << levels


def test_as_many_values_as_are_possible_are_met() -> None:
    values = tuple(np.random.default_rng(1).integers(0, 100, MOST_VALUES).astype(float).tolist())
    found = through("table", -7, values)
    assert np.abs(evaluate_series(found, np.arange(-7.0, MOST_VALUES - 7)) - values).max() < 1e-8


def test_what_rounding_leaves_of_a_coefficient_is_0() -> None:
    """An even function has no odd coefficients, and libraries refuse numbers that are far too small."""
    found = through("zero", -4, (0.0,) * 4 + (1.0,) + (0.0,) * 4)
    assert not any(found.coefficients[1::2])
    assert all(abs(c) > 1e-6 for c in found.coefficients[::2])


def test_its_error_is_that_at_the_places_of_its_values() -> None:
    found = approximation(through("step", 0, (0.0, 0.0, 1.0, 1.0, 0.0, 1.0)))
    assert found.largest_error < 1e-12
    assert found.average_error < 1e-12
