"""Predictions stand beside the runs of their own case."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest

import fheasible as fh
from accuracy.made import a_measurement, a_record
from fheasible.accuracy.noise_compare import (
    ABSOLUTE,
    BITS,
    BUDGET,
    NoiseFailure,
    NoiseRow,
    _variance_ratio,
    compare,
)
from fheasible.accuracy.noise_found import errors
from fheasible.accuracy.noise_grid import NoiseCase
from fheasible.circuit.data import random_data
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.plan import plan
from fheasible.noise.ckks.precision import precision
from fheasible.noise.integers.budget import expected_bits, noise_bits


@fh.app(x=fh.reals(8, low=1, high=2))
def squares(x):
    return x * x


@fh.app(x=fh.reals(8, low=-0.01, high=2))
def some_near_zero(x):
    return x * x * x


@fh.app(x=fh.integers(8, low=-9, high=9))
def integer_squares(x):
    return x * x


def case(app: fh.App, scheme: str = "ckks", library: str = "seal") -> NoiseCase:
    problem = Problem(app.trace(), random_data(app.trace(), 1), "")
    lib = CATALOGUE[library]

    def ask(depth: int, n: int | None) -> Parameters:
        t = None if scheme == "ckks" else 65537
        return lib.parameters(request_for(scheme, depth, None, ring_dimension=n, plain_modulus=t))

    program, p = plan(problem.lowerings(), lib.style(scheme, None), ask, 4096)
    return NoiseCase(problem, program, p, secure=False)


def ckks_runs(c: NoiseCase, sigma: float, sets: int = 8) -> list[dict[str, object]]:
    """What encryptions with Gaussian errors of that standard deviation would show."""
    rng, truth = np.random.default_rng(0), c.problem.truth
    return [
        errors({k: v + rng.normal(0, sigma, (4, len(v))) for k, v in truth.items()}, truth)
        for _ in range(sets)
    ]


def of(
    c: NoiseCase, runs: list[dict[str, object]], outcome: str = "measured"
) -> list[NoiseRow | NoiseFailure]:
    job = c.job
    records = [a_record(job, a_measurement(job), i, outcome, **run) for i, run in enumerate(runs)]
    return list(compare([c], records))


def test_a_row_holds_the_prediction_and_the_mean_of_all_encryptions() -> None:
    c = case(squares)
    predicted = precision(c.program, c.parameters, c.problem.gains(c.program), c.problem.truth)
    runs = ckks_runs(c, predicted.noise)
    (row,) = of(c, runs)
    assert isinstance(row, NoiseRow)
    assert (row.figure, row.encryptions, row.keys) == (BITS, 32, 8)
    assert row.predicted == predicted.mean_bits
    assert row.measured == pytest.approx(np.mean([run["bits"] for run in runs]))
    assert row.variance_ratio == pytest.approx(1, abs=0.3)
    assert row.within == 1.0


def test_errors_four_times_as_large_are_two_bits_worse() -> None:
    c = case(squares)
    predicted = precision(c.program, c.parameters, c.problem.gains(c.program), c.problem.truth)
    (small,), (large,) = of(c, ckks_runs(c, predicted.noise)), of(c, ckks_runs(c, 4 * predicted.noise))
    assert isinstance(small, NoiseRow)
    assert isinstance(large, NoiseRow)
    assert large.difference - small.difference == pytest.approx(2, abs=1e-4)  # some are finer than doubles
    assert large.variance_ratio / small.variance_ratio == pytest.approx(16)
    assert large.within is not None
    assert large.within < 1


def test_outputs_near_zero_are_judged_by_their_absolute_error() -> None:
    """Over 8, the cube of 2: the largest that the declared range allows."""
    c = case(some_near_zero)
    near = replace_truth(c, np.array([1e-6, 0.5, 1, 2, 3, 4, 5, 6]))
    runs = ckks_runs(near, 2.0**-20)
    (row,) = of(near, runs)
    assert isinstance(row, NoiseRow)
    assert row.figure == ABSOLUTE
    mean = np.mean([run["absolute"] for run in runs])
    assert row.measured == pytest.approx(log2(8 / mean))
    assert row.worst_slot is None


def replace_truth(c: NoiseCase, values: np.ndarray) -> NoiseCase:
    (name,) = c.problem.truth
    c.problem.truth = {name: values}
    return c


def test_budgets_are_compared_value_by_value() -> None:
    c = case(integer_squares, "bgv")
    (value,) = (v for packed in c.program.outputs for v in packed.values)
    left = expected_bits(c.program, c.parameters)[value]
    square = 4 ** noise_bits(c.program, c.parameters)[value]
    (name,) = c.problem.truth
    runs = [{"budgets": {name: [[left - 1] * 4]}, "squares": {name: [[2 * square] * 4]}, "right": True}] * 8
    (row,) = of(c, runs)
    assert isinstance(row, NoiseRow)
    assert (row.figure, row.encryptions) == (BUDGET, 32)
    assert row.difference == pytest.approx(1)
    assert row.interval == 0
    assert row.variance_ratio == pytest.approx(2)


def test_a_wrong_result_is_told_with_the_budget_that_was_predicted() -> None:
    c = case(integer_squares, "bfv")
    (name,) = c.problem.truth
    runs = [{"budgets": {name: [[0.01] * 4]}, "squares": {name: [[0.04] * 4]}, "right": False}] * 2
    failure, row = of(c, runs)
    assert isinstance(failure, NoiseFailure)
    assert isinstance(row, NoiseRow)
    assert (failure.outcome, failure.predicted) == ("wrong", row.predicted)
    assert row.difference > 10


def test_a_case_that_nobody_ran_has_no_row_and_one_that_died_is_named() -> None:
    c = case(squares)
    assert list(compare([c], [])) == []
    (failure,) = of(c, [{}], outcome="died")
    assert isinstance(failure, NoiseFailure)
    assert (failure.label, failure.predicted) == (c.label, None)


def test_a_case_asks_for_every_output_and_of_integers_for_the_noise() -> None:
    """Its key does not depend on what is predicted of it."""
    real, integer = case(squares).job, case(integer_squares, "bfv").job
    assert (real.options.every_output, real.options.noise) == (True, False)
    assert (integer.options.every_output, integer.options.noise) == (True, True)
    assert real.key == case(squares).job.key
    assert real.key != replace(real, label="", options=replace(real.options, every_output=False)).key


def test_the_variance_is_of_all_noise_unless_most_of_the_error_is_always_alike() -> None:
    """Keys bring three quarters of this noise, so that under one set of them there is a quarter of it."""
    c = case(squares)
    predicted = precision(c.program, c.parameters, c.problem.gains(c.program), c.problem.truth)
    noise = predicted.noise**2
    sets = [{"variance": noise / 4, "square": noise + predicted.approximation**2}] * 2
    assert _variance_ratio(predicted, sets) == (pytest.approx(1), True)
    predicted.__dict__["approximation"] = 10 * predicted.noise  # it is worked out when it is first asked for
    assert _variance_ratio(predicted, sets) == (pytest.approx(1 / 4), False)
