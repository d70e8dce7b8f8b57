"""The rule of 2017 against the paper that used it and against today's tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters
from fheasible.security.published import CAP, LIMITS, allowed_log_q, label, smallest_ring
from fheasible.security.tables import GUIDELINES_2024, max_log_q

levels = st.sampled_from(sorted(LIMITS))
RINGS = (512, 1024, 2048, 4096)


def test_the_choice_of_panthers_follows_from_the_rule() -> None:
    # Section IV: "If log2(q) = 281, then n must have 2^12 as a value to ensure 80-bit security [11]."
    assert smallest_ring(281, 80) == 4096
    assert allowed_log_q(4096, 80) == 348


@pytest.mark.parametrize(
    ("bits", "log_q", "n"),
    [(80, 46, 512), (80, 46.5, 1024), (80, 88, 1024), (80, 174, 2048), (80, 175, 4096), (80, 348, 4096),
     (128, 30, 512), (128, 31, 1024), (128, 58, 1024), (128, 112, 2048), (128, 113, 4096), (128, 222, 4096)],
)  # fmt: skip
def test_a_row_ends_with_its_limit(bits: int, log_q: float, n: int) -> None:
    assert smallest_ring(log_q, bits) == n


def test_the_sets_of_panthers_for_fntru_break_its_own_rule() -> None:
    # Section IV takes n = 2^10 and log2 q = 90 ... 140; the rule stops at 88 there, and asks for 2^11.
    assert allowed_log_q(1024, 80) == 88
    assert {smallest_ring(log_q, 80) for log_q in range(90, 141, 5)} == {2048}


@given(levels, st.floats(1, 400))
def test_the_smallest_ring_is_the_smallest_that_allows_the_modulus(bits: int, log_q: float) -> None:
    enough = [n for n in RINGS if log_q <= (allowed_log_q(n, bits) or 0)]
    if enough:
        assert smallest_ring(log_q, bits) == enough[0]
    else:
        with pytest.raises(InfeasibleParameters, match="rule of 2017"):
            smallest_ring(log_q, bits)


@pytest.mark.parametrize("n", [0, 1, 256, 1000, 4095, CAP, 1 << 14])
def test_the_rule_has_no_limit_outside_its_rows(n: int) -> None:
    assert allowed_log_q(n, 80) is None


@pytest.mark.parametrize("n", RINGS)
def test_more_bits_allow_a_smaller_modulus(n: int) -> None:
    assert (allowed_log_q(n, 128) or 0) < (allowed_log_q(n, 80) or 0)


@pytest.mark.parametrize("n", [1024, 2048, 4096])
def test_the_rule_of_2017_promises_128_bits_for_moduli_that_today_deny_them(n: int) -> None:
    today, then = max_log_q(GUIDELINES_2024, n, "ternary", 128), allowed_log_q(n, 128)
    assert today is not None
    assert then is not None
    assert then > 1.9 * today if n > 1024 else then > today


def test_levels_without_a_row_are_refused() -> None:
    for ask in (lambda: smallest_ring(50, 100), lambda: allowed_log_q(1024, 100), lambda: label(256)):
        with pytest.raises(InfeasibleParameters, match="no row") as refused:
            ask()
        assert refused.value.remedy == "choose 80 or 128"


def test_the_end_of_the_table_names_its_limit_and_the_remedy() -> None:
    with pytest.raises(InfeasibleParameters, match="350 is beyond 348") as refused:
        smallest_ring(350, 80)
    assert "348" in refused.value.remedy


def test_a_level_is_named_as_history() -> None:
    assert label(80) == "80 bits by the rule of 2017"
