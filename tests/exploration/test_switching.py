"""Scheme switching in the reasons and among the predictions: where it fits, and by the profile's figures."""

import re
from dataclasses import replace
from functools import cache

import pytest

import fheasible as fh
from estimation.profiles import invented
from fheasible.calibration.switching import insecure_job
from fheasible.circuit.drawn import random_data
from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import SwitchingModel
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.switching import by_switching, compared
from fheasible.exploration.reasons.tables import by_table
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.sweeps.operations import lacking, predicted
from fheasible.exploration.sweeps.switching import NOT_CALIBRATED
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.measurement.operations import SWITCHING, Item
from measurement.timed_operations import insecure


@fh.app(x=fh.reals(100, low=0, high=10), y=fh.reals(100, low=0, high=10))
def more(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.greater(x, y, margin=2)


@fh.app(x=fh.reals(100, low=0, high=10))
def square(x: fh.Vector) -> fh.Vector:
    return x * x


@cache
def found(app: fh.App) -> Exploration:
    circuit = app.trace()
    problem = Problem(circuit, random_data(circuit, 1), "random")
    return explore(problem, Wish(precision=bits(5)), [CATALOGUE["openfhe"]], {"openfhe": invented("openfhe")})


def said(e: Exploration, sign_seconds: float | None) -> list[str]:
    assert e.best is not None
    models = {} if sign_seconds is None else {"none": SwitchingModel(sign_seconds, 1.0, 1.0, 10**9)}
    profile: Profile = replace(invented("openfhe"), switching=models)
    return by_switching(e, (e.best.estimate.cpu_seconds or {}).get("total"), {"openfhe": profile})


def test_comparisons_are_told_with_the_least_time_of_their_signs_and_whether_it_is_worth_it() -> None:
    e = found(more)
    assert compared(e.problem.circuit) == 100
    (slow,) = said(e, 3.0)
    assert "100 comparisons" in slow
    assert re.search(r"at least 300 s|at least 5 min", slow)
    assert slow.endswith("so it is not worth it here.")
    (fast,) = said(e, 1e-12)
    assert "may be worth it" in fast


def test_comparisons_of_integers_are_told_it_whatever_scheme_is_recommended() -> None:
    numbers = fh.integers(16, low=0, high=9)
    e = found(fh.app(x=numbers, y=numbers)(lambda x, y: x > y))
    assert e.best is not None
    assert e.best.scheme != "ckks"
    (told,) = said(e, 3.0)
    assert "16 comparisons here. The signs alone take at least 48" in told


def test_comparisons_are_told_what_a_table_would_take_and_other_circuits_nothing() -> None:
    e = found(more)
    assert e.best is not None
    (said_of,) = by_table(e, e.best, {"openfhe": invented("openfhe")})
    assert re.search(r"N = 65,536, keys of .* and about .* for all 32,768 slots", said_of)
    other = found(square)
    assert other.best is not None
    assert by_table(other, other.best, {}) == []


def test_without_a_model_the_remedy_is_said_and_without_comparisons_nothing() -> None:
    assert said(found(more), None)[0].endswith("Remedy: fheasible calibrate --switching")
    assert said(found(square), 3.0) == []


def test_predictions_are_those_of_the_profiles_model() -> None:
    job = insecure_job(library("openfhe"), 1 << 12, 16, 8)
    item = Item("compare_by_switching", job.parameters.levels)
    assert predicted(job, item, invented("openfhe")) == (None, NOT_CALIBRATED)
    known = replace(invented("openfhe"), switching={"none": SwitchingModel(2.0, 0.0, 0.0, 1)})
    assert predicted(job, item, known) == (pytest.approx(16.0), "")


@pytest.mark.parametrize(("name", "scheme"), [("seal", "ckks"), ("lattigo", "ckks"), ("openfhe", "bgv")])
def test_other_libraries_and_schemes_say_that_they_cannot(name: str, scheme: str) -> None:
    p = insecure(name, scheme)
    for operation in SWITCHING:
        assert "OpenFHE alone" in lacking(Item(operation, p.levels), library(name), p)
