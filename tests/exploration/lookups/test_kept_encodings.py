"""Programs in all encodings are written once for all wishes that ask the same of them."""

import fheasible as fh
from fheasible.circuit.drawn import random_data
from fheasible.exploration.lookups.encodings import encoded
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits


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
