"""How far noise strays: against exact quantiles, and against products of Gaussians that are really drawn."""

from math import comb, factorial, lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import log_ndtr

from fheasible.noise.integers.tail import (
    GAUSSIAN,
    SquareShape,
    deviation_bits,
    joined,
    largest_of,
    usual_share_bits,
)

LINE = SquareShape(1, (1,))  # a rounding error times the secret
DEEP = SquareShape(4, (1, 1, 1, 1))

shapes = st.builds(
    SquareShape, st.integers(0, 8), st.lists(st.integers(1, 3), max_size=6).map(tuple)
)  # fmt: skip


def deviations(shape: SquareShape, slots: int, failure_bits: float) -> float:
    return 2.0 ** deviation_bits(shape, slots, failure_bits)


def squares(shape: SquareShape, slots: int, times: int, seed: int = 0) -> NDArray[np.float64]:
    """(times, slots) of squared embeddings with a mean of one."""
    draw, found = np.random.default_rng(seed), np.ones((times, slots))
    for power in (shape.secret, *shape.others):
        found *= draw.exponential(size=(times, slots)) ** power / factorial(power)
    return found


def coefficients(shape: SquareShape, slots: int, times: int) -> NDArray[np.float64]:
    """One each: sums of embeddings of uniform phases, of unit variance."""
    phases = np.random.default_rng(1).uniform(0, 2 * np.pi, (times, slots))
    return np.sqrt(2 / slots) * (np.sqrt(squares(shape, slots, times)) * np.cos(phases)).sum(axis=1)


@pytest.mark.parametrize("bits", [20, 40, 128])
def test_a_gaussian_strays_as_far_as_its_quantile(bits: int) -> None:
    """Not less, and not ten in a hundred more."""
    far = deviations(GAUSSIAN, 4096, bits)

    def beyond(x: float) -> float:
        return float(log_ndtr(-x)) / log(2) + 1

    assert beyond(far) < -bits < beyond(0.91 * far)


@pytest.mark.parametrize("shape", [LINE, SquareShape(0, (1, 1)), SquareShape(2, (2,)), DEEP])
@pytest.mark.parametrize("slots", [1, 16, 64])
def test_no_more_coefficients_stray_than_allowed(shape: SquareShape, slots: int) -> None:
    seen = np.abs(coefficients(shape, slots, 60_000))
    for bits in (4, 8, 12):
        assert np.mean(seen > deviations(shape, slots, bits)) < 2.0**-bits


@pytest.mark.long
@pytest.mark.parametrize("slots", [1, 16, 64])
def test_and_not_far_fewer(slots: int) -> None:
    """What is exceeded once in 2^12 cases is at most a bit less than what is said."""
    seen = np.quantile(np.abs(coefficients(LINE, slots, 100_000)), 1 - 2.0**-12)
    assert 1 < deviations(LINE, slots, 12) / seen < 2


def test_a_gaussian_s_quantile_would_not_do_for_deep_products() -> None:
    seen = np.abs(coefficients(DEEP, 16, 100_000))
    assert np.mean(seen > deviations(GAUSSIAN, 16, 12)) > 8 * 2.0**-12


@given(shapes, st.sampled_from([1, 8, 1024, 16384]), st.integers(10, 140))
def test_rarer_failures_and_more_factors_stray_farther(shape: SquareShape, slots: int, bits: int) -> None:
    far = deviations(shape, slots, bits)
    assert far < deviations(shape, slots, bits + 10)
    assert far <= deviations(SquareShape(shape.secret, (*shape.others, 1)), slots, bits)
    assert far <= deviations(SquareShape(shape.secret + 1, shape.others), slots, bits)
    assert deviations(shape, 4 * slots, bits) <= 1.01 * far  # more squares' mean is nearer to its own


def by_all_moments(shape: SquareShape, slots: int, bits: int) -> float:
    """Markov's bound, by the least of all moments, each from the partitions of as many things: the first one
    is in a block with some of the others, which may pick any slot."""
    single = [shape.log_moment(p) for p in range(1, bits + 1)]
    sums, found = [0.0], []
    for p in range(1, bits + 1):
        terms = [log(comb(p - 1, b - 1) * slots) + single[b - 1] + sums[p - b] for b in range(1, p + 1)]
        sums.append(float(np.logaddexp.reduce(terms)))
        mean = min(sums[p] - p * log(slots), single[p - 1])
        of_normal = lgamma(2 * p + 1) - lgamma(p + 1) - p * log(2)  # (2p - 1)!!
        found.append((of_normal + mean + bits * log(2)) / (2 * p))
    return min(found) / log(2)


@given(shapes, st.sampled_from([1, 8, 1024, 16384]), st.integers(3, 100))
def test_no_moment_gives_less_than_those_that_are_worked_out(
    shape: SquareShape, slots: int, bits: int
) -> None:
    assert deviation_bits(shape, slots, bits) == pytest.approx(by_all_moments(shape, slots, bits), rel=1e-9)


@pytest.mark.parametrize("slots", [1, 64, 2048])
@pytest.mark.parametrize("shape", [GAUSSIAN, LINE, DEEP])
def test_the_usual_share_is_that_of_the_average_logarithm(shape: SquareShape, slots: int) -> None:
    """Never below it, nor more than two bits of a standard deviation above."""
    seen = np.mean(np.log2(squares(shape, slots, 2000).mean(axis=1)))
    share = usual_share_bits(shape, slots)
    assert -0.1 < share - seen < 4
    assert share <= 1e-12


@given(st.integers(0, 6), st.integers(0, 6))
def test_two_factors_share_their_secret(a: int, b: int) -> None:
    """E |s|^2(a+b) = (a+b)!, and E |s|^2a E |s|^2b = a! b!."""
    shape, factor = joined(SquareShape(a, (1,)), SquareShape(b, (1, 1)))
    assert shape == SquareShape(a + b, (1, 1, 1))
    assert 2**factor == pytest.approx(factorial(a + b) / factorial(a) / factorial(b))


def test_a_square_shares_everything() -> None:
    shape, factor = joined(LINE, LINE, same=True)
    assert shape == SquareShape(2, (2,))
    assert factor == pytest.approx(2)
    drawn = squares(LINE, 1, 400_000)[:, 0]
    assert np.mean(drawn**2) == pytest.approx(2**factor, rel=0.1)


def test_a_factor_that_returns_is_raised_to_a_power() -> None:
    assert SquareShape(3, (1, 1)).repeated(2) == SquareShape(3, (2,))
    assert SquareShape(3, (1, 2, 1)).repeated(3) == SquareShape(3, (1, 3))


@pytest.mark.parametrize("count", [1, 100, 4096])
def test_the_largest_of_many_gaussians(count: int) -> None:
    drawn = np.abs(np.random.default_rng(2).normal(size=(2000, count))).max(axis=1)
    assert largest_of(count) == pytest.approx(np.median(drawn), rel=0.06)
