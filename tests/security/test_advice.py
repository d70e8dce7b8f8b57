"""Sentences for users: every figure in them is computed, and follows the set."""

import re

import pytest

from fheasible.security.advice import ATTACKS, enforced, overstated, plain_words
from fheasible.security.asked import AskedSecurity
from fheasible.security.attacks.ntru import DENSE
from fheasible.security.estimator import ATTACKS as ESTIMATED
from fheasible.security.estimator import estimate
from fheasible.security.tables import LEVELS, OPENFHE, SIGMA, max_log_q


def words(asked: AskedSecurity, bits: float = 126.0, attack: str = "bdd") -> str:
    return " ".join(plain_words(asked, bits, attack, 321, 31_740, "matzov"))


def test_both_standards_are_named_with_what_each_says() -> None:
    said = enforced("openfhe", 128, 192, 181.2)
    assert "OpenFHE itself enforces a table that mixes two standards" in said
    assert "calls this 192-bit secure" in said
    assert "Guidelines of 2024 call it 128-bit secure" in said
    assert "181 bits" in said
    assert "standard of 2018" in enforced("seal", None, 128, 125.0)
    assert "less than 128-bit secure" in enforced("seal", None, 128, 125.0)


def test_where_both_say_the_same_it_is_said_once() -> None:
    said = enforced("openfhe", 128, 128, 140.0)
    assert said.count("128-bit secure") == 1
    assert "140" not in said


def test_where_no_table_has_a_level_none_is_said_to_choose() -> None:
    said = enforced("openfhe", None, None, 134.1)
    assert "Neither" in said
    assert "134 bits" in said
    assert "chooses" not in said


def test_a_library_without_a_table_is_said_to_enforce_none() -> None:
    said = enforced("lattigo", 192, None, 200.0)
    assert "enforces no table" in said
    assert "192-bit secure" in said


@pytest.mark.long
def test_how_far_a_library_s_levels_are_off_is_what_the_estimator_finds_at_its_limits() -> None:
    for level, told in zip(LEVELS, numbers(overstated("openfhe")), strict=True):
        gaps = [
            level - float(estimate(1 << k, limit, secret).bits)
            for k in range(10, 18)
            for secret in ("ternary", "gaussian")
            if (limit := max_log_q(OPENFHE, 1 << k, secret, level)) is not None
        ]
        assert told == pytest.approx(max(gaps), abs=1.0)  # the table errs low by half a bit, and is rounded
    assert max(numbers(overstated("openfhe"))) == 14


def numbers(said: str) -> list[int]:
    """'up to 3, 12 and 14 bits less than ...'."""
    found = re.search(r"up to ([\d, and]+) bits less", said)
    assert found
    return [int(word) for word in re.findall(r"\d+", found[1])]


def test_the_table_of_2018_has_no_rows_above_its_own() -> None:
    assert numbers(overstated("seal")) == numbers(overstated("openfhe"))  # their worst rows are the same


def test_the_attack_s_work_is_told_in_years() -> None:
    # 2^126 operations at 10^18 = 2^59.8 a second, and 2^24.9 seconds a year: 2^41.3 years.
    said = words(AskedSecurity("rlwe", 16384, 438))
    assert "about 2^126 operations" in said
    assert "2^41 years" in said
    assert "about 2^125.9 operations" in words(AskedSecurity("rlwe", 16384, 438), 125.97)  # never rounded up
    assert "less than two years" in words(AskedSecurity("ntru", 4096, 109), 68.8, "dsd")


def test_every_attack_has_words_for_it() -> None:
    assert {*ESTIMATED, DENSE} <= set(ATTACKS)
    assert "trying every secret" in words(AskedSecurity("rlwe", 64, 2), 40.0, "exhaustive")
    assert "blocks" not in " ".join(
        plain_words(AskedSecurity("rlwe", 64, 2), 40.0, "exhaustive", 0, 0, "matzov")
    )


def test_the_block_is_priced_by_the_model() -> None:
    said = words(AskedSecurity("rlwe", 16384, 438))
    assert "dimension 31,740 with block size 321" in said
    # ten more, of which 0.64 come for free, at 0.2961 bit [MATZOV22, Ducas18]
    assert "a block size larger by ten costs the attacker 2.8 more bits" in said


def test_the_stricter_rule_is_named_with_all_limits() -> None:
    said = words(AskedSecurity("rlwe", 16384, 438))
    for figure in (
        "log2 q <= 430",
        "OpenFHE's own table allows 438",
        "SEAL's own table allows 438",
        "stricter",
        "QP",
    ):
        assert figure in said
    equal = words(AskedSecurity("rlwe", 65536, 1747))  # OpenFHE's rows of 2024, and none of SEAL
    assert "OpenFHE's own table allows 1747" in equal
    assert "SEAL's own table" not in equal
    assert "stricter" not in equal


def test_the_remedy_is_the_smallest_ring_or_the_largest_modulus() -> None:
    assert "For 128 bits, take n >= 2^15 for this log2 q or log2 q <= 430 at this n" in words(
        AskedSecurity("rlwe", 16384, 438)
    )
    assert "For 192 bits, take n >= 2^15 for this log2 q or log2 q <= 297 at this n" in words(
        AskedSecurity("rlwe", 16384, 430)
    )
    assert "bits take" not in words(AskedSecurity("rlwe", 16384, 100), 500.0)
    assert "no ring up to 2^17" in words(AskedSecurity("rlwe", 64, 1e5), 40.0)


def test_ntru_is_advised_to_stay_below_its_fatigue_point() -> None:
    said = words(AskedSecurity("ntru", 4096, 109), 68.8, "dsd")
    assert "log2 q <= 21.8 at this n" in said
    assert "no row" in said
    assert "dense sublattice" in said


@pytest.mark.parametrize(
    "asked", [AskedSecurity("rlwe", 16384, 438, sigma=2.0), AskedSecurity("rlwe", 16384, 438, "sparse:192")]
)
def test_where_the_guidelines_are_silent_the_estimate_decides(asked: AskedSecurity) -> None:
    assert "no row for this set, so that the estimate decides" in words(asked)


def test_a_library_that_promises_more_than_the_estimate_is_named_with_the_difference() -> None:
    said = words(AskedSecurity("rlwe", 16384, 438), 125.9)
    assert said.count("2.1 bits less") == 2  # OpenFHE and SEAL
    assert "bits less" not in words(AskedSecurity("rlwe", 16384, 430), 128.3)
    assert AskedSecurity("rlwe", 16384, 438).library_bits() == {"openfhe": 128, "seal": 128}
    assert AskedSecurity("rlwe", 16384, 438, sigma=SIGMA / 2).library_bits() == {
        "openfhe": None,
        "seal": None,
    }


def test_seal_s_table_knows_ternary_secrets_and_classical_attackers_alone() -> None:
    assert AskedSecurity("rlwe", 16384, 411, quantum=True).library_bits() == {"openfhe": 128, "seal": None}
    assert AskedSecurity("rlwe", 16384, 438, "gaussian").library_bits() == {"openfhe": 128, "seal": None}
    said = enforced("seal", 128, None, 130.0, quantum=True)
    assert "against classical attackers only" in said
    assert "128-bit secure against quantum attackers" in said
