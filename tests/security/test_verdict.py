"""Today's verdict on RLWE and NTRU sets: the paper's own, the tables' limits, and one set against many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import UnknownName
from fheasible.security.estimator import estimate
from fheasible.security.ntru import fatigue_log_q
from fheasible.security.tables import GUIDELINES_2024, LEVELS, max_log_q
from fheasible.security.verdict import verdict, verdicts

problems = st.sampled_from(["rlwe", "ntru"])
secrets = st.sampled_from(["ternary", "uniform_ternary", "gaussian", "uniform"])  # and sparse ones, slowly
dimensions = st.integers(10, 17).map(lambda log: 1 << log)
moduli = st.floats(1, 5000) | st.integers(1, 1500).map(float)


def test_the_choice_of_panthers_is_nowhere_near_128_bits_today() -> None:
    # n = 4096: the Guidelines allow 106 bits of modulus at 128.
    fv = verdict("rlwe", 4096, 281)
    assert fv.bits is not None
    assert 45 < fv.bits < 60
    assert fv.standard_bits is None
    assert not fv.overstretched
    assert not fv.reaches(80)
    [warning] = fv.warnings  # the rows of 128 bits: 214 at 2^13, 430 at 2^14
    for figure in (
        "n = 2^12",
        "log2 q = 281",
        f"{int(fv.bits)} bits",
        "at most log2 q = 106",
        "take n >= 2^14",
    ):
        assert figure in warning


@pytest.mark.parametrize(
    ("log_q", "standard"), [(106, 128), (73, 192), (56, 256), (106.5, None), (107, None)]
)
def test_rlwe_at_n_4096_has_the_levels_of_the_guidelines(log_q: float, standard: int | None) -> None:
    given = verdict("rlwe", 4096, log_q)
    assert given.standard_bits == standard
    assert given.reaches(128) is (standard is not None)
    assert (given.warnings == ()) is (standard is not None)


@given(st.integers(10, 17), st.floats(5, 4000), st.sampled_from(["ternary", "gaussian"]), st.booleans())
def test_rlwe_reaches_a_level_exactly_where_the_guidelines_allow_it(
    log_n: int, log_q: float, secret: str, quantum: bool
) -> None:
    given = verdict("rlwe", 1 << log_n, log_q, secret, quantum)
    for level in LEVELS:
        limit = max_log_q(GUIDELINES_2024, 1 << log_n, secret, level, quantum)
        assert (level in given.levels) is (limit is not None)
        if limit is not None:
            assert given.reaches(level) is (log_q <= limit)


@given(st.integers(10, 17), st.floats(5, 4000), st.sampled_from(["ternary", "gaussian"]))
def test_the_estimate_agrees_with_the_guidelines_to_a_bit_at_128(
    log_n: int, log_q: float, secret: str
) -> None:
    """Two sources: the Guidelines' limit for 128 bits, and what the estimator finds there."""
    limit = max_log_q(GUIDELINES_2024, 1 << log_n, secret, 128)
    assert limit is not None
    at = verdict("rlwe", 1 << log_n, limit, secret).bits
    assert at is not None
    assert at > 127.5
    if log_n > 10:  # a bit of modulus is four bits of security there
        assert at < 129.5


def test_yashe_as_panthers_runs_it_is_overstretched_and_next_to_nothing_is_left_of_it() -> None:
    yashe = verdict("ntru", 4096, 300)
    assert yashe.overstretched
    assert yashe.bits is not None
    assert yashe.bits < 45
    assert yashe.standard_bits is None
    assert not yashe.reaches(1)
    [warning] = yashe.warnings  # log2 0.004 + 12 * 2.484 = 21.84
    for figure in ("overstretched", "n = 2^12", "log2 q = 300", "21.8", "Ducas and van Woerden 2021", "RLWE"):
        assert figure in warning
    assert f"about {int(yashe.bits)} bits" in warning


def test_ntru_at_the_limit_of_rlwe_for_128_bits_has_about_70() -> None:
    """[LatticeEstimator] finds 70.7 bits at n = 4096, log2 q = 106 (NTRU.primal_dsd)."""
    assert verdict("ntru", 4096, 106).bits == pytest.approx(70.7, abs=1)


@pytest.mark.parametrize("log_q", range(90, 141, 5))
def test_fntru_as_panthers_runs_it_is_overstretched(log_q: int) -> None:
    fntru = verdict("ntru", 1024, log_q)
    assert fntru.overstretched
    assert "16.9" in fntru.warnings[0]


def test_the_smallest_ring_with_a_small_modulus_has_a_verdict_as_rlwe_and_as_ntru() -> None:
    rlwe = verdict("rlwe", 1024, 40)
    assert rlwe.bits is not None
    assert 75 < rlwe.bits < 90
    assert "take n >= 2^11" in rlwe.warnings[0]
    assert verdict("ntru", 1024, 40).overstretched


@given(st.integers(10, 15), st.floats(0.1, 14))
def test_ntru_below_its_fatigue_point_has_a_figure_below_that_of_rlwe(log_n: int, below: float) -> None:
    """Its keys are narrower than the errors of RLWE."""
    n = 1 << log_n
    log_q = max(fatigue_log_q(n) - below, 2.0)
    given, rlwe = verdict("ntru", n, log_q), verdict("rlwe", n, log_q)
    assert not given.overstretched
    assert given.bits is not None
    assert rlwe.bits is not None
    assert given.bits <= rlwe.bits or rlwe.bits > 300  # where the table tells no more apart
    assert given.standard_bits is None
    assert "no row for NTRU" in given.warnings[0]


@given(dimensions, st.floats(2, 500), st.booleans())
def test_overstretched_ntru_is_never_recommended_whatever_its_figure(
    n: int, log_q: float, quantum: bool
) -> None:
    given = verdict("ntru", n, log_q, quantum=quantum)
    assert given.overstretched is (log_q >= fatigue_log_q(n))
    if given.overstretched:
        assert not given.reaches(1)
        assert "overstretched" in given.warnings[0]


def test_a_gaussian_key_moves_the_fatigue_point() -> None:
    # By log2(3.19^2 / (2/3)) = log2 15.264 = 3.93 bits, from 21.84 to 25.77.
    assert verdict("ntru", 4096, 25).overstretched
    assert not verdict("ntru", 4096, 25, "gaussian").overstretched
    assert verdict("ntru", 4096, 25.8, "gaussian").overstretched


def test_the_remedy_is_the_smallest_ring_for_the_secret_at_hand() -> None:
    # At n = 4096 the Guidelines allow 106 bits for a ternary secret and 108 for a Gaussian one.
    assert "take n >= 2^13" in verdict("rlwe", 4096, 107).warnings[0]
    assert verdict("rlwe", 4096, 107, "gaussian").warnings == ()
    assert "take n >= 2^12" in verdict("rlwe", 2048, 107, "gaussian").warnings[0]


def test_a_modulus_that_no_standard_ring_allows_is_said_to_have_none() -> None:
    # The Guidelines end at n = 2^17 with 3523.
    [warning] = verdict("rlwe", 1 << 17, 3600).warnings
    assert "no ring up to 2^17 is large enough" in warning


@pytest.mark.parametrize("n", [512, 1000, 1 << 18])
def test_a_ring_outside_the_tables_is_estimated_and_said_to_be(n: int) -> None:
    given = verdict("rlwe", n, 10)
    assert given.standard_bits is None
    assert given.levels == ()
    assert given.bits == pytest.approx(float(estimate(n, 10).bits))
    assert any("no row" in warning and "only the estimate counts" in warning for warning in given.warnings)


@pytest.mark.parametrize("secret", ["sparse:192", "sparse_ternary"])
def test_a_sparse_secret_has_a_figure_below_the_dense_one_s(secret: str) -> None:
    given, dense = verdict("rlwe", 32768, 868, secret), verdict("rlwe", 32768, 868)
    assert given.bits is not None
    assert dense.bits is not None
    assert given.bits < dense.bits - 3
    assert given.standard_bits is None
    assert not given.reaches(128)
    assert "no row" in given.warnings[0]


@pytest.mark.parametrize("secret", ["uniform", "unheard-of"])
@pytest.mark.parametrize("problem", ["rlwe", "ntru"])
def test_a_secret_that_nobody_estimates_has_no_figure(problem: str, secret: str) -> None:
    given = verdict(problem, 32768, 20, secret)
    assert given.bits is None
    assert not given.reaches(1)
    assert secret in given.warnings[0]


def test_quantum_attackers_are_named() -> None:
    # Limits at n = 4096: 106 classical, 80 quantum; at n = 8192: 161 quantum.
    assert verdict("rlwe", 4096, 100).warnings == ()
    [warning] = verdict("rlwe", 4096, 100, quantum=True).warnings
    assert "quantum" in warning
    assert "log2 q = 80" in warning
    assert "n >= 2^13" in warning


def test_a_problem_without_an_estimate_is_refused() -> None:
    for ask in (verdict, verdicts):
        with pytest.raises(UnknownName, match="'lwe'") as refused:
            ask("lwe", 1024, 27)
        assert "rlwe or ntru" in refused.value.remedy


@settings(deadline=None)
@given(problems, dimensions, moduli, secrets, st.booleans())
def test_whatever_does_not_reach_128_bits_carries_a_warning(
    problem: str, n: int, log_q: float, secret: str, quantum: bool
) -> None:
    given = verdict(problem, n, log_q, secret, quantum)
    assert given.reaches(128) or given.warnings
    assert (given.bits is None) == (secret == "uniform")


@settings(deadline=None, max_examples=40)
@given(problems, st.lists(st.tuples(dimensions, moduli), max_size=10), secrets, st.booleans())
def test_many_sets_are_judged_as_each_of_them(
    problem: str, sets: list[tuple[int, float]], secret: str, quantum: bool
) -> None:
    each = [verdict(problem, n, log_q, secret, quantum) for n, log_q in sets]
    many = verdicts(problem, [n for n, _ in sets], [log_q for _, log_q in sets], secret, quantum)
    expected = np.array([np.nan if v.bits is None else v.bits for v in each])
    np.testing.assert_array_equal(many.bits, expected)
    assert many.overstretched.tolist() == [v.overstretched for v in each]
    assert many.standard_bits.tolist() == [v.standard_bits or 0 for v in each]
    for wanted in (1, 80, 128, 192):
        assert many.reaches(wanted).tolist() == [v.reaches(wanted) for v in each]


@pytest.mark.parametrize("problem", ["rlwe", "ntru"])
def test_rings_and_moduli_broadcast_to_a_grid(problem: str) -> None:
    n, log_q = np.array([[1024], [4096], [16384]]), np.array([10.0, 20.0, 100.0, 281.0])
    grid = verdicts(problem, n, log_q)
    assert grid.bits.shape == grid.overstretched.shape == (3, 4)
    one = verdict(problem, 4096, 20.0)
    assert grid.bits[1, 1] == one.bits
    assert verdicts(problem, 4096, 20).bits == one.bits


@pytest.mark.parametrize("problem", ["rlwe", "ntru"])
def test_errors_that_algebra_breaks_have_no_figure(problem: str) -> None:
    given = verdict(problem, 4096, 20, sigma=0.01)
    assert given.bits is None
    assert given.standard_bits is None
    assert not given.reaches(1)
    assert "0.01 < 1" in given.warnings[0]
    assert verdict(problem, 4096, 20, sigma=0.01, bits=200.0) == given


def test_errors_narrower_than_those_of_the_tables_are_estimated() -> None:
    narrow, usual, wide = (verdict("rlwe", 4096, 100, sigma=sigma) for sigma in (2.0, 3.2, 100.0))
    assert (narrow.standard_bits, usual.standard_bits, wide.standard_bits) == (None, 128, 128)
    assert narrow.bits is not None
    assert usual.bits is not None
    assert wide.bits is not None
    assert narrow.bits < usual.bits < wide.bits
    assert "width 2 < 3.19" in narrow.warnings[0]


def test_errors_wider_than_those_of_the_tables_may_exceed_their_limits() -> None:
    """A ring of TFHE: n = 2048, q = 2^64, errors of 2^13; the Guidelines' 53 bits are for a width of 3.19."""
    usual, wide, wider = (verdict("rlwe", 2048, 64, sigma=sigma) for sigma in (3.2, 100.0, 8192.0))
    assert not usual.reaches(128)
    assert not wide.reaches(128)
    assert wider.reaches(128)
    assert (wider.standard_bits, wider.levels) == (None, ())
    assert "errors of width 8192 with so large a modulus" in wider.warnings[0]
    assert len(wider.warnings) == 1
    assert "the estimate allows at most log2 q = 58" in wide.warnings[1]
    assert len(verdict("rlwe", 2048, 50, sigma=100.0).warnings) == 0


def test_narrow_errors_overstretch_nothing_less() -> None:
    assert verdict("ntru", 4096, 300, sigma=0.01).overstretched
    many = verdicts("ntru", 4096, np.array([20, 20, 300]), sigma=np.array([3.2, 0.5, 0.5]))
    assert np.isnan(many.bits).tolist() == [False, True, True]
    assert many.overstretched.tolist() == [False, False, True]


def test_another_estimate_s_figure_is_judged_in_place_of_the_default_one_s() -> None:
    given = verdict("rlwe", 1000, 10, bits=90.4)
    assert given.bits == 90.4
    assert not given.reaches(128)
    assert "about 90 bits" in given.warnings[-1]
