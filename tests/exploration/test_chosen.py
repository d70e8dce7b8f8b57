"""Candidates of requests that the user makes."""

from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError
from fheasible.exploration.judging.chosen import OURS, chosen, degrees_from, request_from, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import request_for

from .apps import problem, real, whole

LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]


def test_settings_become_a_request() -> None:
    given = {
        "scale_bits": "45", "first-bits": "60", "technique": "FLEXIBLEAUTO", "special_bits": "60,60",
        "digits": "none", "ring_dimension": "16384",
    }  # fmt: skip
    assert request_from("ckks", given, 192) == request_for(
        "ckks", 0, 192, scale_bits=45, first_bits=60, technique="flexibleauto", special_bits=(60, 60),
        ring_dimension=16384,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["y", "2", "classical", "", "None"])
def test_what_is_neither_true_nor_false_is_no_boolean(text: str) -> None:
    """Taken for false, it would ask for less security than was meant."""
    with pytest.raises(UsageError, match="neither true nor false"):
        request_from("ckks", {"quantum": text}, 128)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("on", True), ("TRUE", True), ("yes", True), ("1", True), ("off", False), ("0", False)],
)
def test_the_usual_words_are_booleans(text: str, meant: bool) -> None:
    assert request_from("ckks", {"quantum": text}, 128).quantum is meant


def test_security_may_be_set_or_switched_off_among_the_settings() -> None:
    assert request_from("bgv", {"security": "none"}, 128).security is None
    assert request_from("bgv", {"security": "256"}, 128).security == 256
    assert request_from("bgv", {"quantum": "true"}, 128).quantum
    assert request_from("bgv", {}, 128, quantum=True).quantum


@pytest.mark.parametrize("key", ["scale", "depth", "scheme", "prime_bit", ""])
def test_an_unknown_key_is_refused_with_those_that_there_are(key: str) -> None:
    with pytest.raises(UsageError, match=repr(key)) as caught:
        request_from("ckks", {key: "1"}, 128)
    assert "scale_bits" in caught.value.remedy
    assert "prime_bits" in caught.value.remedy


@pytest.mark.parametrize(
    ("scheme", "key", "value"),
    [("ckks", "plain-modulus", "65537"), ("ckks", "eval_add_count", "0"), ("bfv", "noise_estimate", "none")],
)
def test_a_key_of_other_schemes_is_refused_with_those_of_this_one(scheme: str, key: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"{scheme.upper()} has no parameter {key!r}") as caught:
        request_from(scheme, {key: value}, 128)
    assert "scale_bits" in caught.value.remedy
    assert "spare_levels" in caught.value.remedy
    assert key.replace("-", "_") not in caught.value.remedy


@pytest.mark.parametrize(
    ("key", "value"),
    [("scale_bits", "many"), ("digits", "2.5"), ("prime_bits", "60,x"), ("prime_bits", "60;50")],
)
def test_a_value_of_another_type_is_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"{key}=.*is not") as caught:
        request_from("ckks", {key: value}, 128)
    assert key in caught.value.remedy


def test_what_the_library_does_not_take_is_an_error_of_usage() -> None:
    with pytest.raises(UsageError, match="digits"):
        chosen(problem(whole), CATALOGUE["seal"], request_from("bgv", {"digits": "3"}, 128), None)


def test_what_the_library_refuses_is_infeasible() -> None:
    request = request_from("ckks", {"ring_dimension": "1024"}, 128)
    with pytest.raises(InfeasibleParameters):
        chosen(problem(real), CATALOGUE["lattigo"], request, None)


@pytest.mark.parametrize("library", CATALOGUE)
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_real_numbers_are_refused_by_schemes_of_integers(library: str, scheme: str) -> None:
    with pytest.raises(UnsupportedOperation, match="real numbers"):
        chosen(problem(real), CATALOGUE[library], request_from(scheme, {}, 128), None)


def test_integers_that_wrap_around_are_refused_by_ckks() -> None:
    @fh.app(x=fh.integers(4, modulo=65537))
    def plus_one(x: fh.Vector) -> fh.Vector:
        return x + 1

    with pytest.raises(UnsupportedOperation, match="wraps around modulo 65537") as caught:
        chosen(problem(plus_one), CATALOGUE["seal"], request_from("ckks", {}, 128), None)
    assert "bgv, bfv" in caught.value.remedy


def test_values_beyond_the_modulus_of_ckks_are_infeasible() -> None:
    @fh.app(x=fh.reals(4, low=0, high=1))
    def thousands(x: fh.Vector) -> fh.Vector:
        return x * x * 4096.0

    asked = Problem(thousands.trace(), {"x": np.ones(4)}, "by hand")
    settings = {"scale_bits": "40", "first_bits": "45", "ring_dimension": "8192"}
    with pytest.raises(InfeasibleParameters, match="remaining modulus"):
        chosen(asked, CATALOGUE["seal"], request_from("ckks", settings, None), None)
    roomy = request_from("ckks", settings | {"first_bits": "60"}, None)
    assert chosen(asked, CATALOGUE["seal"], roomy, None).estimate.precision_bits is not None


@pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
def test_defaults_make_a_candidate(library: str, scheme: str) -> None:
    asked = problem(real if scheme == "ckks" else whole)
    c = chosen(asked, CATALOGUE[library], request_from(scheme, {}, 128), None)
    assert (c.library, c.scheme, c.estimate.standard_bits is not None) == (library, scheme, True)
    assert (c.estimate.precision_bits is None) == (scheme != "ckks")
    if scheme != "ckks":
        assert c.parameters.plain_modulus == asked.plain_modulus(c.parameters.ring_dimension)


@pytest.mark.parametrize("library", CATALOGUE)
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_a_users_own_modulus_needs_to_batch_in_the_ring_that_is_picked_alone(
    library: str, scheme: str
) -> None:
    @fh.app(x=fh.integers(4, modulo=65537))
    def plus_one(x: fh.Vector) -> fh.Vector:
        return x + 1

    c = chosen(problem(plus_one), CATALOGUE[library], request_from(scheme, {}, 128), None)
    assert c.parameters.plain_modulus == 65537  # 1 modulo 2N up to N = 2^15
    assert c.parameters.ring_dimension <= 2**15


@fh.app(x=fh.reals(8, low=0.5, high=1))
def two_roots(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(x, low=0.5, high=1) + fh.exp(x, low=0.5, high=1)


def test_degrees_are_taken_from_the_settings_or_follow_from_the_precision() -> None:
    asked = problem(two_roots)
    assert degrees_from(asked, "63,7", bits(10)) == (63, 7)
    assert degrees_from(asked, None, bits(10)) == asked.degrees_to_try(bits(10))[-1]
    assert degrees_from(problem(real), None, bits(10)) == ()


@pytest.mark.parametrize("text", ["63", "63,7,7", "0,7", "63,4096", "63,x", "63,", "-1,7", "1.5,7", ""])
def test_anything_but_a_degree_for_each_open_approximation_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="sqrt, exp") as caught:
        degrees_from(problem(two_roots), text, bits(10))
    assert "degree=63,63" in caught.value.remedy


def test_a_degree_is_refused_where_none_is_open() -> None:
    with pytest.raises(UsageError, match="leaves no degree open"):
        degrees_from(problem(real), "63", bits(10))


@fh.app(x=fh.integers(5, low=0, high=1000))
def unlike(x: fh.Vector) -> fh.Vector:
    """Its comparison is an approximation of open degree in CKKS alone."""
    return fh.sum(x != 452)


def test_schemes_of_integers_have_no_degrees() -> None:
    asked = problem(unlike)
    assert shape_from(asked, {}, bits(10), "ckks").degrees
    shape = shape_from(asked, {}, bits(10), "bfv")
    request = request_from("bfv", {"ring_dimension": "32768"}, None)
    c = chosen(asked, CATALOGUE["seal"], request, None, shape)
    assert (shape.degrees, c.degrees, c.rounded) == ((), (), False)
    with pytest.raises(UsageError, match="BFV computes exactly"):
        shape_from(asked, {"degree": "7"}, bits(10), "bfv")


@pytest.mark.parametrize("library", CATALOGUE)
def test_the_shown_degrees_make_the_candidate_again(library: str) -> None:
    asked = problem(two_roots)
    found = explore(asked, Wish(precision=bits(12)), [replace(CATALOGUE[library], schemes=("ckks",))], {})
    assert found.best is not None
    shown = {k: v for k, v in found.best.settings.items() if k not in ("depth", "security")}
    typed = {k: ",".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in shown.items()}
    shape = shape_from(asked, {"degree": typed.pop("degree")}, bits(1), "ckks")
    again = chosen(asked, CATALOGUE[library], request_from("ckks", typed, 128), None, shape)
    assert again.program is found.best.program
    assert again.estimate == found.best.estimate


@pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
def test_the_shown_request_of_a_candidate_makes_it_again(library: str, scheme: str) -> None:
    asked = problem(real if scheme == "ckks" else whole)
    found = explore(asked, Wish(precision=bits(8)), [CATALOGUE[library]], {})
    of_scheme = [c for c in found.candidates if c.scheme == scheme]
    for c in of_scheme[:: max(len(of_scheme) // 8, 1)]:
        shown = {k: v for k, v in c.settings.items() if k not in ("depth", "security")}
        typed = {k: ",".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in shown.items()}
        typed["ring_dimension"] = str(c.parameters.ring_dimension)
        shape = shape_from(asked, {k: typed.pop(k) for k in OURS if k in typed}, bits(8), scheme)
        again = chosen(asked, CATALOGUE[library], request_from(scheme, typed, 128), None, shape)
        assert again.parameters.q == c.parameters.q
        assert again.parameters.p == c.parameters.p
        assert scheme != "ckks" or again.parameters.scales == c.parameters.scales
        assert again.estimate == c.estimate


@pytest.mark.parametrize(
    "name", ["security", "quantum", "ring_dimension", "plain_modulus", "prime_bits", "secret"]
)
def test_an_empty_value_turns_nothing_off(name: str) -> None:
    with pytest.raises(UsageError):
        request_from("bfv", {name: ""}, 128)
