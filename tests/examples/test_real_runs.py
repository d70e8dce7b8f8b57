"""The examples, really encrypted, on every library and scheme that can express them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.circuit.data import lengths, random_data, read
from fheasible.circuit.load import load
from fheasible.exploration.judging.chosen import chosen, request_from, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import Proof, prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.measurement.execute import RunPlan

EXAMPLES = {path.stem: path for path in sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))}
EVERYWHERE = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
BOOTSTRAPPING = [library for library in CATALOGUE.values() if library.bootstrap_method]
REALS_ONLY = [(name, scheme) for name, scheme in EVERYWHERE if scheme == "ckks"]


def run_best(
    example: str, library: str, scheme: str, precision: float | None, data: str = ""
) -> dict[str, NDArray[Any]]:
    """What the best 128-bit secure candidate gives: the oracle's result, else WrongResult is raised."""
    app = load(str(EXAMPLES[example]))
    given = read(EXAMPLES[example].parent / "data" / data, app.inputs) if data else random_data(app, 7)
    asked = Problem(app.trace(lengths(given)), given, "test")
    wish = Wish(128, precision=precision and bits(precision))
    found = explore(asked, wish, [replace(CATALOGUE[library], schemes=(scheme,))], {})
    assert found.best is not None, found.rejected
    assert found.best.estimate.standard_bits is not None
    proof = prove(asked, found.best, RunPlan(repetitions=1, warmup=0), asked=wish.least)
    assert proof.correct
    return proof.result


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


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), REALS_ONLY)
def test_encrypted_patients_are_told_apart_as_in_the_clear(library: str, scheme: str) -> None:
    found = run_best("5_logistic_regression", library, scheme, 12, "patients.csv")["result"]
    there = load(str(EXAMPLES["5_logistic_regression"])).function.__globals__
    wanted = there["model"].predict_proba(there["unseen"])[:, 1]
    assert np.sqrt(np.mean((found - wanted) ** 2)) < 2**-12
    assert ((found > 0.5) == (wanted > 0.5)).all()


@pytest.mark.worker
@pytest.mark.parametrize(("library", "scheme"), REALS_ONLY)
def test_an_encrypted_digit_is_named(library: str, scheme: str) -> None:
    assert run_best("6_two_layer_network", library, scheme, 12, "digit.csv")["result"].argmax() == 2


def run_toy(example: str, library: Library, data: str, given: dict[str, str], own: dict[str, str]) -> Proof:
    """A proof with INSECURE parameters, on the example's data."""
    app = load(str(EXAMPLES[example]))
    values = read(EXAMPLES[example].parent / "data" / data, app.inputs)
    asked = Problem(app.trace(lengths(values)), values, "test")
    request = request_from("ckks", given, None)
    candidate = chosen(asked, library, request, None, shape_from(asked, own, bits(10), "ckks"))
    return prove(asked, candidate, RunPlan(repetitions=1, warmup=0))


@pytest.mark.slow
@pytest.mark.worker
@pytest.mark.parametrize("library", BOOTSTRAPPING, ids=lambda library: library.name)
def test_a_model_is_trained_on_encrypted_patients_with_bootstraps_on_the_way(library: Library) -> None:
    toy = {"security": "none", "ring_dimension": "4096", "scale_bits": "50", "first_bits": "60"}
    proof = run_toy(
        "9_logistic_training", library, "tumours.csv", toy | {"bootstrap_slots": "2048"}, {"levels": "16"}
    )
    assert proof.candidate.program.bootstrap_count >= 3
    there = load(str(EXAMPLES["9_logistic_training"])).function.__globals__
    right = (there["unseen"] @ proof.result["result"] > 0) == there["unseen_malignant"]
    assert right.mean() > 0.96
