"""Rounding in a reduced basis, against the products over its vectors that the integrals stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf
from scipy.stats import beta

from fheasible.security.attacks.hybrid_rounding import log2_babai, log2_collision

lowest = st.floats(-2.0, 4.0)
steps = st.floats(0.004, 0.03)
counts = st.integers(300, 3000)


def norms(low: float, step: float, count: int) -> np.ndarray:
    return np.exp(low + step * np.arange(count))


@settings(max_examples=40, deadline=None)
@given(lowest, steps, counts)
def test_babais_probability_is_the_product_over_the_sphere(low: float, step: float, count: int) -> None:
    """[Wunderer19]: coordinate^2 of a point on the unit sphere in D dimensions is beta(1/2, (D - 1) / 2)."""
    shares = np.minimum(norms(low, step, count) ** 2 / (4 * count), 1)
    expected = np.log2(beta.cdf(shares, 0.5, (count - 1) / 2)).sum()
    found = log2_babai(np.array(low), np.array(step), np.array(count))
    assert found == pytest.approx(expected, rel=2e-3, abs=0.01)


@settings(max_examples=40, deadline=None)
@given(lowest, steps, counts)
def test_a_collisions_probability_is_the_product_over_the_norms(low: float, step: float, count: int) -> None:
    x = norms(low, step, count) / np.sqrt(2)  # [SonChe19, Lemma 4.2]
    expected = np.log2(erf(x) - (1 - np.exp(-(x**2))) / (x * np.sqrt(np.pi))).sum()
    found = log2_collision(np.array(low), np.array(step), np.array(count))
    assert found == pytest.approx(expected, rel=1e-3, abs=0.01)


@pytest.mark.long
def test_babai_rounds_simulated_errors_as_often_as_predicted() -> None:
    rng = np.random.default_rng(7)
    low, step, count = 1.1, 0.02, 400
    errors = rng.standard_normal((20_000, count))  # in units of sigma
    errors *= np.sqrt(count) / np.linalg.norm(errors, axis=1, keepdims=True)
    rounded = (np.abs(errors) < norms(low, step, count) / 2).all(axis=1).mean()
    predicted = 2.0 ** log2_babai(np.array(low), np.array(step), np.array(count))
    assert 0.001 < rounded < 0.5
    assert predicted == pytest.approx(rounded, abs=4 * np.sqrt(rounded / 20_000))


def test_nothing_succeeds_more_often_than_always() -> None:
    low = np.linspace(-10, 60, 50)
    for log_probability in (log2_babai, log2_collision):
        found = log_probability(low, np.array(0.01), np.array(2000.0))
        assert (found <= 0).all()
        assert (np.diff(found) >= 0).all()
        assert found[-1] == pytest.approx(0, abs=1e-6)
