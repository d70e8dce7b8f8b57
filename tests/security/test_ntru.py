"""The fatigue point of NTRU against hand arithmetic and the sets that its authors and others judge."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.security.ntru import TERNARY_VARIANCE, fatigue_log_q, key_variance, overstretched

dimensions = st.integers(9, 17).map(lambda log: 1 << log)


# By hand: log2 0.004 = 2 - log2 1000 = 2 - 9.96578 = -7.96578, plus 2.484 for each doubling of n.
@pytest.mark.parametrize(
    ("log_n", "expected"), [(9, 14.39022), (10, 16.87422), (11, 19.35822), (12, 21.84222), (15, 29.29422)]
)
def test_the_fatigue_point_is_the_formula_worked_by_hand(log_n: int, expected: float) -> None:
    assert fatigue_log_q(1 << log_n) == pytest.approx(expected, abs=1e-5)


# q of the four parameter sets of the NTRU submission to NIST (round 3), all meant to lie below the point.
@pytest.mark.parametrize(("n", "log_q"), [(509, 11), (677, 11), (701, 13), (821, 12)])
def test_the_finalist_of_the_nist_contest_is_not_overstretched(n: int, log_q: int) -> None:
    assert not overstretched(n, log_q)


# YASHE at n = 4096 and F-NTRU at n = 1024, as PAnTHErS explores them.
@pytest.mark.parametrize(("n", "log_q"), [(4096, 300), (4096, 350), (4096, 100), (1024, 90), (1024, 140)])
def test_the_sets_of_panthers_are_overstretched(n: int, log_q: int) -> None:
    assert overstretched(n, log_q)


@given(dimensions)
def test_doubling_n_moves_the_point_by_the_exponent(n: int) -> None:
    assert fatigue_log_q(2 * n) - fatigue_log_q(n) == pytest.approx(2.484)


@given(dimensions, st.floats(0.1, 1e4), st.floats(1.1, 100))
def test_q_at_the_point_is_proportional_to_the_variance_of_the_key(
    n: int, variance: float, more: float
) -> None:
    moved = fatigue_log_q(n, variance * more) - fatigue_log_q(n, variance)
    assert moved == pytest.approx(log2(more))


@given(dimensions, st.floats(0.1, 1e4))
def test_the_fit_of_hough_sandsbraten_and_silde_is_a_twentieth_of_a_bit_away(n: int, variance: float) -> None:
    theirs = log2(0.0058 * variance) + 2.484 * log2(n)
    assert abs(fatigue_log_q(n, variance) - theirs) < 0.05  # 0.006 against 0.0058


def test_a_larger_modulus_or_a_smaller_ring_never_leaves_the_regime() -> None:
    n, log_q = np.meshgrid(2 ** np.arange(8, 18), np.linspace(1, 60, 60), indexing="ij")
    broken = overstretched(n, log_q)
    assert (np.diff(broken.astype(int), axis=1) >= 0).all()
    assert (np.diff(broken.astype(int), axis=0) <= 0).all()
    assert broken.any()
    assert not broken.all()


@given(st.lists(st.tuples(dimensions, st.floats(1, 500)), min_size=1, max_size=20))
def test_arrays_are_judged_as_their_elements(sets: list[tuple[int, float]]) -> None:
    n, log_q = np.array([s[0] for s in sets]), np.array([s[1] for s in sets])
    assert overstretched(n, log_q).tolist() == [bool(overstretched(*s)) for s in sets]
    assert fatigue_log_q(n).tolist() == pytest.approx([fatigue_log_q(int(k)) for k in n])


def test_the_point_itself_is_overstretched() -> None:
    point = fatigue_log_q(2048)
    assert overstretched(2048, point)
    assert not overstretched(2048, point - 1e-9)


def test_a_ternary_coefficient_has_variance_two_thirds() -> None:
    assert np.var([-1, 0, 1]) == pytest.approx(TERNARY_VARIANCE)
    for secret in ("ternary", "uniform_ternary", "unheard-of"):
        assert key_variance(secret, [1024, 4096]) == pytest.approx([TERNARY_VARIANCE] * 2)
    assert key_variance("gaussian", 1024) == pytest.approx(10.1761)  # 3.19 squared
    assert key_variance("sparse:64", [1024, 4096]) == pytest.approx([1 / 16, 1 / 64])
