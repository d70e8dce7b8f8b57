"""Where an offset of all coefficients sits, against the polynomial itself."""

import numpy as np
import pytest

from fheasible.noise.shape import MEAN_SHARE, RARE_OFFSETS, shape


@pytest.mark.parametrize("slots", [1, 2, 8, 64, 1024])
def test_it_is_the_square_of_the_polynomial_of_ones_in_the_slots(slots: int) -> None:
    n = 2 * slots
    roots = np.exp(1j * np.pi * np.array([pow(5, j, 2 * n) for j in range(slots)]) / n)
    values = np.abs(np.polynomial.polynomial.polyval(roots, np.ones(n))) ** 2
    np.testing.assert_allclose(shape(slots), values / values.mean(), rtol=1e-6)


def test_two_thirds_of_its_square_are_in_the_mean_of_its_coefficients() -> None:
    for slots in (64, 4096):
        assert np.sum((shape(slots) / slots) ** 2) == pytest.approx(MEAN_SHARE, rel=1e-3)


def test_nearly_all_of_it_is_in_slot_0() -> None:
    found = shape(4096)
    assert found.mean() == pytest.approx(1)
    assert found[0] / found.sum() == pytest.approx(8 / np.pi**2, rel=1e-3)


@pytest.mark.long
def test_one_key_in_a_thousand_makes_its_square_so_much_larger() -> None:
    shares = np.sort(shape(4096))[::-1][:64] / shape(4096).sum()
    keys = np.random.default_rng(3).exponential(size=(400_000, 64)) @ shares
    assert (keys > RARE_OFFSETS).mean() == pytest.approx(0.001, rel=0.2)
