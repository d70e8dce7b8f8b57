"""Where look-ups take far longer than another kind of library, little of the program is lowered to see it."""

import pytest

import fheasible as fh
from fheasible.circuit.drawn import random_data
from fheasible.exploration.lookups.encodings import encoded_as, usual
from fheasible.exploration.lookups.search import BY_FAR, PATIENCE, explore_lookups, too_slow
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
    return too_slow(problem, Wish(), LIBRARIES, PROFILES, patience)


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
    assert (
        explore_lookups(problem, Wish(), LIBRARIES, PROFILES, patience=true / 10).rejected[0].reason == told
    )
