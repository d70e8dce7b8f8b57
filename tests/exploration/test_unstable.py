"""Functions that drive values away from 0, where the slots beyond a vector's end would be (INSECURE ring)."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.noise.ckks.precision import precision

from .apps import problem

INSECURE = {"ring_dimension": "2048", "scale_bits": "28", "first_bits": "32"}


@fh.app(x=fh.reals(100, low=0.02, high=0.98))
def logistic(x: fh.Vector) -> fh.Vector:
    for _ in range(14):
        x = fh.polynomial(x, [0, 3.2, -3.2])
    return x


@fh.app(x=fh.reals(100, low=0.02, high=0.98))
def mean_of_logistic(x: fh.Vector) -> fh.Vector:
    for _ in range(14):
        x = fh.polynomial(x, [0, 3.2, -3.2])
    return fh.mean(x)


@fh.app(x=fh.reals(100, low=0, high=1))
def with_ends(x: fh.Vector) -> fh.Vector:
    for _ in range(14):
        x = 0.8 - 3.2 * (x - 0.5) ** 2
    return x


def test_one_element_that_noise_drives_away_spoils_all_others() -> None:
    """At 0 noise grows 3.2^14 times: whatever is right on average, no set may let it exceed all values."""
    drawn = problem(with_ends)
    data = {"x": np.concatenate([[0.0, 1.0], drawn.data["x"][2:]])}
    asked = Problem(drawn.circuit, data, "the ends of the range, and others")
    found = explore(asked, Wish(precision=Asked(Measure.MEAN, 10)), [CATALOGUE["lattigo"]], {})
    assert found.best is not None
    p = found.best.parameters
    told = precision(found.best.program, p, asked.gains(found.best.program), asked.truth)
    assert told.mean_bits - told.bits > 10  # the mean would not have told
    assert told.assured_bits >= 0


@pytest.mark.worker
@pytest.mark.parametrize("app", [logistic, mean_of_logistic], ids=lambda app: str(app.name))
@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_slots_that_nobody_reads_do_not_spoil_the_others(library: str, app: fh.App) -> None:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    asked = problem(app)
    c = chosen(asked, CATALOGUE[library], request_from("ckks", INSECURE, None), None)
    proof = prove(asked, c, RunPlan(repetitions=2, warmup=0))
    assert proof.precision_bits is not None
    assert proof.precision_bits > 8
