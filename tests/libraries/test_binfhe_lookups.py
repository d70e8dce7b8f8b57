"""BinFHE as a library of table look-ups: its sets by name, what it refuses, and its work."""

from dataclasses import replace

import pytest

from fheasible.errors import UnknownName
from fheasible.libraries.lookup_library import LookupTask
from fheasible.libraries.openfhe.lookups import BINFHE
from fheasible.schemes.fhew.parameters import METHODS, FhewParameters
from fheasible.schemes.fhew.rotation import automorphisms


def named(name: str) -> FhewParameters:
    p = BINFHE.named_set(name).parameters
    assert isinstance(p, FhewParameters)
    return p


def test_each_set_is_there_for_each_bootstrap_that_it_was_made_for() -> None:
    assert {s.scheme for s in BINFHE.named.values()} == set(METHODS) == set(BINFHE.schemes)
    assert [s.name for s in BINFHE.named.values() if s.name.startswith("STD128_LMKCDEY")] == [
        "STD128_LMKCDEY/LMKCDEY"
    ]
    for s in BINFHE.named.values():
        assert BINFHE.refusal(s.scheme, s.parameters) == ""


def test_a_name_without_a_bootstrap_means_the_first_that_the_set_has() -> None:
    assert BINFHE.named_set("std128").name == "STD128/GINX"
    assert BINFHE.named_set("STD128_lmkcdey").name == "STD128_LMKCDEY/LMKCDEY"
    assert BINFHE.named_set("std128/ap").name == "STD128/AP"
    lmkcdey = replace(BINFHE, schemes=("lmkcdey",))
    assert lmkcdey.named_set("STD128").name == "STD128/LMKCDEY"
    with pytest.raises(UnknownName, match="no set of parameters named 'STD129'"):
        BINFHE.named_set("STD129")


def test_levels_of_security_are_those_of_the_names() -> None:
    promised = {name: BINFHE.named_set(name).promised_bits for name in ("STD192Q_4", "STD256", "MEDIUM")}
    assert promised == {"STD192Q_4": 192, "STD256": 256, "MEDIUM": None}


def test_ciphertexts_hold_four_values_and_more_where_q_has_room() -> None:
    small, large = named("STD128/GINX"), named("STD192/GINX")
    assert [v for v in range(64) if BINFHE.holds(small, v)] == [4, 8, 16]
    assert [v for v in range(64) if BINFHE.holds(large, v)] == [4, 8, 16, 32]
    assert BINFHE.most_values(large) == 32
    wrong = replace(small, message_modulus=3)
    assert "holds a power of two of values, 4 to 16" in BINFHE.refusal("ginx", wrong)
    other = replace(named("STD128_LMKCDEY"), method="ginx")
    assert BINFHE.refusal("ginx", other) == "STD128_LMKCDEY is no set for GINX"


def test_a_look_up_is_a_rotation_and_a_key_switch() -> None:
    """By hand for TOY: 64 steps of 2 + 4 transforms of 512 / 2 * 9 butterflies; 6 digits of 512 numbers."""
    found = BINFHE.work(LookupTask.LOOKUP, "ginx", named("TOY/GINX"))
    assert found["butterflies/4"] == 64 * 6 * 256 * 9
    assert found["switch_adds/4"] == 512 * 6 * 65
    assert found["steps/4"] == 64 * 512
    assert found["files"] == 1
    rotation = BINFHE.parts("ginx", named("TOY/GINX"))["rotation"]
    assert set(found) - set(rotation) == {"switch_adds/4", "files"}
    turned = BINFHE.work(LookupTask.LOOKUP, "lmkcdey", named("TOY/LMKCDEY"))["steps/4"]
    assert turned == pytest.approx(512 * (64 + automorphisms(64, 512, 9)))


def test_sets_for_functions_have_no_gate_to_time_a_rotation_with() -> None:
    assert BINFHE.parts("ginx", named("TOY/GINX/Q12")) == {}
    assert BINFHE.worker_parameters("ginx", named("TOY/GINX/Q12"))["log_q"] == 12
    assert named("TOY/GINX/Q12").set.q == 4096


def test_rotations_are_told_with_the_digits_of_each_base() -> None:
    told = BINFHE.rotation(named("STD128/GINX"))
    digits = "3 digits of 7 bits in 303 of them and 2 digits of 9 bits in 251 of them"
    assert told == f"n = 554 steps with N = 2^10, and {digits}"


def test_calibration_takes_sets_of_each_bootstrap_and_both_words() -> None:
    samples = BINFHE.samples()
    assert {scheme for scheme, _ in samples} == set(METHODS)
    assert {p.set.word for _, p in samples} == {4, 8}
    assert sum(BINFHE.memory(scheme, p).keys for scheme, p in samples) < 3.5 * 2**30
