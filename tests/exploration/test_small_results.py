"""Results far below 1: what is recommended is taken by the library, and right."""

import pytest

import fheasible as fh
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command

from .apps import problem

pytestmark = pytest.mark.worker

TINY = fh.reals(100, low=-0.4, high=0.4)


@fh.app(x=TINY, y=TINY)
def product(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * y


@fh.app(x=TINY, y=TINY)
def covariance(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.mean((x - fh.mean(x)) * (y - fh.mean(y)))


@fh.app(x=fh.reals(33, low=-0.01, high=0.01))
def cube(x: fh.Vector) -> fh.Vector:
    return x**3


@fh.app(y=fh.reals(7, low=-1e-6, high=1e-6))
def beside_much(y: fh.Vector) -> fh.Vector:
    return y + 3.14159


@fh.app(x=fh.reals(1, low=0, high=0.001))
def sixth_power(x: fh.Vector) -> fh.Vector:
    return fh.square(x * x) * (x * x)


@pytest.mark.parametrize("library", CATALOGUE)
def test_an_error_may_be_larger_than_all_results_where_that_is_asked(library: str) -> None:
    """Of results up to 1e-18: no modulus is outgrown by so small an error."""
    asked, wish = problem(sixth_power), Wish(precision=Asked(Measure.ABSOLUTE, 2e-5))
    found = explore(asked, wish, [CATALOGUE[library]], {}).best
    assert found is not None
    assert found.estimate.precision_bits is not None
    assert found.estimate.precision_bits < 0
    if command(library).installed:
        assert prove(asked, found, RunPlan(repetitions=3, warmup=0), asked=wish.least).correct


def test_openfhe_takes_inputs_that_matter_little_beside_the_rest() -> None:
    """It refuses those that round to zero; ten bits of the result alone would let them."""
    if not command("openfhe").installed:
        pytest.skip("openfhe is not installed")
    asked = problem(beside_much)
    found = explore(asked, Wish(precision=bits(10)), [CATALOGUE["openfhe"]], {})
    assert found.best is not None
    assert prove(asked, found.best, RunPlan(repetitions=1, warmup=0)).correct


@pytest.mark.parametrize("precision", [10, 20])
@pytest.mark.parametrize("app", [product, covariance, cube], ids=lambda app: str(app.name))
def test_seal_takes_what_is_recommended_for_it(app: fh.App, precision: int) -> None:
    if not command("seal").installed:
        pytest.skip("seal is not installed")
    asked = problem(app)
    found = explore(asked, Wish(precision=bits(precision)), [CATALOGUE["seal"]], {})
    assert found.best is not None
    proof = prove(asked, found.best, RunPlan(repetitions=1, warmup=0))
    assert proof.precision_bits is not None
    assert proof.precision_bits >= precision
