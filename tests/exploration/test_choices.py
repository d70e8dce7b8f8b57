"""What the recommended set would be with one thing changed: judged anew, and told in its own numbers."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.estimation.estimate import cpu_seconds
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen
from fheasible.exploration.judging.judge import Judge, Rejection
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.choices import alternatives, choice_gains, choice_of, seconds_by_action
from fheasible.exploration.reasons.relaxing import relaxing
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import SWITCHING

from .apps import power, problem, whole

ALL = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]


@cache
def made(scheme: str) -> Problem:
    return problem(power if scheme == "ckks" else whole)


USUAL = Wish(precision=bits(15))


@cache
def found(library: str, scheme: str = "ckks", wish: Wish = USUAL) -> Exploration:
    one, profile = replace(CATALOGUE[library], schemes=(scheme,)), default_profile(library)
    assert profile is not None
    return explore(made(scheme), wish, [one], {library: profile})


def shipped(library: str) -> dict[str, Profile]:
    profile = default_profile(library)
    return {} if profile is None else {library: profile}


def best(e: Exploration) -> Candidate:
    assert e.best is not None
    return e.best


def least_memory(e: Exploration) -> int:
    return min(c.estimate.peak_bytes for c in e.candidates)


@pytest.mark.parametrize(("library", "scheme"), ALL)
def test_the_choice_of_a_candidate_leads_to_it_again(library: str, scheme: str) -> None:
    e, profile = found(library, scheme), default_profile(library)
    one = best(e)
    again = Judge(e.problem, CATALOGUE[library], scheme, e.wish, profile)(choice_of(one))
    assert isinstance(again, Candidate)
    assert (again.parameters.q, again.parameters.p) == (one.parameters.q, one.parameters.p)
    assert again.estimate.cpu_seconds == pytest.approx(one.estimate.cpu_seconds)


@pytest.mark.parametrize("library", ["lattigo", "openfhe"])
def test_neighbours_in_key_switching_have_one_digit_or_special_prime_less_and_more(library: str) -> None:
    e = found(library)
    own = len(best(e).parameters.p) if library == "lattigo" else best(e).parameters.digits
    changed = [a for a in alternatives(e, best(e), None) if a.what in ("digits", "special primes")]
    assert changed
    assert len({a.other < own for a in changed}) == len(changed) <= 2
    for a in changed:
        assert a.chosen == own
        if isinstance(a.verdict, Candidate):
            p = a.verdict.parameters
            assert (len(p.p) if library == "lattigo" else p.digits) == a.other


def test_what_special_primes_buy_is_told_in_numbers_that_the_library_confirms() -> None:
    e, profile = found("lattigo"), default_profile("lattigo")
    assert profile is not None
    one = best(e)
    (text,) = [s for s in choice_gains(e, one, profile) if "special prime" in s.split(".")[0]]
    own = len(one.request.special_bits or ())
    assert text.startswith(f"It uses {own} special prime")
    (more,) = [a for a in alternatives(e, one, profile) if a.what == "special primes" and a.other > own]
    assert isinstance(more.verdict, Candidate)
    other = chosen(e.problem, CATALOGUE["lattigo"], more.verdict.request, profile)
    assert len(other.parameters.p) == own + 1
    theirs, ours = (f"{c.parameters.log_qp:.0f}" for c in (other, one))
    assert f"With {own + 1}, log2 QP would be {theirs} instead of {ours}" in text
    assert other.estimate.cpu_seconds is not None
    assert one.estimate.cpu_seconds is not None
    ratio = other.estimate.cpu_seconds["total"] / one.estimate.cpu_seconds["total"]
    if other.parameters.ring_dimension == one.parameters.ring_dimension:
        change = round(100 * (ratio - 1))
        words = "the same for all" if abs(ratio - 1) < 0.005 else f"{abs(change)}% "
        assert words in text.split("would take")[-1]
    else:
        assert f"{ratio:.2f} times the time" in text


def test_five_bits_more_of_scale_are_told_with_what_they_give() -> None:
    e = found("seal")
    one = best(e)
    (text,) = [s for s in choice_gains(e, one, default_profile("seal")) if s.startswith("A scale of")]
    scale = one.request.scale_bits or 0
    (special,) = one.request.special_bits or (None,)
    larger = replace(
        one.request, scale_bits=scale + 5, first_bits=min((one.request.first_bits or 0) + 5, 60),
        special_bits=special and (special + 5,), ring_dimension=None,
    )  # fmt: skip
    other = chosen(e.problem, CATALOGUE["seal"], larger, None)
    assert f"{scale + 5} bits instead of {scale}" in text
    assert f"{other.estimate.precision_bits:.1f} bits of precision instead of" in text
    assert f"{one.estimate.precision_bits:.1f}" in text


def test_every_technique_is_told_at_its_best_or_with_its_reason() -> None:
    e = found("openfhe")
    one = best(e)
    (text,) = [s for s in choice_gains(e, one, default_profile("openfhe")) if s.startswith("Technique")]
    for technique in CATALOGUE["openfhe"].techniques:
        assert technique in text
    for technique in set(CATALOGUE["openfhe"].techniques) - {one.parameters.technique}:
        first = next((c for c in e.candidates if c.parameters.technique == technique), None)
        if first is not None:
            ratio = first.cost("time") / one.cost("time")
            assert f"{technique} would take {ratio:.2f} times the time" in text


@pytest.mark.parametrize(("library", "scheme"), ALL)
def test_the_parts_of_evaluation_add_up_to_it(library: str, scheme: str) -> None:
    one, profile = best(found(library, scheme)), default_profile(library)
    assert profile is not None
    parts = seconds_by_action(one, profile)
    whole_time = cpu_seconds(one.program, one.parameters, profile)["evaluate"]
    assert sum(parts.values()) == pytest.approx(whole_time)
    assert any(parts[action] > 0 for action in SWITCHING)


def test_precision_that_binds_is_told_with_what_less_of_it_would_win() -> None:
    e = found("lattigo", wish=Wish(precision=bits(24)))
    said = relaxing(e, best(e), shipped("lattigo"))
    less = best(found("lattigo", wish=Wish(precision=bits(19))))
    ratio = less.cost("time") / best(e).cost("time")
    assert said[0].startswith("With precision >= 19 bits instead of 24, ")
    if ratio <= 0.97:
        assert f"{ratio:.2f} times the time would be enough" in said[0]
        assert f"log2 QP = {less.parameters.log_qp:.0f}" in said[0]
        assert f"a scale of {less.request.scale_bits} bits" in said[0]
    else:
        assert said[0].endswith("would be gained in any library or scheme: this constraint does not bind.")
        won = "nothing" if ratio > 0.9995 else f"no more than {1 - ratio:.1%}"
        assert f", {won} would be gained" in said[0]


def test_a_limit_of_memory_that_binds_is_told_and_one_that_does_not_is_too() -> None:
    name = next(n for n in CATALOGUE if least_memory(found(n)) < best(found(n)).estimate.peak_bytes)
    free, profile = found(name), shipped(name)
    tight = found(name, wish=replace(USUAL, max_bytes=least_memory(free) + 1))
    (said,) = [s for s in relaxing(tight, best(tight), profile) if "of memory" in s]
    ratio = best(free).cost("time") / best(tight).cost("time")
    assert f"{ratio:.2f} times the time would be enough" in said or (ratio > 0.97 and "does not bind" in said)
    loose = found(name, wish=replace(USUAL, max_bytes=1 << 40))
    (said,) = [s for s in relaxing(loose, best(loose), profile) if "of memory" in s]
    assert said.endswith("does not bind.")


def test_lower_security_is_told_only_where_there_is_a_lower_level() -> None:
    profile = shipped("seal")
    assert not any("security" in s for s in relaxing(found("seal"), best(found("seal")), profile))
    strict = found("seal", wish=Wish(256, precision=bits(15)))
    (said,) = [s for s in relaxing(strict, best(strict), profile) if "security" in s]
    assert "security >= 192 bits instead of 256" in said


def test_a_reason_stands_where_an_alternative_cannot_be() -> None:
    verdicts = [
        a.verdict for e in (found("lattigo"), found("openfhe")) for a in alternatives(e, best(e), None)
    ]
    for verdict in verdicts:
        if isinstance(verdict, Rejection):
            assert verdict.reason


def test_where_something_else_shall_be_small_an_alternative_is_told_in_that_too() -> None:
    e, profile = found("openfhe", wish=replace(USUAL, objective="memory")), default_profile("openfhe")
    one = best(e)
    (text,) = [s for s in choice_gains(e, one, profile) if s.startswith("Technique")]
    told = 0
    for technique in CATALOGUE["openfhe"].techniques:
        other = next((c for c in e.candidates if c.parameters.technique == technique), None)
        if technique == one.parameters.technique or other is None:
            continue
        time, memory = (other.cost(what) / one.cost(what) for what in ("time", "memory"))
        assert f"{technique} would take {time:.2f} times the time and {memory:.2f} times the memory" in text
        assert memory >= 1
        told += 1
    assert told


def test_without_a_profile_work_is_compared_and_no_time() -> None:
    e = explore(made("ckks"), USUAL, [replace(CATALOGUE["openfhe"], schemes=("ckks",))], {})
    said = [*choice_gains(e, best(e), None), *relaxing(e, best(e), {})]
    assert any("times the work" in s for s in said)
    assert not any("time" in s.replace("times", "") for s in said)


def test_more_scale_than_approximations_allow_is_told_with_what_bounds_it_then() -> None:
    circuit = tanh_of.trace()
    deep = Problem(circuit, random_data(circuit, 1), "random data (seed 1)")
    profile = default_profile("lattigo")
    assert profile is not None
    one = replace(CATALOGUE["lattigo"], schemes=("ckks",))
    e = explore(deep, Wish(precision=bits(7.5)), [one], {"lattigo": profile})
    (text,) = [s for s in choice_gains(e, best(e), profile) if s.startswith("A scale of")]
    assert "approximation would then limit it" in text


@fh.app(x=fh.reals(64, low=-4, high=4))
def tanh_of(x: fh.Vector) -> fh.Vector:
    return fh.approximate(np.tanh, -4, 4, degree=15)(x)
