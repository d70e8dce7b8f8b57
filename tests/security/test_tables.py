"""The security tables against figures that are known from elsewhere, and against each other."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.security.tables import (
    GUIDELINES_2024,
    LEVELS,
    OPENFHE,
    STANDARD_2018,
    SecurityTable,
    max_log_q,
    min_ring_dimension,
    standard_bits,
)

TABLES = (GUIDELINES_2024, STANDARD_2018, OPENFHE)
ALL = [(table, n, secret) for table in TABLES for n in (1 << k for k in range(10, 18))
       for secret in ("ternary", "gaussian")]  # fmt: skip
secrets = st.sampled_from(["ternary", "gaussian"])
dimensions = st.integers(8, 19).map(lambda log: 1 << log)


def test_seal_enforces_the_ternary_rows_of_2018() -> None:
    # SEAL's CoeffModulus::MaxBitCount at tc128, tc192 and tc256.
    limits = {
        128: [27, 54, 109, 218, 438, 881],
        192: [19, 37, 75, 152, 305, 611],
        256: [14, 29, 58, 118, 237, 476],
    }
    for level, row in limits.items():
        assert [max_log_q(STANDARD_2018, 1 << k, "ternary", level) for k in range(10, 16)] == row
        assert max_log_q(STANDARD_2018, 1 << 16, "ternary", level) is None


def test_more_security_never_allows_a_larger_modulus() -> None:
    for (table, n, secret), quantum in product(ALL, (False, True)):
        limits = [max_log_q(table, n, secret, level, quantum) for level in LEVELS]
        known = [limit for limit in limits if limit is not None]
        assert known == sorted(set(known), reverse=True), (table.name, n, secret, quantum)


def test_quantum_attackers_never_allow_a_larger_modulus() -> None:
    for (table, n, secret), level in product(ALL, LEVELS):
        classical, quantum = (max_log_q(table, n, secret, level, attacker) for attacker in (False, True))
        assert classical is None or quantum is None or quantum <= classical, (table.name, n, secret, level)


def test_doubling_the_ring_about_doubles_the_modulus() -> None:
    for (table, n, secret), level, quantum in product(ALL, LEVELS, (False, True)):
        here, there = (max_log_q(table, dimension, secret, level, quantum) for dimension in (n, 2 * n))
        if here is not None and there is not None:  # small limits are coarse
            assert 1.8 < there / here < 2.2, (table.name, n, secret, level, quantum)


def test_the_guidelines_are_never_laxer_than_what_the_libraries_enforce() -> None:
    for n in (1 << k for k in range(10, 18)):
        for secret in ("ternary", "gaussian"):
            for level in LEVELS:
                ours = max_log_q(GUIDELINES_2024, n, secret, level)
                theirs = max_log_q(OPENFHE, n, secret, level)
                assert ours is None or (theirs is not None and ours <= theirs)


@given(st.sampled_from(TABLES), st.floats(10, 4000), secrets, st.sampled_from(LEVELS), st.booleans())
def test_the_smallest_ring_dimension_is_the_smallest(
    table: SecurityTable, log_q: float, secret: str, level: int, quantum: bool
) -> None:
    n = min_ring_dimension(table, log_q, secret, level, quantum)
    limits = {1 << k: max_log_q(table, 1 << k, secret, level, quantum) for k in range(10, 18)}
    enough = [m for m, limit in limits.items() if limit is not None and log_q <= limit]
    assert n == min(enough, default=None)


def test_a_secret_that_the_table_does_not_treat_is_not_called_secure() -> None:
    for secret in ("sparse_ternary", "sparse:192", "unheard-of"):
        assert max_log_q(GUIDELINES_2024, 32768, secret, 128) is None
        assert min_ring_dimension(GUIDELINES_2024, 100, secret, 128) is None
        assert standard_bits(32768, 100, secret) is None


def test_openfhe_judges_a_sparse_secret_as_ternary() -> None:
    assert max_log_q(OPENFHE, 32768, "sparse_ternary", 128) == max_log_q(
        OPENFHE, 32768, "uniform_ternary", 128
    )


@pytest.mark.parametrize(("n", "log_q", "level"), [(32768, 868, 128), (32768, 868.01, None), (4096, 73, 192),
                                                   (16384, 230, 256), (1000, 10, None)])  # fmt: skip
def test_standard_bits_is_the_highest_level_reached(n: int, log_q: float, level: int | None) -> None:
    assert standard_bits(n, log_q, "ternary") == level
