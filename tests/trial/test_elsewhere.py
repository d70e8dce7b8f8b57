"""The recommended set on other inputs than the search has seen."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import PromiseBroken
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement import registry
from fheasible.trial.elsewhere import wrong_there
from fheasible.trial.workers import Workers

pytestmark = [
    pytest.mark.worker,
    pytest.mark.skipif(not registry.command("lattigo").installed, reason="Lattigo is not installed"),
]


@fh.app(x=fh.reals(16, low=-1, high=0.5))
def nested(x: fh.Vector) -> fh.Vector:
    """The series of the first function exceeds 1 at -1, and the second one is promised no more than that."""
    size = fh.absolute(x, low=-1, high=0.5, degree=15)
    return fh.approximate(np.sqrt, 0.25, 1.25)(size + 0.25)


def test_where_one_series_leaves_the_interval_of_the_next_results_are_held_against_the_functions() -> None:
    circuit = nested.trace()
    problem = Problem(circuit, {"x": np.linspace(-0.9, 0.4, 16)}, "data")
    best = explore(problem, Wish(precision=bits(3)), [CATALOGUE["lattigo"]], {}).best
    assert best is not None
    there = Problem(circuit, {"x": np.full(16, -1.0)}, "low")
    with pytest.raises(PromiseBroken):
        evaluate(there.lowerings(best.degrees).circuit, there.data, exact=False)
    with Workers() as workers:
        assert wrong_there(problem, there, best, bits(3), workers) == ""


@fh.app(x=fh.reals(1, low=0, high=1))
def nothing(x: fh.Vector) -> fh.Vector:
    """0 everywhere, and the error of a series."""
    return fh.absolute(x, low=-0.001, high=1, degree=24) - x


def test_where_the_errors_of_a_series_cancel_results_are_held_against_the_functions_too() -> None:
    """There the series alone gives next to nothing, beside which any noise is large."""
    circuit = nothing.trace()

    def off(x: float) -> float:
        return float(evaluate(circuit, {"x": np.array([x])}, exact=False)["result"][0])

    grid = np.linspace(0.2, 0.9, 200)
    signs = np.sign([off(x) for x in grid])
    i = int(np.flatnonzero(signs[1:] != signs[:-1])[0])
    low, high = grid[i], grid[i + 1]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(off(middle)) == signs[i] else (low, middle)
    problem = Problem(circuit, {"x": np.array([0.5])}, "data")
    best = explore(problem, Wish(precision=bits(8)), [CATALOGUE["lattigo"]], {}).best
    assert best is not None
    there = Problem(circuit, {"x": np.array([low])}, "there")
    with Workers() as workers:
        assert wrong_there(problem, there, best, bits(8), workers) == ""
