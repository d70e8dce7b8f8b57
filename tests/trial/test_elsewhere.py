"""The recommended set on other inputs than the search has seen."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import PromiseBroken
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import explore
from fheasible.exploration.wish import Wish, bits
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
