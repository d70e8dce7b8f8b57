"""How far results are off, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fheasible.noise.achieved import NEAR_ZERO, achieved, reference

VECTORS = arrays(np.float64, st.integers(1, 6), elements=st.floats(-1e6, 1e6))


def test_the_four_figures_by_hand() -> None:
    found = achieved(
        {"a": np.array([1.5, 2.25]), "b": np.array([-4.0])},
        {"a": np.array([1.0, 2.0]), "b": np.array([-8.0])},
    )
    assert found.bits == 1.0  # errors of 1/2 of at most 2, and of 4 of 8
    assert found.mean == (1 + 3 + 1) / 3  # relative errors of 1/2, 1/8 and 1/2
    assert found.absolute == 4.0
    assert found.relative == 0.5


def test_near_zero_an_error_is_set_against_a_thousandth_of_the_largest_value() -> None:
    exact = np.array([1024.0, -2.0, 0.5, 0.0])
    assert NEAR_ZERO == 1 / 1024
    assert reference(exact).tolist() == [1024.0, 2.0, 1.0, 1.0]
    assert achieved({"y": exact + 0.25}, {"y": exact}).relative == 0.25


def test_bits_are_of_the_worst_element_against_the_largest_value() -> None:
    exact = np.array([8.0, 0.001, -2.0])
    assert achieved({"y": exact + np.array([0.0, 0.5, 0.25])}, {"y": exact}).bits == 4.0  # 0.5 of 8
    assert (
        achieved({"y": np.array([0.25, 0.0])}, {"y": np.zeros(2)}).bits == 2.0
    )  # of zeros: the error itself
    assert achieved({"y": exact}, {"y": exact}).bits == 53.0  # a double's


def test_where_all_is_zero_the_error_stands_for_itself() -> None:
    assert achieved({"y": np.array([0.25, 0.0])}, {"y": np.zeros(2)}).relative == 0.25


def test_each_output_has_its_own_largest_value() -> None:
    truth = {"large": np.array([1e6]), "small": np.array([1.0])}
    assert achieved({k: v + 0.5 for k, v in truth.items()}, truth).relative == 0.5


@given(exact=VECTORS, error=st.floats(1e-6, 1e3))
def test_an_error_everywhere_is_the_absolute_one_and_most_of_the_smallest_value(
    exact: np.ndarray, error: float
) -> None:
    found = achieved({"y": exact + error}, {"y": exact})
    assert found.absolute == pytest.approx(error, rel=1e-3)
    assert found.relative == pytest.approx(error / reference(exact).min(), rel=1e-3)
