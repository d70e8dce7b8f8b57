"""Pins among table look-ups."""

from dataclasses import replace

import pytest

import fheasible as fh
from fheasible.api.asking import problem_of
from fheasible.errors import UsageError
from fheasible.exploration.lookups.pinning import excluded, pins_from
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES

TFHE_RS = [LOOKUP_LIBRARIES["tfhe_rs"]]
SHIPPED = "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"


@fh.app(x=fh.integers(2, low=0, high=15), y=fh.integers(2, low=0, high=15))
def larger(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.maximum(x, y)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return problem_of(larger, None, 0)


def searched(problem: Problem, **pins: str) -> LookupExploration:
    wish = replace(Wish(), pins=pins_from(pins, TFHE_RS))
    return explore_lookups(problem, wish, TFHE_RS, {})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("message", "4", 4), ("carry", "8", 8), ("set", SHIPPED.lower(), SHIPPED), ("grouping", "2", 2)],
)
def test_all_sets_have_the_pinned_value(problem: Problem, name: str, text: str, value: object) -> None:
    found = searched(problem, **{name: text})
    assert found.candidates
    for c in found.candidates:
        own = {"set": c.name} | c.settings | c.parameters.to_json()
        assert own[name] == value


def test_pins_that_exclude_everything_are_named(problem: Problem) -> None:
    found = searched(problem, message="4", lwe_dimension="1")
    assert found.best is None
    (rejected,) = found.rejected
    assert rejected.reason == "no set that is searched has message=4 and lwe_dimension=1"
    (sentence,) = excluded(found, TFHE_RS, {})
    assert sentence.startswith("lwe_dimension=1 excludes everything that fits. Without it, TFHE-rs TFHE with")
    assert sentence.endswith("message 4, carry 1 fits.") or "message 4" in sentence


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("message", "3", "not a power of two"),
        ("message", "many", "not a whole number from 2"),
        ("set", "PARAM", "is no set of these libraries"),
        ("ring_dimension", "4096", "table look-ups have no parameter"),
    ],
)
def test_an_impossible_pin_is_told(name: str, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        pins_from({name: text}, TFHE_RS)
    assert caught.value.remedy
