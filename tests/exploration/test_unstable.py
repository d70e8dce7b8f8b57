"""Functions that drive values away from 0, where the slots beyond a vector's end would be (INSECURE ring)."""

import pytest

import fheasible as fh
from fheasible.exploration.chosen import chosen, request_from
from fheasible.exploration.proof import prove
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import Plan
from fheasible.measurement.registry import command

from .apps import problem

pytestmark = pytest.mark.worker
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


@pytest.mark.parametrize("app", [logistic, mean_of_logistic], ids=lambda app: str(app.name))
@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_slots_that_nobody_reads_do_not_spoil_the_others(library: str, app: fh.App) -> None:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    asked = problem(app)
    c = chosen(asked, CATALOGUE[library], request_from("ckks", INSECURE, None), None)
    proof = prove(asked, c, Plan(repetitions=2, warmup=0))
    assert proof.precision_bits is not None
    assert proof.precision_bits > 8
