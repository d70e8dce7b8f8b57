"""Where look-ups take far longer than another kind of library, little of the program is lowered to see it."""

import math

import pytest

import fheasible as fh
from fheasible.circuit.drawn import random_data
from fheasible.exploration.lookups import search
from fheasible.exploration.lookups.encodings import encoded_as, usual
from fheasible.exploration.lookups.search import (
    BY_FAR,
    LESS_PATIENCE,
    MANY,
    PATIENCE,
    explore_lookups,
    too_slow,
)
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.lookup_library import LookupTask

LIBRARIES = list(LOOKUP_LIBRARIES.values())


class OneSecond:
    """A profile with which any look-up takes a second."""

    def seconds(self, task: LookupTask, work: object) -> float:
        return 1.0


PROFILES = {library.name: OneSecond() for library in LIBRARIES}


@pytest.fixture(scope="module")
def problem() -> Problem:
    numbers = fh.integers(16, low=0, high=99)
    circuit = fh.app(x=numbers, y=numbers)(lambda x, y: fh.sum(x * y)).trace()
    return Problem(circuit, random_data(circuit, 0), "random data (seed 0)")


def said(problem: Problem, patience: float) -> str:
    """With a set of another kind that takes so little that there is patience for so many seconds."""
    return too_slow(problem, LIBRARIES, PROFILES, patience / PATIENCE)


def test_what_takes_no_longer_than_there_is_patience_for_is_searched(problem: Problem) -> None:
    true = encoded_as(problem, usual(problem)).lookups
    assert said(problem, true) == ""
    assert said(problem, 2.0 * true) == ""


def test_a_little_longer_is_told_with_the_true_number(problem: Problem) -> None:
    true = encoded_as(problem, usual(problem)).lookups
    told = said(problem, 0.9 * true)
    assert told.startswith(f"the application takes {true:,} table look-ups with message 4, carry 4, ")
    assert told.endswith(f"{PATIENCE / 0.9:,.0f} times as long as the recommended set takes")


def test_far_longer_is_told_with_the_first_lookups_alone(problem: Problem) -> None:
    true = encoded_as(problem, usual(problem)).lookups
    told = said(problem, true / 10)
    first = int(told.split()[3].replace(",", ""))
    assert told.startswith("the application's first ")
    assert BY_FAR * true / 10 <= first < true
    recommended = true / 10 / PATIENCE
    answer = explore_lookups(problem, Wish(), LIBRARIES, PROFILES, recommended=recommended)
    assert answer.rejected[0].reason == told


def test_of_many_lookups_fewer_are_written(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is patience for PATIENCE times as long with few look-ups, and for LESS_PATIENCE with many."""
    true = encoded_as(problem, usual(problem)).lookups
    recommended = 0.25 * true / LESS_PATIENCE
    assert true < MANY
    assert too_slow(problem, LIBRARIES, PROFILES, recommended) == ""
    monkeypatch.setattr(search, "MANY", true // 10)
    told = too_slow(problem, LIBRARIES, PROFILES, recommended)
    first = int(told.split()[3].replace(",", ""))
    assert BY_FAR * 0.25 * true <= first < true
    assert f"{first / recommended:,.0f} times as long" in told


def test_where_nothing_is_recommended_yet_only_many_lookups_are_given_up(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = encoded_as(problem, usual(problem)).lookups
    assert too_slow(problem, LIBRARIES, PROFILES, math.inf) == ""
    monkeypatch.setattr(search, "MANY", true // 2)
    assert too_slow(problem, LIBRARIES, PROFILES, math.inf) != ""
