"""Vectors as polynomials of rounded coefficients."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fheasible.noise.encoding import coefficients, encoded, slots

SIZES = st.integers(0, 8).map(lambda k: 1 << k)
SEEDS = st.integers(0, 1000)


def row(size: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-3, 3, size)


@given(SIZES, SEEDS)
def test_a_vector_comes_back_from_its_coefficients(size: int, seed: int) -> None:
    x = row(size, seed)
    assert len(coefficients(x)) == (2 * size if size > 1 else 1)
    np.testing.assert_allclose(slots(coefficients(x)), x, atol=1e-12)


@given(st.integers(1, 6).map(lambda k: 1 << k), SEEDS)
def test_slots_are_the_values_at_the_roots_of_unity(size: int, seed: int) -> None:
    """zeta^(5^j) for the primitive root of order 4 slots, by the definition."""
    polynomial = row(2 * size, seed)
    roots = np.exp(2j * np.pi * np.array([pow(5, j, 4 * size) for j in range(size)]) / (4 * size))
    expected = [sum(c * z**k for k, c in enumerate(polynomial)) for z in roots]
    np.testing.assert_allclose(slots(polynomial), expected, atol=1e-9)


@given(st.integers(4, 8).map(lambda k: 1 << k), SEEDS, st.integers(16, 40))
def test_rounding_moves_a_slot_as_much_as_uniform_errors_of_all_coefficients(
    size: int, seed: int, scale_bits: int
) -> None:
    x = row(size, seed)
    off = encoded(x, 2.0**scale_bits) - x
    deviation = np.sqrt(2 * size / 12) / 2.0**scale_bits
    assert np.sqrt(np.mean(np.abs(off) ** 2)) < 2 * deviation


def test_a_mask_whose_coefficients_are_below_a_half_is_lost() -> None:
    """1/8193 in one of 4,096 slots: each of 8,192 coefficients is up to 2^23 / 8193 / 4096 = 0.25."""
    mask = np.zeros(4096)
    mask[0] = 1 / 8193
    assert not encoded(mask, 2.0**23).any()
    kept = encoded(mask, 2.0**34)
    assert abs(kept[0] - mask[0]) < 0.01 * mask[0]


def test_one_number_for_all_slots_is_rounded_by_itself() -> None:
    assert encoded(np.array([0.3]), 8.0).tolist() == [2 / 8]


@given(st.integers(1, 6).map(lambda k: 1 << k), SEEDS)
def test_coefficients_follow_the_definition(size: int, seed: int) -> None:
    """The mean over all roots, those of the conjugate slots too, of x zeta^(-5^j k)."""
    x = row(size, seed)
    roots = np.exp(2j * np.pi * np.array([pow(5, j, 4 * size) for j in range(size)]) / (4 * size))
    expected = [np.mean((x * roots ** (-k)).real) for k in range(2 * size)]
    np.testing.assert_allclose(coefficients(x), expected, atol=1e-9)
