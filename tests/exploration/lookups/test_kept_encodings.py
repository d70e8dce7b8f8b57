"""Programs in all encodings are written once for all wishes that ask the same of them."""

import pytest

import fheasible as fh
from fheasible.circuit.drawn import random_data
from fheasible.exploration.lookups import encodings, search
from fheasible.exploration.lookups.encodings import encoded
from fheasible.exploration.problem.pins import Pin, Pins
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES


def problem(kind: object) -> Problem:
    circuit = fh.app(x=kind)(lambda x: fh.sum(x * x)).trace()
    return Problem(circuit, random_data(circuit, 0), "drawn")


def test_integers_are_encoded_once_whatever_the_precision() -> None:
    of = problem(fh.integers(3, low=0, high=9))
    (first, _), (again, _) = encoded(of, bits(10)), encoded(of, bits(20))
    assert [way.program for way in first] == [way.program for way in again]
    assert all(a is b for a, b in zip(first, again, strict=True))
    first.clear()  # an answer may change its own list
    assert encoded(of, bits(10))[0]


def test_reals_are_encoded_anew_for_another_precision() -> None:
    of = problem(fh.reals(2, low=-1, high=1))
    rough, fine = encoded(of, bits(3))[0], encoded(of, bits(12))[0]
    assert rough[0].encoding.fraction < fine[0].encoding.fraction
    assert encoded(of, bits(12))[0][0] is fine[0]
    assert encoded(of, bits(3))[0][0] is not rough[0]  # only the last is kept
    assert [w.encoding for w in encoded(of, bits(3))[0]] == [w.encoding for w in rough]


def test_a_bound_on_steps_is_part_of_what_is_asked() -> None:
    of = problem(fh.integers(8, low=0, high=200))
    assert encoded(of, bits(10))[0]
    ways, reason = encoded(of, bits(10), longest=3)
    assert not ways
    assert "only programs of up to 3 steps are written as code" in reason


def test_very_many_lookups_are_written_with_the_usual_digits_or_those_pinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = problem(fh.integers(8, low=0, high=200))
    assert len(encoded(few, bits(10))[0]) > 5
    monkeypatch.setattr(encodings, "MANY", 10)
    many = problem(fh.integers(8, low=0, high=200))
    assert [str(way.encoding) for way in encoded(many, bits(10))[0]] == ["message 4, carry 4"]
    pins = Pins((Pin("message", 2, "2"),))
    assert [str(way.encoding) for way in encoded(many, bits(10), pins=pins)[0]] == ["message 2, carry 2"]
    assert {way.encoding.message for way in encoded(few, bits(10), pins=pins)[0]} == {2}


def test_an_answer_says_that_other_digits_were_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "MANY", 10)
    monkeypatch.setattr(search, "MANY", 10)
    of = problem(fh.integers(8, low=0, high=200))
    libraries = [LOOKUP_LIBRARIES["tfhe_rs"]]
    found = search.explore_lookups(of, Wish(), libraries, {})
    assert found.best is not None
    assert "only message 4, carry 4 was searched" in found.alarms[-1]
    (rejected,) = search.explore_lookups(of, Wish(max_bytes=2**20), libraries, {}).rejected
    assert "only message 4, carry 4 was searched" in rejected.reason
    pins = Pins((Pin("message", 2, "2"), Pin("carry", 2, "2")))
    assert not search.explore_lookups(of, Wish(pins=pins), libraries, {}).alarms


def test_programs_of_too_many_lookups_are_given_up_with_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    of = problem(fh.integers(8, low=0, high=200))
    fewest = min(way.lookups for way in encoded(of, bits(10))[0])
    monkeypatch.setattr(encodings, "MOST", fewest - 1)
    monkeypatch.setattr(encodings, "MANY", fewest - 1)
    ways, reason = encoded(problem(fh.integers(8, low=0, high=200)), bits(10))
    assert not ways
    assert f"programs of up to {fewest - 1} are searched" in reason
