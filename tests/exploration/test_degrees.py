"""The degrees that are tried for approximations that leave them open."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from circuit.alike import alike
from fheasible.circuit.data import random_data
from fheasible.circuit.degrees import Degrees
from fheasible.exploration.problem.degrees import MARGIN_BITS, ROOM_BITS, reached
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE

from .apps import problem


@fh.app(x=fh.reals(32, low=0.1, high=1))
def smooth(x: fh.Vector) -> fh.Vector:
    return fh.exp(fh.sqrt(x, low=0.1, high=1), low=0, high=1)


@fh.app(x=fh.reals(4, low=0, high=1))
def steep(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(x, low=0, high=1)


@fh.app(x=fh.reals(4, low=0, high=1))
def fixed(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(x, low=0, high=1, degree=9)


@cache
def of(app: fh.App) -> Problem:
    return problem(app)


def room(asked_of: Problem, asked: Asked, degrees: Degrees) -> float:
    found = reached(asked_of.approximated, asked_of.truth, asked, degrees)
    return found - asked.value if asked.measure is Measure.BITS else float(np.log2(asked.value / found))


ASKED = [bits(8), bits(20), Asked(Measure.ABSOLUTE, 1e-4), Asked(Measure.RELATIVE, 1e-5)]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_last_degrees_are_the_least_that_leave_room_for_noise(asked: Asked) -> None:
    *_, last = of(smooth).degrees_to_try(asked)
    assert room(of(smooth), asked, last) >= ROOM_BITS
    for i in range(len(last)):
        less = (*last[:i], last[i] - 1, *last[i + 1 :])
        assert room(of(smooth), asked, less) < ROOM_BITS


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_all_others_are_shallower_and_fill_their_levels(asked: Asked) -> None:
    *others, last = of(smooth).degrees_to_try(asked)
    for degrees in others:
        assert all((d + 1).bit_count() == 1 for d in degrees)
        assert MARGIN_BITS <= room(of(smooth), asked, degrees) < ROOM_BITS
        assert sum(d.bit_length() for d in degrees) < sum(d.bit_length() for d in last)


@settings(max_examples=20, deadline=None)
@given(wishes=st.tuples(st.floats(2, 30), st.floats(2, 30)))
def test_a_looser_wish_never_takes_more_levels(wishes: tuple[float, float]) -> None:
    loose, strict = (of(smooth).degrees_to_try(bits(b))[-1] for b in sorted(wishes))
    assert sum(d.bit_length() for d in loose) <= sum(d.bit_length() for d in strict)


def test_each_approximation_gets_what_it_needs() -> None:
    """On these intervals the root converges slowly, and the exponential fast."""
    ((of_root, of_exponential),) = of(smooth).degrees_to_try(bits(20))[-1:]
    assert of_root > of_exponential > 3


def test_where_no_degree_is_enough_the_highest_is_tried_alone() -> None:
    at_zero = Problem(steep.trace(), {"x": np.array([0.0, 0.5, 0.75, 1.0])}, "by hand")
    assert at_zero.degrees_to_try(Asked(Measure.ABSOLUTE, 1e-6)) == ((2047,),)


def test_other_inputs_get_the_degrees_that_they_need() -> None:
    """The root is steep at 0, and the data are far from it."""
    far, modest = Problem(steep.trace(), {"x": np.full(4, 0.75)}, "by hand"), Asked(Measure.ABSOLUTE, 1e-2)
    beside = far.also_at({"x": np.zeros(4)}, "at zero", modest, "seal")
    ((own,),) = far.degrees_to_try(modest)
    *known, (at_zero,) = beside.degrees_for("seal", modest)
    assert (own,) in known
    assert at_zero > 4 * own
    ((there),) = (also.there for also in beside.also)
    assert room(there, modest, (at_zero,)) >= ROOM_BITS
    assert far.degrees_for("seal", modest) == beside.degrees_for("lattigo", modest) == ((own,),)


def test_what_no_degree_reaches_elsewhere_changes_none() -> None:
    far, hopeless = Problem(steep.trace(), {"x": np.full(4, 0.75)}, "by hand"), Asked(Measure.ABSOLUTE, 1e-6)
    beside = far.also_at({"x": np.zeros(4)}, "at zero", hopeless)
    assert beside.degrees_for("seal", bits(8)) == far.degrees_to_try(bits(8))


def test_a_degree_that_is_given_leaves_nothing_to_choose() -> None:
    assert of(fixed).degrees_to_try(bits(40)) == ((),)


def test_programs_are_those_of_the_degrees() -> None:
    given_degree = problem(fixed).lowerings().circuit
    assert alike(problem(steep).lowerings((9,)).circuit, given_degree)


def test_a_given_degree_that_is_too_low_is_told_before_anything_is_explored() -> None:
    """Of max(x, 0) a series of degree 15 is off by some 0.1 around 0."""

    @fh.app(x=fh.reals(64, low=-5, high=5))
    def positive(x: fh.Vector) -> fh.Vector:
        return fh.approximate(lambda v: np.maximum(v, 0), low=-5, high=5, degree=15)(x)

    circuit = positive.trace()
    problem = Problem(circuit, random_data(circuit, 0), "random data")
    assert problem.too_steep(bits(4)) == ""
    told = problem.too_steep(bits(8))
    assert "with the given degrees, reach only 5.7 bits; asked: precision >= 8 bits" in told
    found = explore(problem, Wish(precision=bits(8)), [CATALOGUE["lattigo"]], {})
    (said,) = [r for r in found.rejected if r.scheme == "ckks"]
    assert said.reason == told
    assert "degree=" in said.remedy


def test_of_degrees_given_and_open_it_is_said_which_were_tried() -> None:
    @fh.app(x=fh.reals(64, low=-5, high=5))
    def both(x: fh.Vector) -> fh.Vector:
        size = fh.absolute(x, low=-5, high=5, degree=15)
        return fh.sigmoid(size, low=-1, high=6)

    circuit = both.trace()
    told = Problem(circuit, random_data(circuit, 0), "random data").too_steep(bits(12))
    assert "with the given degrees and degrees up to 2047, the highest tried, reach only" in told


def test_a_function_too_steep_for_any_degree_is_told_before_anything_is_explored() -> None:
    at_zero = Problem(steep.trace(), {"x": np.array([0.0, 0.5, 0.75, 1.0])}, "by hand")
    hopeless, modest = Asked(Measure.ABSOLUTE, 1e-6), Asked(Measure.ABSOLUTE, 1e-2)
    assert at_zero.too_steep(modest) == ""
    told = at_zero.too_steep(hopeless)
    assert "degrees up to 2047" in told
    assert str(hopeless) in told
    found = explore(at_zero, Wish(precision=hopeless), [replace(CATALOGUE["seal"], schemes=("ckks",))], {})
    assert found.explored == 0
    assert [r.reason for r in found.rejected] == [told]
    assert "narrow the interval" in found.rejected[0].remedy


@fh.app(x=fh.reals(16, low=-2, high=0))
def nested(x: fh.Vector) -> fh.Vector:
    return fh.mean(fh.sigmoid(fh.approximate(np.exp, -2, 0)(x), low=0.1353, high=1))


@pytest.mark.parametrize("seed", [10, 38, 61, 88])
def test_degrees_are_enough_for_errors_that_add_up_as_they_do(seed: int) -> None:
    """The largest errors nearby have other signs than those of the data, and cancelled in the mean: with the
    degrees that seemed enough no set was."""
    circuit = nested.trace()
    problem, wish = Problem(circuit, random_data(circuit, seed), "random data"), Wish(precision=bits(10))
    assert explore(problem, wish, [CATALOGUE["lattigo"]], {}).best is not None
