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
from fheasible.security.tabulation import CASES, cases, line

LOW, HIGH = 0.55, 0.1  # bits that the table may lie below the estimator's figures, and above them
BETWEEN = 2.0  # and below them at weights between those of the table
TABULATED = (32, 64, 128, 192, 384)
LINES = tuple(cases())
rings = st.sampled_from(RINGS)
lines = st.sampled_from(LINES)
attackers = pytest.mark.parametrize("quantum", [False, True])


def sparse(weight: int, quantum: bool = False) -> LookupCase:
    return LookupCase(RLWE, f"sparse:{weight}", quantum)


def assert_near(case: LookupCase, n: int, log_q: np.ndarray, low: float = LOW) -> None:
    exact = estimated(case, np.full_like(log_q, n), log_q)
    off = exact - security_bits(n, log_q, case.secret, SIGMA, case.quantum, case.problem)
    matters = (exact >= 80) & (exact <= 256)
    assert off[matters].size
    assert off[matters].max() <= low
    assert off[exact <= 280].min() >= -HIGH


@pytest.mark.parametrize("n", [1 << 10, 1 << 12, 1 << 15, 1 << 17])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_table_errs_low_and_by_little(case: LookupCase, n: int) -> None:
    known = lookup._lines(case)[n].log_q
    rng = np.random.default_rng(n)
    assert_near(case, n, np.exp(rng.uniform(np.log(known[0]), np.log(known[-1]), 200)))


@pytest.mark.long
@attackers
@pytest.mark.parametrize("weight", [32, 192])
def test_the_table_of_sparse_secrets_errs_low_and_by_little(weight: int, quantum: bool) -> None:
    assert_near(sparse(weight, quantum), 1 << 14, np.linspace(60.0, 500.0, 12))


@pytest.mark.long
@pytest.mark.parametrize("weight", [36, 112, 320, 700, 5000, 9000])
def test_between_the_weights_of_the_table_its_figures_are_lower(weight: int) -> None:
    assert_near(sparse(weight), 1 << 14, np.linspace(80.0, 500.0, 12), BETWEEN)


@pytest.mark.slow
@pytest.mark.parametrize("n", RINGS)
@attackers
@pytest.mark.parametrize("weight", TABULATED)
def test_the_table_of_sparse_secrets_errs_low_and_by_little_everywhere(
    weight: int, quantum: bool, n: int
) -> None:
    known = lookup._lines(sparse(weight, quantum))[n].log_q
    rng = np.random.default_rng(n)
    low = 1.0 if n == 1024 else LOW  # there a bit of modulus is ten bits of security
    assert_near(sparse(weight, quantum), n, np.exp(rng.uniform(np.log(known[0]), np.log(known[-1]), 50)), low)


@pytest.mark.slow
@pytest.mark.parametrize("n", RINGS)
@attackers
def test_between_weights_the_figures_are_lower_everywhere(quantum: bool, n: int) -> None:
    rng = np.random.default_rng(n)
    for weight in rng.integers(32, 2 * n // 3, 6).tolist():
        assert_near(sparse(weight, quantum), n, n * rng.uniform(0.004, 0.03, 20), BETWEEN)


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
    for case, n in LINES:
        assert n in lookup._lines(case)


@given(lines, st.floats(1, 20_000), st.floats(0, 1000))
def test_a_larger_modulus_is_never_more_secure(of: tuple[LookupCase, int], log_q: float, more: float) -> None:
    case, n = of
    bits = security_bits(n, [log_q, log_q + more], case.secret, SIGMA, case.quantum, case.problem)
    assert bits[1] <= bits[0]


@given(lines.filter(lambda of: of[1] < RINGS[-1]), st.floats(1, 20_000))
def test_a_larger_ring_is_never_less_secure(of: tuple[LookupCase, int], log_q: float) -> None:
    """But where the table tells no more apart (some 300 bits), or where all is lost."""
    case, n = of
    bits = security_bits([n, 2 * n], log_q, case.secret, SIGMA, case.quantum, case.problem)
    assert bits[1] >= bits[0] - 2 * LOW or bits.min() > 290 or bits.max() < 50


@given(rings, st.floats(8, 20_000), st.booleans(), st.data())
def test_a_sparser_secret_is_never_harder(n: int, log_q: float, quantum: bool, data: st.DataObject) -> None:
    weight = data.draw(st.integers(32, 2 * n // 3))
    heavier = data.draw(st.integers(weight, 2 * n // 3))
    names = f"sparse:{weight}", f"sparse:{heavier}", "ternary"
    sparse, more, ternary = (security_bits(n, log_q, name, quantum=quantum) for name in names)
    assert sparse <= more <= ternary


@given(rings, st.floats(8, 20_000), st.booleans())
def test_a_weight_of_two_thirds_is_as_hard_as_a_ternary_secret(n: int, log_q: float, quantum: bool) -> None:
    fixed, ternary = (
        security_bits(n, log_q, s, quantum=quantum) for s in (f"sparse:{2 * n // 3}", "ternary")
    )
    assert ternary - 1 <= fixed <= ternary


@pytest.mark.parametrize("weight", [1, 16, 31])
def test_weights_below_the_table_s_are_estimated(weight: int) -> None:
    exact = estimate(2048, 40.0, f"sparse:{weight}").bits
    assert security_bits(2048, 40.0, f"sparse:{weight}") == pytest.approx(float(exact))


def test_the_secrets_of_bootstrapping_are_judged_without_the_estimator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the estimator was asked")

    monkeypatch.setattr(lookup, "estimated", refused)
    for secret, log_q in (
        ("sparse:32", 121.0),
        ("sparse:192", 1546.0),
        ("sparse:32768", 1793.0),
        ("sparse:100", 500.0),
    ):
        assert 100 < security_bits(1 << 16, log_q, secret) < 300


def test_a_weight_that_small_rings_cannot_have_finds_its_ring() -> None:
    assert smallest_ring(1700, "sparse:32768", 128) == 1 << 16
    assert smallest_ring(20, "sparse:32768", 128) == 1 << 15
    assert smallest_ring(20, "sparse:200000", 128) is None


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
