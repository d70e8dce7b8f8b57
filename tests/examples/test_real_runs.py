"""The examples, really encrypted, on every library and scheme that can express them."""

from dataclasses import replace
from pathlib import Path

import pytest

from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.exploration.problem import Problem
from fheasible.exploration.proof import prove
from fheasible.exploration.search import explore
from fheasible.exploration.wish import Wish, bits
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import Plan

EXAMPLES = {path.stem: path for path in sorted((Path(__file__).parents[2] / "examples").glob("[0-9]_*.py"))}
EVERYWHERE = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
REALS_ONLY = [(name, scheme) for name, scheme in EVERYWHERE if scheme == "ckks"]


def run_best(example: str, library: str, scheme: str, precision: float | None) -> None:
    """The best 128-bit secure candidate gives the oracle's result, else WrongResult is raised."""
    circuit = load(str(EXAMPLES[example])).trace()
    asked = Problem(circuit, random_data(circuit, 7), "test")
    wish = Wish(128, precision=precision and bits(precision))
    found = explore(asked, wish, [replace(CATALOGUE[library], schemes=(scheme,))], {})
    assert found.best is not None, found.rejected
    assert found.best.estimate.standard_bits is not None
    proof = prove(asked, found.best, Plan(repetitions=1, warmup=0), asked=wish.least)
    assert proof.correct


@pytest.mark.worker
@pytest.mark.parametrize("example", ["3_depth_ten", "4_inner_product"])
@pytest.mark.parametrize(("library", "scheme"), EVERYWHERE)
def test_integer_examples_run_everywhere(example: str, library: str, scheme: str) -> None:
    run_best(example, library, scheme, None)


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), REALS_ONLY)
def test_the_sum_of_products_runs_on_every_library(library: str, scheme: str) -> None:
    run_best("1_sum_of_products", library, scheme, 15)


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), REALS_ONLY)
def test_the_standard_deviation_meets_the_asked_precision(library: str, scheme: str) -> None:
    run_best("2_std_dev", library, scheme, 15)
