"""Distributions of a slot's noise, against random draws and against what is known in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import kstest, norm

from fheasible.noise.ckks import tabulation
from fheasible.noise.ckks.mixture import Spread, Tables, mean_log2, mean_size, nearest, tables, tail

SHAPES = (1.0, 2.0, 6.0, 64.0)
NORMAL = 1e9
Floats = NDArray[np.float64]


def row(shape: float) -> NDArray[np.int64]:
    return nearest(np.array([shape]))


def drawn(shape: float, count: int = 200_000) -> Floats:
    draw = np.random.default_rng(8)
    return draw.normal(size=count) * np.sqrt(draw.gamma(shape, 1 / shape, count))


def test_a_slot_of_a_polynomial_times_the_secret_has_the_distribution_of_laplace() -> None:
    """Slots of two polynomials of many independent coefficients, multiplied: nothing else is assumed."""
    draw, n = np.random.default_rng(3), 4096
    twist = np.exp(1j * np.pi * np.arange(n) / n)
    slots = [n * np.fft.ifft(draw.integers(-1, 2, n) * twist) for _ in range(80)]
    products = np.concatenate([(x * y).real for x, y in zip(slots[::2], slots[1::2], strict=True)])
    sigma = products.std()
    assert kstest(products[::3] / sigma, "laplace", (0, 2**-0.5)).pvalue > 1e-3
    assert kstest(products[::3] / sigma, "norm").pvalue < 1e-6  # the test can tell
    measured = np.mean(np.log2(np.abs(products)))
    assert mean_log2(np.zeros(1), np.array([sigma]), row(1)) == pytest.approx(measured, abs=0.02)


def test_the_average_logarithm_is_known() -> None:
    normal = -(np.euler_gamma + np.log(2)) / (2 * np.log(2))
    exponential = -np.euler_gamma / (2 * np.log(2))  # of the root of an exponential variable
    one, none = np.ones(1), np.zeros(1)
    assert mean_log2(none, one, row(NORMAL)) == pytest.approx(normal, abs=2e-3)
    assert mean_log2(none, one, row(1)) == pytest.approx(normal + exponential, abs=2e-3)
    assert mean_log2(one / 8, none, row(1)) == pytest.approx(-3, abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("bias", "sigma"), [(0.0, 1.0), (1.0, 1.0), (3.0, 0.5), (0.5, 4.0)])
def test_averages_are_those_of_random_draws(shape: float, bias: float, sigma: float) -> None:
    values = np.abs(bias + sigma * drawn(shape))
    given_ = np.array([bias]), np.array([sigma]), row(shape)
    assert mean_log2(*given_) == pytest.approx(np.mean(np.log2(values)), abs=0.06)
    assert mean_size(*given_) == pytest.approx(np.mean(values), rel=0.04)
    for above in (sigma / 2, 2 * sigma, bias + 3 * sigma):
        expected = np.mean(values > above)
        assert Spread.of(*given_).chance(np.array([above])) == pytest.approx(expected, rel=0.08, abs=0.01)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("log2_chance", [-3, -9])
def test_a_tail_is_exceeded_as_often_as_it_says(shape: float, log2_chance: float) -> None:
    exceeded = np.mean(np.abs(drawn(shape)) > tail(log2_chance, row(shape)))
    assert np.log2(exceeded) == pytest.approx(log2_chance, abs=0.15)


def test_far_tails_are_those_of_laplace_and_of_the_normal_distribution() -> None:
    for bits in (10, 40, 128):
        assert tail(-bits, row(1)) == pytest.approx(bits * np.log(2) / 2**0.5, rel=1e-3)
    assert tail(-40, row(NORMAL)) == pytest.approx(-norm.ppf(2.0**-41), rel=1e-3)


@given(st.floats(1, 1000), st.floats(1, 1000), st.floats(-60, -6))
def test_the_more_slots_have_a_part_the_shorter_is_the_far_tail(
    x: float, y: float, log2_chance: float
) -> None:
    few, many = sorted((x, y))
    assert tail(log2_chance, row(few)) >= tail(log2_chance, row(many)) * (1 - 1e-9)


@given(st.floats(0, 30), st.floats(1e-12, 1e3), st.floats(1, 1e6))
def test_a_chance_is_one_and_falls_with_what_is_to_be_exceeded(
    bias: float, sigma: float, shape: float
) -> None:
    steps = np.linspace(0, bias + 20 * sigma, 50)[:, None]
    found = Spread.of(np.array([bias]), np.array([sigma]), row(shape)).chance(steps)[:, 0]
    assert np.all((found >= 0) & (found <= 1 + 1e-9))
    assert np.all(np.diff(found) <= 1e-9)


def test_elements_of_several_shapes_have_each_their_own_chances() -> None:
    rows = nearest(np.array([1.0, 1e9, 4.0]))
    bias, sigma, above = np.array([0.0, 0.5, 1.0]), np.array([1.0, 2.0, 0.5]), np.array([2.0, 3.0, 1.2])
    for i in range(3):
        one = slice(i, i + 1)
        alone = Spread.of(bias[one], sigma[one], rows[one]).chance(above[one])[0]
        assert Spread.of(bias, sigma, rows).chance(above)[i] == alone
        assert tail(-10.0, rows)[i] == tail(-10.0, rows[one])[0]
    assert len(set(tail(-10.0, rows))) == 3


@pytest.mark.parametrize("name", Tables._fields)
def test_the_shipped_tables_are_what_is_tabulated(name: str) -> None:
    made = getattr(tabulation.tables(), name)
    np.testing.assert_allclose(getattr(tables(), name), made, rtol=1e-9, atol=1e-12)


@given(st.floats(0, 40))
def test_the_average_size_lies_on_its_closed_form(ratio: float) -> None:
    """Of a normal variable of variance 1 and mean `ratio`, whose size has a folded normal distribution."""
    expected = 2 * norm.pdf(ratio) + ratio * (1 - 2 * norm.cdf(-ratio))
    found = mean_size(np.array([ratio]), np.ones(1), row(NORMAL))
    assert found[0] == pytest.approx(expected, rel=2e-3)  # six variances near 1


@pytest.mark.parametrize("biased", [False, True])
def test_the_chances_of_a_spread_are_those_of_each_alone(biased: bool) -> None:
    """Counted in draws of Gaussian noise: the last shape of the tables."""
    draw = np.random.default_rng(3)
    bias = np.array([[0.0, 1.5]]) * biased
    sigma, rows = np.array([[1.0, 2.0]]), nearest(np.full((1, 2), 1e9))
    above = np.array([[1.0, 0.5]])
    spread = Spread.of(bias, sigma, rows)
    drawn = np.abs(bias + sigma * draw.standard_normal((200_000, 2)))
    counted = (drawn > above).mean(axis=0)
    np.testing.assert_allclose(spread.chance(above)[0], counted, atol=0.03)
    np.testing.assert_allclose(spread.none_beyond(above)[0], -np.log1p(-spread.chance(above)[0]), rtol=1e-12)
    np.testing.assert_array_equal(spread.take(np.array([0, 0])).chance(above)[1], spread.chance(above)[0])
