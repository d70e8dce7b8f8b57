"""Approximations whose degree is left open."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit import chebyshev
from fheasible.circuit.degrees import Approximated, envelope, of_degree, open_nodes, with_degrees
from fheasible.circuit.node import Chebyshev, Circuit
from fheasible.errors import CircuitError

from .alike import alike

DEGREES = st.integers(1, 300)


def two(first: int | None, second: int | None) -> Circuit:
    @fh.app(x=fh.reals(8, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.exp(fh.sqrt(x, low=0, high=1, degree=first) * x, low=0, high=1, degree=second)

    return application.trace()


def root(degree: int) -> Chebyshev:
    return of_degree(chebyshev.open_series(np.sqrt, "sqrt", 0.0, 1.0), degree)


def test_a_degree_that_is_given_is_not_open() -> None:
    assert [n.attribute.function for n in open_nodes(two(None, None))] == ["sqrt", "exp"]
    assert [n.attribute.function for n in open_nodes(two(15, None))] == ["exp"]
    assert open_nodes(two(15, 7)) == ()


@given(first=DEGREES, second=DEGREES)
def test_with_chosen_degrees_it_is_the_circuit_that_fixes_them(first: int, second: int) -> None:
    found, fixed = with_degrees(two(None, None), (first, second)), two(first, second)
    assert alike(found, fixed)


def test_a_circuit_without_open_degrees_stays_as_it_is() -> None:
    made = two(15, 7)
    assert with_degrees(made, ()) is made


def test_a_degree_for_each_is_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        with_degrees(two(None, None), (15,))


def test_a_function_that_is_not_finite_on_its_interval_is_refused_though_its_degree_is_open() -> None:
    with pytest.raises(CircuitError, match="no finite value"):
        chebyshev.open_series(np.log, "log", 0.0, 1.0)


@pytest.mark.parametrize("degree", [3, 16, 101])
def test_errors_are_those_of_a_dense_grid(degree: int) -> None:
    x = np.linspace(0, 1, 200_001)
    error = np.abs(chebyshev.evaluate_series(root(degree), x) - np.sqrt(x))
    largest, average = chebyshev.largest_and_average_error(root(degree))
    assert largest == pytest.approx(error.max(), rel=1e-3)
    assert average == pytest.approx(error.mean(), rel=1e-2)


@pytest.mark.parametrize("degree", [3, 16, 101])
def test_the_envelope_is_the_largest_error_of_an_oscillation_around(degree: int) -> None:
    made, count = root(degree), 8193
    angles = np.pi * np.arange(count) / (count - 1)
    error = np.abs(
        chebyshev.evaluate_series(made, (np.cos(angles) + 1) / 2) - np.sqrt((np.cos(angles) + 1) / 2)
    )
    found = envelope(made)
    for k in range(0, count, 97):
        near = np.abs(angles - angles[k]) <= np.pi / (made.degree + 1)
        assert found[k] == pytest.approx(error[near].max(), rel=0.05)
    assert (found >= np.abs(chebyshev.error_at_grid(made))).all()


def test_an_error_that_vanishes_by_chance_counts_as_that_of_its_neighbours() -> None:
    """Between two places of opposite error lies a value that the series hits."""
    made = root(16)
    error = chebyshev.error_at_grid(made)
    k = int(np.flatnonzero(np.sign(error[1:]) != np.sign(error[:-1]))[8])
    assert abs(error[k]) < 0.05 * envelope(made)[k]


@given(x=st.floats(0, 1), degree=DEGREES)
def test_what_is_computed_is_off_by_the_envelope(x: float, degree: int) -> None:
    @fh.app(x=fh.reals(1, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(x, low=0, high=1)

    found = Approximated(application.trace(), {"x": np.array([x])}).outputs((degree,))["result"]
    made = root(degree)
    place = chebyshev.grid_place(made, np.array([x]))[0]
    assert abs(found[0] - np.sqrt(x)) == pytest.approx(envelope(made)[place], rel=1e-9)
    assert abs(np.cos(np.pi * place / 8192) - (2 * x - 1)) <= np.pi / 8192
