"""The search among libraries of table look-ups: what is recommended keeps what was asked, and says why."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.api.asking import problem_of
from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.exploration.lookups.chosen import chosen
from fheasible.exploration.lookups.encodings import encoded, encodings
from fheasible.exploration.lookups.reasons import explain
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups, once
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.noise.tfhe.program import failures
from fheasible.program.lookup_values import computed

LIBRARY = LOOKUP_LIBRARIES["tfhe_rs"]
SHIPPED = "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"


@fh.app(age=fh.integers(3, low=0, high=31), pay=fh.integers(3, low=0, high=15))
def older(age: fh.Vector, pay: fh.Vector) -> fh.Vector:
    return fh.sum(fh.where(age > 9, pay, 0))


@pytest.fixture(scope="module")
def problem() -> Problem:
    return problem_of(older, None, 0)


def searched(problem: Problem, wish: Wish) -> LookupExploration:
    return explore_lookups(problem, wish, [LIBRARY], {})


@pytest.fixture(scope="module")
def found(problem: Problem) -> LookupExploration:
    return searched(problem, Wish())


def test_every_encoding_computes_the_cleartext_result(problem: Problem) -> None:
    ways, reason = encoded(problem, Wish().least)
    assert reason == ""
    assert {way.encoding.modulus for way in ways} == {e.modulus for e in encodings()}
    for way in ways:
        result = computed(way.program, dict(problem.data))
        assert np.array_equal(result["result"], problem.truth["result"]), way.encoding


def test_candidates_keep_what_was_asked(found: LookupExploration) -> None:
    assert found.feasible >= len(found.candidates) > 3
    scores = [c.figures["score"] for c in found.candidates]
    assert scores == sorted(scores)
    for c in found.candidates:
        assert c.estimate.security_bits >= 128
        assert c.estimate.log2_failure <= -40
        whole = failures(c.encoded.program, c.parameters)  # of the program itself, element by element
        assert c.estimate.log2_failure == pytest.approx(whole.program, abs=1e-6)
        assert c.parameters.plaintext_modulus == c.encoded.encoding.modulus


def test_a_set_of_our_own_is_best_and_the_reasons_compare_it_with_a_shipped_one(
    found: LookupExploration,
) -> None:
    assert found.best is not None
    assert found.best.name == ""
    assert any(c.name for c in found.candidates)
    said = " ".join(explain(found, {}))
    assert "table look-up" in said
    assert "TFHE-rs ships" in said


def test_rarer_failures_leave_fewer_sets(problem: Problem, found: LookupExploration) -> None:
    rare = searched(problem, Wish(failure=128))
    assert all(c.estimate.log2_failure <= -128 for c in rare.candidates)
    assert not any(c.name for c in rare.candidates if c.estimate.log2_failure > -128)
    assert rare.best is not None
    assert found.best is not None
    assert rare.best.figures["score"] > found.best.figures["score"]


def test_what_does_not_fit_has_a_reason_with_figures(problem: Problem) -> None:
    keys = searched(problem, Wish(max_key_bytes=1 << 20)).rejected[0].reason
    assert "MiB for all keys, but only 1 MiB are allowed" in keys
    assert "MiB at the peak" in searched(problem, Wish(max_bytes=1 << 20)).rejected[0].reason


def test_a_named_set_of_the_user_is_judged_alone(problem: Problem) -> None:
    c = chosen(problem, LIBRARY, None, {"set": SHIPPED.lower()}, Wish(), None)
    assert c.name == SHIPPED
    assert (c.encoded.encoding.message, c.encoded.encoding.carry) == (4, 4)
    assert c.settings == {"message": 4, "carry": 4, "set": SHIPPED}


def test_the_settings_of_a_candidate_give_that_candidate(problem: Problem, found: LookupExploration) -> None:
    assert found.best is not None
    typed = {name: str(value) for name, value in found.best.settings.items()}
    again = chosen(problem, LIBRARY, None, typed, Wish(), None)
    assert again.parameters == found.best.parameters
    assert again.estimate == found.best.estimate


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"set": "nothing"}, UnknownName, "no set of parameters named 'nothing'"),
        ({"lwe_dimension": "700"}, UsageError, "also needs glwe_dimension"),
        ({"scale_bits": "50"}, UsageError, "no parameter 'scale_bits'"),
        ({"set": SHIPPED, "message": "3"}, UsageError, "message=3 is not a power of two"),
        ({"set": SHIPPED, "message": "x"}, UsageError, "message='x' is not a whole number"),
        ({"set": SHIPPED, "message": "4", "carry": "64"}, UsageError, "ciphertexts of this set hold 16"),
        ({"set": SHIPPED, "lwe_dimension": "700"}, UsageError, "gives all parameters"),
        ({"set": SHIPPED, "fraction": "8"}, UsageError, "computes on integers"),
        ({"set": SHIPPED, "fraction": "49"}, UsageError, "not a whole number from 0 to 48"),
        ({"lwe_gaussian": "2"}, UsageError, "is not a standard deviation"),
        ({"order": "sideways"}, UsageError, "order='sideways' is unknown"),
    ],
)
def test_bad_settings_are_refused_with_what_is_possible(
    problem: Problem, settings: dict[str, str], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        chosen(problem, LIBRARY, None, settings, Wish(), None)


def test_what_a_library_cannot_run_is_refused(problem: Problem, found: LookupExploration) -> None:
    assert found.best is not None
    typed = {name: str(value) for name, value in found.best.settings.items()}
    with pytest.raises(InfeasibleParameters, match="cannot run with this set"):
        chosen(problem, LIBRARY, None, typed | {"lwe_dimension": "701", "grouping": "2"}, Wish(), None)


BINFHE = LOOKUP_LIBRARIES["binfhe"]


def test_binfhe_is_searched_by_bootstrap_and_keeps_what_was_asked(problem: Problem) -> None:
    found = explore_lookups(problem, Wish(), [BINFHE], {})
    assert {c.scheme for c in found.candidates} == {"ginx", "ap", "lmkcdey"}
    for c in found.candidates:
        assert c.estimate.security_bits >= 128
        assert c.estimate.log2_failure <= -40
        whole = failures(c.encoded.program, c.parameters, None)
        assert c.estimate.log2_failure == pytest.approx(whole.program, abs=1e-6)
        assert c.settings["set"] == c.name
    said = " ".join(explain(found, {}))
    assert "of dimension 680 and 2,048" in said


def test_sets_that_today_s_estimate_finds_weaker_than_their_names_are_left_out_and_named(
    problem: Problem,
) -> None:
    gates = replace(BINFHE, named={k: s for k, s in BINFHE.named.items() if s.name.startswith("STD128_4")})
    found = explore_lookups(problem, Wish(), [gates], {})
    assert found.best is None
    reasons = {r.scheme: r.reason for r in found.rejected}
    assert reasons["ginx"] == (
        "its set nearest to 128 bits of security, STD128_4/GINX, has 124 bits by today's estimate"
    )
    said = explain(explore_lookups(problem, Wish(), [BINFHE], {}), {})
    left_out = [s for s in said if "left out" in s]
    assert len(left_out) == 1
    assert "16 sets that BinFHE names for 128 bits have 124 by today's estimate" in left_out[0]
    assert "(124 to 125 without dual attacks, which are disputed)" in left_out[0]
    assert "STD128/GINX, STD128/AP, " in left_out[0]
    assert "--library binfhe --param set=STD128/GINX runs one of them" in left_out[0]
    assert not any("left out" in s for s in explain(searched(problem, Wish()), {}))
    hopeless = explore_lookups(problem, Wish(failure=500), [BINFHE], {})
    assert hopeless.best is None
    assert explain(hopeless, {}) == left_out  # where nothing fits, they are what a user can still take


def test_how_often_something_fails_is_said_without_a_sign() -> None:
    assert [once(bits) for bits in (-41.3, -7.25, 0.0)] == ["2^41", "2^7.2", "2^0.0"]


def test_the_settings_of_a_set_of_binfhe_give_that_set(problem: Problem) -> None:
    c = chosen(problem, BINFHE, None, {"set": "std128_4"}, Wish(), None)
    assert (c.name, c.encoded.encoding.modulus) == ("STD128_4/GINX", 4)
    more = chosen(problem, BINFHE, None, {"set": "STD128_4/GINX", "message": "2", "carry": "4"}, Wish(), None)
    assert more.encoded.encoding.modulus == 8
    with pytest.raises(UsageError, match="ciphertexts of this set hold 16"):
        chosen(problem, BINFHE, None, {"set": "STD128_4", "message": "8", "carry": "8"}, Wish(), None)
    with pytest.raises(UsageError, match="runs with its own sets alone"):
        chosen(problem, BINFHE, None, {"lwe_dimension": "700"}, Wish(), None)
