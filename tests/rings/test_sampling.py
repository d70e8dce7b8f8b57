"""What is drawn: the table of the Gaussian, frequencies at fixed seeds, the same values from one seed.

The frequencies are judged by Pearson's chi-square. The threshold is the quantile 1 - 1e-9, and the seeds are
fixed, so that a correct sampler does not fail by chance.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from fheasible.rings import sampling
from fheasible.rings.exact import ExactRing
from fheasible.rings.limbs import unpack

from .drawing import moduli

DRAWN = (4, 4, 8192)
COUNT = 4 * 4 * 8192
SIGMAS = [0.3, 0.5, 1.0, 3.2, 8.0, 100.0]


def chi_square(counts: Sequence[int], probabilities: Sequence[float]) -> float:
    """The statistic, as a share of its threshold; values of fewer than ten expected draws stand together."""
    total = sum(counts)
    observed, expected = [0.0], [0.0]
    for count, p in zip(counts, probabilities, strict=True):
        observed[-1] += count
        expected[-1] += p * total
        if expected[-1] >= 10:
            observed.append(0.0)
            expected.append(0.0)
    pairs = [(o, e) for o, e in zip(observed, expected, strict=True) if e > 0]
    distance = sum((o - e) ** 2 / e for o, e in pairs)
    return float(distance / chi2.ppf(1 - 1e-9, max(len(pairs) - 1, 1)))


@pytest.mark.parametrize("q", [2, 3, 5, 6, 97, 256])
def test_every_residue_of_a_small_modulus_is_equally_likely(q: int) -> None:
    drawn = sampling.uniform(sampling.source(1), q, DRAWN)[..., 0].ravel()
    counts = np.bincount(drawn.astype(np.int64), minlength=q)
    assert len(counts) == q
    assert chi_square(counts.tolist(), [1 / q] * q) < 1


@pytest.mark.parametrize("q", [2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 3 * 2**64, 2**130 + 2**129, 10**90])
def test_residues_of_a_large_modulus_fill_its_range_evenly(q: int) -> None:
    """Sixteenths of the range, and the lowest four bits: both are uniform to within 2^-59."""
    values = unpack(sampling.uniform(sampling.source(2), q, (1, 1, 40_000)), signed=False).ravel()
    assert max(values) < q
    for parts in ([int(v * 16 // q) for v in values], [int(v % 16) for v in values]):
        assert chi_square(np.bincount(parts, minlength=16).tolist(), [1 / 16] * 16) < 1


@given(moduli, st.integers(0, 100))
@settings(deadline=None)
def test_every_residue_is_below_q(q: int, seed: int) -> None:
    values = unpack(sampling.uniform(sampling.source(seed), q, (2, 1, 32)), signed=False).ravel()
    assert all(v < q for v in values)


def test_minus_one_zero_and_one_are_equally_likely() -> None:
    drawn = sampling.ternary(sampling.source(3), DRAWN)[..., 0].view(np.int64).ravel()
    assert chi_square(np.bincount(drawn + 1, minlength=3).tolist(), [1 / 3] * 3) < 1


def cumulative(sigma: float) -> list[Decimal]:
    """P(X <= k) for k = -T, ..., T, each weight by its own exponential."""
    largest = ceil(9.2 * sigma)
    with localcontext(prec=60):
        width = 2 * Decimal(sigma) ** 2
        weights = [(-Decimal(k * k) / width).exp() for k in range(-largest, largest + 1)]
        total = sum(weights)
        return [sum(weights[: i + 1], Decimal(0)) / total for i in range(len(weights))]


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_table_of_the_gaussian_has_64_correct_bits(sigma: float) -> None:
    expected = cumulative(sigma)[:-1]
    table = sampling.thresholds(sigma)
    assert len(table) == len(expected)
    with localcontext(prec=60):
        assert all(0 <= p * 2**64 - int(t) < 1 for p, t in zip(expected, table, strict=True))


class Fixed:
    """A source of these words, in place of random ones."""

    def __init__(self, *words: int) -> None:
        self.words = np.array(words, dtype=np.uint64)

    def integers(self, *_: object, **__: object) -> np.ndarray:
        return self.words


def test_a_random_word_draws_the_first_value_whose_cumulative_probability_exceeds_it() -> None:
    """Below threshold k lie the words that draw k or less; with width 1 the values are -10 to 10."""
    table = [int(v) for v in sampling.thresholds(1.0)]
    words = (0, table[9] - 1, table[9], table[10] - 1, table[10], 2**64 - 1)
    drawn = sampling.gaussian(Fixed(*words), 1.0, (1, 1, len(words)))  # type: ignore[arg-type]
    first = next(k for k, below in enumerate(table) if below > 0)
    assert drawn.view(np.int64).ravel().tolist() == [first - 10, -1, 0, 0, 1, 10]


def test_a_wide_gaussian_has_a_symmetric_table_too() -> None:
    table = [int(t) for t in sampling.thresholds(1e4)]
    assert len(table) == 2 * 92_000
    assert table == sorted(table)
    assert all(2**64 - 1 <= low + high <= 2**64 for low, high in zip(table, reversed(table), strict=True))


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_gaussian_has_its_frequencies_and_its_cut(sigma: float) -> None:
    drawn = sampling.gaussian(sampling.source(4), sigma, DRAWN)[..., 0].view(np.int64).ravel()
    largest = ceil(9.2 * sigma)
    assert abs(drawn).max() <= largest
    counts = np.bincount(drawn + largest, minlength=2 * largest + 1)
    probabilities = np.diff([0.0, *map(float, cumulative(sigma))])
    assert chi_square(counts.tolist(), probabilities.tolist()) < 1


def test_the_test_of_frequencies_notices_one_percent() -> None:
    counts = [COUNT // 2 + COUNT // 100, COUNT // 2 - COUNT // 100]
    assert chi_square(counts, [0.5, 0.5]) > 1


def test_one_seed_draws_the_same_values_again_and_another_does_not() -> None:
    def drawn(seed: int | None) -> list[int]:
        R = ExactRing(64, 2**100 - 3, seed)
        made = (R.uniform(2, 1), R.ternary(1, 2), R.gaussian(3.2))
        return [int(v) for x in made for v in R.coefficients(x).ravel()]

    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)
    assert drawn(None) != drawn(None)
