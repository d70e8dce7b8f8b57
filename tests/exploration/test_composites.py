"""OpenFHE's own sums and Chebyshev series in the place of primitive operations."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.errors import UsageError
from fheasible.exploration.judging.chosen import WrittenShape, chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure
from fheasible.exploration.proof.proof import prove
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.measurement.execute import RunPlan
from fheasible.program.types import Action

INSECURE = {"ring_dimension": "2048", "scale_bits": "45"}
AUTOMATIC = ("fixedauto", "flexibleauto", "flexibleautoext")


def problem(degree: int, length: int = 300) -> Problem:
    @fh.app(x=fh.reals(length, low=0, high=2))
    def app(x):  # type: ignore[no-untyped-def]
        return fh.approximate(np.exp, -1, 3, degree=degree)(x) + fh.mean(x)

    return Problem(app.trace(), {"x": np.random.default_rng(3).uniform(0, 2, length)}, "test")


@pytest.mark.worker
@pytest.mark.parametrize("technique", AUTOMATIC)
@pytest.mark.parametrize("degree", [1, 2, 3, 5, 6, 13, 14, 27])
def test_composites_give_the_primitive_operations_result(technique: str, degree: int) -> None:
    """At exactly the levels that are taken for the series: one too few, and OpenFHE has no limb left."""
    asked = problem(degree)
    request = request_from("ckks", {**INSECURE, "technique": technique}, security=None)
    candidate = chosen(asked, library("openfhe"), request, None, WrittenShape(composites=True))
    actions = [o.action for o in candidate.program.operations]
    assert {Action.EVAL_SUM, Action.EVAL_CHEBYSHEV} < set(actions)
    assert not {Action.ROTATE, Action.RELINEARIZE} & set(actions)
    proof = prove(
        asked, candidate, RunPlan(1, 0), asked=Asked(Measure.ABSOLUTE, 10)
    )  # the line of degree 1 is no good exponential
    ideal = asked.gains(candidate.program).outputs["result"]
    assert np.abs(proof.result["result"] - ideal).max() < 1e-5 * np.abs(ideal).max()


@pytest.mark.parametrize("name", CATALOGUE)
def test_composites_are_refused_where_there_are_none(name: str) -> None:
    technique = {"technique": "fixedmanual"} if name == "openfhe" else {}
    request = request_from("ckks", {**INSECURE, **technique}, security=None)
    with pytest.raises(UsageError, match="has no composites"):
        chosen(problem(3), library(name), request, None, WrittenShape(composites=True))
