"""The table of security against the estimator that it is made of, and the rule that decides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UnknownName
from fheasible.security import lookup
from fheasible.security.estimator import estimate
from fheasible.security.lookup import (
    NTRU,
    RINGS,
    RLWE,
    LookupCase,
    allowed_log_q,
    estimated,
    security_bits,
    smallest_ring,
)
from fheasible.security.ntru import fatigue_log_q
from fheasible.security.tables import GUIDELINES_2024, LEVELS, SIGMA, max_log_q
from fheasible.security.tabulation import CASES, line

LOW, HIGH = 0.55, 0.1  # bits that the table may lie below the estimator's figures, and above them
DENSE = [case for case in CASES if not case.secret.startswith("sparse")]
SPARSE = [case for case in CASES if case.secret.startswith("sparse")]
rings = st.sampled_from(RINGS)
cases = st.sampled_from(CASES)


def assert_near(case: LookupCase, n: int, log_q: np.ndarray, low: float = LOW) -> None:
    exact = estimated(case, np.full_like(log_q, n), log_q)
    off = exact - security_bits(n, log_q, case.secret, SIGMA, case.quantum, case.problem)
    matters = (exact >= 80) & (exact <= 256)
    assert off[matters].size
    assert off[matters].max() <= low
    assert off[exact <= 280].min() >= -HIGH


@pytest.mark.parametrize("n", [1 << 10, 1 << 12, 1 << 15, 1 << 17])
@pytest.mark.parametrize("case", DENSE, ids=lambda case: case.name)
def test_the_table_errs_low_and_by_little(case: LookupCase, n: int) -> None:
    known = lookup._lines(case)[n].log_q
    rng = np.random.default_rng(n)
    assert_near(case, n, np.exp(rng.uniform(np.log(known[0]), np.log(known[-1]), 200)))


@pytest.mark.long
@pytest.mark.parametrize("case", SPARSE, ids=lambda case: case.name)
def test_the_table_of_sparse_secrets_errs_low_and_by_little(case: LookupCase) -> None:
    n = 1 << 14
    assert_near(case, n, np.linspace(240.0, 500.0, 12))


@pytest.mark.slow
@pytest.mark.parametrize("n", RINGS)
@pytest.mark.parametrize("case", SPARSE, ids=lambda case: case.name)
def test_the_table_of_sparse_secrets_errs_low_and_by_little_everywhere(case: LookupCase, n: int) -> None:
    known = lookup._lines(case)[n].log_q
    rng = np.random.default_rng(n)
    low = 0.8 if n == 1024 else LOW  # there a bit of modulus is ten bits of security
    assert_near(case, n, np.exp(rng.uniform(np.log(known[0]), np.log(known[-1]), 100)), low)


@pytest.mark.long
def test_a_part_made_anew_is_what_is_kept() -> None:
    """The kept table is the one that the estimator of today makes."""
    case = LookupCase(RLWE, "ternary", False)
    kept, anew = lookup._lines(case)[1 << 12], line(case, 1 << 12)
    np.testing.assert_allclose(anew.log_q, kept.log_q)
    np.testing.assert_allclose(anew.bits, kept.bits, atol=0.011)


def test_every_case_and_ring_is_there() -> None:
    for case in CASES:
        assert sorted(lookup._lines(case)) == list(RINGS)


@given(cases, rings, st.floats(1, 20_000), st.floats(0, 1000))
def test_a_larger_modulus_is_never_more_secure(case: LookupCase, n: int, log_q: float, more: float) -> None:
    bits = security_bits(n, [log_q, log_q + more], case.secret, SIGMA, case.quantum, case.problem)
    assert bits[1] <= bits[0]


@given(cases, st.sampled_from(RINGS[:-1]), st.floats(1, 20_000))
def test_a_larger_ring_is_never_less_secure(case: LookupCase, n: int, log_q: float) -> None:
    """But where the table tells no more apart (some 300 bits), or where all is lost."""
    bits = security_bits([n, 2 * n], log_q, case.secret, SIGMA, case.quantum, case.problem)
    assert bits[1] >= bits[0] - 2 * LOW or bits.min() > 290 or bits.max() < 50


@given(rings, st.floats(1, 20_000), st.booleans())
def test_a_sparser_secret_is_never_harder(n: int, log_q: float, quantum: bool) -> None:
    sparse, ternary = (security_bits(n, log_q, s, quantum=quantum) for s in ("sparse:192", "ternary"))
    assert sparse <= ternary + 2 * LOW or n == 1024 or ternary > 290  # 192 of 1024 is hardly sparse


@pytest.mark.parametrize(
    ("secret", "sigma"), [*(("ternary", s) for s in (1.0, 3.2, 12.0, 1000.0)), ("sparse:192", 12.0)]
)
def test_other_errors_are_carried_over_to_the_table_s(secret: str, sigma: float) -> None:
    """What is hard depends on q / sigma alone, the secret being scaled with it; the estimator confirms it."""
    log_q = np.array([100.0, 200.0, 300.0]) if secret == "ternary" else np.array([180.0])
    off = estimate(8192, log_q, secret, sigma).bits - security_bits(8192, log_q, secret, sigma)
    assert off.min() >= -HIGH - 0.05
    assert off.max() <= LOW + 0.05


@pytest.mark.parametrize("sigma", [1.0, 2.0, 30.0])
def test_a_gaussian_secret_of_another_width_is_never_overrated(sigma: float) -> None:
    exact = float(estimate(4096, 100, "gaussian", sigma).bits)
    assert security_bits(4096, 100.0, "gaussian", sigma) <= exact + HIGH


def test_wider_errors_are_allowed_a_larger_modulus_in_proportion() -> None:
    assert allowed_log_q(2048, "ternary", 128, sigma=3.2) == 53
    assert allowed_log_q(2048, "ternary", 128, sigma=3.3) >= 53
    assert allowed_log_q(2048, "ternary", 128, sigma=8192.0) == pytest.approx(53 + 11.33, abs=0.4)
    rings = [smallest_ring(64, "ternary", 128, sigma=sigma) for sigma in (3.19, 3.2, 100.0, 8192.0)]
    assert rings == [4096, 4096, 4096, 2048]


@pytest.mark.parametrize("n", [512, 1000, 3000])
def test_rings_outside_the_table_are_estimated(n: int) -> None:
    assert security_bits(n, 20.0) == pytest.approx(float(estimate(n, 20.0).bits))


def test_arrays_are_read_as_their_elements() -> None:
    n, log_q = np.array([[1024], [1000], [32768]]), np.array([20.0, 500.0, 5000.0])
    many = security_bits(n, log_q)
    assert many.shape == (3, 3)
    for i, j in np.ndindex(3, 3):
        assert many[i, j] == pytest.approx(security_bits(int(n[i, 0]), float(log_q[j])))


@given(rings, st.sampled_from(["ternary", "gaussian"]), st.sampled_from(LEVELS), st.booleans())
def test_where_the_guidelines_have_a_row_it_decides(n: int, secret: str, level: int, quantum: bool) -> None:
    limit = max_log_q(GUIDELINES_2024, n, secret, level, quantum)
    allowed = allowed_log_q(n, secret, level, quantum)
    if limit is not None:
        assert allowed == limit
    else:
        assert security_bits(n, allowed, secret, quantum=quantum) >= level


@settings(deadline=None)
@given(rings, st.sampled_from(LEVELS), st.booleans(), st.sampled_from([RLWE, NTRU]))
def test_elsewhere_the_estimate_decides(n: int, level: int, quantum: bool, problem: str) -> None:
    secret = "ternary" if problem == NTRU else "sparse:192"
    allowed = allowed_log_q(n, secret, level, quantum, problem=problem)
    at, beyond = (
        security_bits(n, log_q, secret, quantum=quantum, problem=problem)
        for log_q in (allowed, allowed + n / 2**17)
    )
    assert at >= level
    fatigue = problem == NTRU and allowed == fatigue_log_q(n)
    assert beyond < level or fatigue


def test_the_limit_of_a_sparse_secret_is_below_the_dense_one_s() -> None:
    for level in LEVELS:
        assert allowed_log_q(32768, "sparse_ternary", level) < allowed_log_q(32768, "ternary", level)


def test_a_ring_that_no_modulus_saves_is_allowed_none() -> None:
    assert allowed_log_q(64, "ternary", 128) < 2
    assert smallest_ring(1e5, "ternary", 128) is None


@given(st.floats(10, 4000), st.sampled_from(["ternary", "sparse:192"]), st.sampled_from(LEVELS))
def test_the_smallest_ring_is_the_smallest(log_q: float, secret: str, level: int) -> None:
    enough = [n for n in RINGS if log_q <= allowed_log_q(n, secret, level)]
    assert smallest_ring(log_q, secret, level) == min(enough, default=None)


def test_what_is_not_estimated_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownName, match="'sis'"):
        security_bits(1024, 20.0, problem="sis")
    with pytest.raises(UnknownName, match="'unheard-of'"):
        security_bits(1024, 20.0, "unheard-of")
    with pytest.raises(InfeasibleParameters):
        security_bits(1024, -1.0)
    with pytest.raises(InfeasibleParameters):
        security_bits(0, 20.0)
