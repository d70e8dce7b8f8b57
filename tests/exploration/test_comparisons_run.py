"""Comparisons explored for a precision, and run in every library of CKKS."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.composition import Composition
from fheasible.circuit.drawn import random_data
from fheasible.errors import UsageError
from fheasible.exploration.judging.chosen import degrees_from
from fheasible.exploration.problem.degrees import ROOM_BITS, Needed
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.declared_ranges import explore_everywhere
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.noise.ckks.precision import precision
from having import having

ONCE = RunPlan(repetitions=1, warmup=0)
OPTIMISTIC_BITS = 0.5  # by which a predicted precision may exceed the measured one


@fh.app(x=fh.reals(100, low=0, high=10), y=fh.reals(100, low=0, high=10))
def more(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.greater(x, y, margin=0.2)


@fh.app(x=fh.reals(100, low=-2, high=3))
def kink(x: fh.Vector) -> fh.Vector:
    return fh.relu(x)


@fh.app(x=fh.reals(100, low=-1, high=1), y=fh.reals(100, low=0, high=2))
def larger(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.maximum(x, y)


@fh.app(x=fh.reals(4, low=0, high=1))
def ordered(x: fh.Vector) -> fh.Vector:
    return fh.sort(x)


APPS = (more, kink, larger, ordered)


def drawn(app: fh.App, seed: int = 0) -> Problem:
    circuit = app.trace()
    return Problem(circuit, random_data(circuit, seed), f"random data (seed {seed})")


def searched(of: Problem, wish: Wish, libraries: Sequence[str] = ("lattigo",)) -> Exploration:
    tried = [replace(CATALOGUE[name], schemes=("ckks",)) for name in libraries]
    return explore_everywhere(of, wish, lambda there, to: explore(there, to, tried, {}))


def check(library: str, app: fh.App, seed: int) -> None:
    """Explores, runs what was chosen, and compares the precision with what was predicted."""
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    of, wish = drawn(app, seed), Wish(precision=bits(5))
    best = searched(of, wish, [library]).best
    assert best is not None
    proof = prove(of, best, ONCE, asked=wish.least)  # raises WrongResult where the wish does not hold
    assert proof.achieved is not None
    predicted = precision(best.program, best.ckks, of.gains(best.program), of.truth, wish.failure_bits)
    assert proof.achieved.bits >= predicted.bits - OPTIMISTIC_BITS
    print(library, app.name, seed, f"predicted {predicted.bits:.2f} measured {proof.achieved.bits:.2f}")


@pytest.mark.worker
@pytest.mark.long
@pytest.mark.parametrize("library", having("ckks"))
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_a_comparison_is_as_precise_as_predicted(library: str, app: fh.App) -> None:
    check(library, app, 0)


@pytest.mark.worker
@pytest.mark.slow
@pytest.mark.parametrize("library", having("ckks"))
@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
def test_a_comparison_is_as_precise_as_predicted_on_other_draws(library: str, app: fh.App) -> None:
    for seed in (1, 2, 3):
        check(library, app, seed)


@pytest.mark.parametrize("app", [more, kink], ids=lambda app: app.name)
def test_the_wanted_precision_chooses_the_composition(app: fh.App) -> None:
    of = drawn(app)
    before = (0, 0)
    for wanted in (4, 7, 10):
        (degrees,) = of.degrees_to_try(bits(wanted))[-1]
        assert isinstance(degrees, Composition)
        assert Needed(of.approximated, of.truth, bits(wanted)).room((degrees,)) >= ROOM_BITS
        assert (degrees.levels, degrees.relinearisations) > before
        before = (degrees.levels, degrees.relinearisations)


def test_more_than_any_ring_carries_is_refused_with_the_depth() -> None:
    found = searched(drawn(ordered), Wish(precision=bits(12)), ["seal"])
    assert found.best is None
    assert any("a depth of" in r.reason for r in found.rejected)


def test_the_composition_may_be_given() -> None:
    of = drawn(more)
    assert degrees_from(of, "7x15", bits(5)) == (Composition((7, 15)),)
    for wrong in ("63", "7x4", "7x", "7x15,3"):
        with pytest.raises(UsageError) as e:
            degrees_from(of, wrong, bits(5))
        assert "7x15" in e.value.remedy


def test_an_answer_says_what_was_chosen() -> None:
    from fheasible.exploration.reasons.bounds import bounds

    found = searched(drawn(more), Wish(precision=Asked.parse("5")))
    assert found.best is not None
    said = " ".join(bounds(found, found.best))
    assert "greater on [-10, 10] is approximated by" in said
    assert "at least 0.2 away from 0" in said
    assert np.isfinite(found.problem.approximations(found.best.degrees)[0].largest_error)
