"""Which plain vectors have coefficients in common, against the polynomials themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fheasible.noise.integers.plain_kin import families

T, N = 7681, 64  # T = 1 modulo 2 N
Integers = NDArray[np.int64]
ONE = np.eye(N // 2, dtype=np.int64)
SIGNS = 1 - 2 * (np.arange(N // 2) % 2)


def polynomial(slots: Integers) -> Integers:
    """Modulo T, around 0: by solving for it, from its values at the powers 5^i and -5^i of a root."""
    powers_of = (pow(g, (T - 1) // (2 * N), T) for g in range(2, T))
    root = next(r for r in powers_of if pow(r, N, T) == T - 1)
    places = [pow(5, i, 2 * N) for i in range(N // 2)]
    rows = slots.reshape(-1, N // 2)
    found = np.zeros(N, dtype=np.int64)
    for sign, row in zip((1, -1), (rows[0], rows[-1]), strict=True):
        for place, value in zip(places, row, strict=True):
            powers = [pow(root, -sign * place * k % (2 * N), T) for k in range(N)]
            found = (found + int(value) * np.array(powers)) % T
    found = found * pow(N, -1, T) % T
    return np.where(found > T // 2, found - T, found)


def in_common(x: Integers, y: Integers) -> float:
    """The share of coefficients that are the same, but for the sign, in some rotation of one of them."""
    a = polynomial(x)
    turned = [polynomial(np.roll(y, i)) for i in range(N // 2)]
    return max(float(np.mean((a == b) | (a == -b))) for b in turned)


@pytest.mark.parametrize(
    ("x", "y", "share"),
    [
        (ONE[0], ONE[9], 1.0),  # rotations
        (ONE[3], 1 - ONE[5], 0.9),  # a mask and its complement
        (ONE[16], SIGNS * (np.arange(N // 2) < 17), 0.5),  # x + y and what is half a row on: short periods
        (ONE[3], ONE[3] + SIGNS, 0.9),
        (ONE[0] + ONE[16], ONE[0] - ONE[16], 0.0),
        (ONE[0], ONE[0] + ONE[1], 0.0),
    ],
    ids=["rotated", "complement", "alternating part", "plus a short period", "even and odd", "two and one"],
)
def test_a_family_has_coefficients_in_common(x: Integers, y: Integers, share: float) -> None:
    found = families({0: x, 1: y}, two_rows=False)
    assert found == {0: 0, 1: 0 if share else 1}
    assert in_common(x, y) == pytest.approx(share, abs=0.1)


@given(st.integers(0, 2**32))
def test_random_vectors_have_nothing_in_common(seed: int) -> None:
    x, y = np.random.default_rng(seed).integers(-1000, 1000, (2, N // 2))
    assert families({3: x, 4: y}, two_rows=False) == {3: 3, 4: 4}


@given(st.integers(0, 2**32), st.integers(0, 31), st.integers(-9, 9).filter(bool), st.integers(0, 4))
def test_what_is_rotated_multiplied_and_added_to_a_short_period_is_of_the_family(
    seed: int, turn: int, factor: int, period: int
) -> None:
    draw = np.random.default_rng(seed)
    x = draw.integers(-1000, 1000, N // 2)
    y = factor * np.roll(x, turn) + np.resize(draw.integers(-9, 9, 1 << period), N // 2)
    assert families({0: x, 1: y}, two_rows=False)[1] == 0


def test_families_that_meet_in_one_vector_are_one() -> None:
    """Of the third, half of the coefficients are the first's and a quarter the second's."""
    odd, even = ONE[0] - ONE[16], ONE[0] - ONE[8] + ONE[16] - ONE[24]
    assert families({0: odd, 1: even}, two_rows=False) == {0: 0, 1: 1}
    assert families({0: odd, 1: even, 2: odd + even}, two_rows=False) == {0: 0, 1: 0, 2: 0}


def test_rows_rotate_by_themselves() -> None:
    x = np.concatenate([ONE[0], 0 * ONE[0]])
    assert families({0: x, 1: np.roll(x, N // 2)}, two_rows=True)[1] == 0
    half = np.concatenate([ONE[0], ONE[0]])
    assert families({0: x, 1: half}, two_rows=True)[1] == 1


def test_constants_and_vectors_of_one_slot_are_no_family() -> None:
    assert families({0: np.array([3]), 1: np.array([3]), 2: np.full(8, 2)}, False) == {0: 0, 1: 1, 2: 2}
