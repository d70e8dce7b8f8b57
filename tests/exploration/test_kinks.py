"""Noise in the argument of an approximated function, where it is not small beside a kink."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.chebyshev import evaluate_series
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Op
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.judging.nonlinear import shifts
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.declared_ranges import explore_everywhere
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command

SCALE = 23  # a kink of a series of degree 401 is a few times as wide as the noise


def ramp(x: fh.Vector) -> fh.Vector:
    return fh.approximate(lambda v: np.maximum(v, 0), -1, 1, degree=401)(x)


def case(function: Any, x: list[float]) -> dict[str, np.ndarray]:
    circuit = fh.app(x=fh.reals(len(x), low=-1, high=1))(function).trace()
    problem = Problem(circuit, {"x": np.array(x)}, "data")
    settings = {"scale_bits": str(SCALE), "first_bits": str(SCALE + 4), "ring_dimension": "16384"}
    c = chosen(problem, CATALOGUE["lattigo"], request_from("ckks", settings, None), None)
    return shifts(problem, c)


def test_noise_carries_a_value_beyond_a_kink_that_is_near() -> None:
    near, far, steep = case(ramp, [-0.001, -0.8, 0.8])["result"]
    assert near > 10 * far
    assert near > 10 * steep


@pytest.mark.long
def test_a_shift_is_that_of_a_simulation() -> None:
    """The mean of the copies, of which every one has normal noise, without what the slope says."""
    circuit = fh.app(x=fh.reals(1, low=-1, high=1))(ramp).trace()
    (n,) = (n for n in circuit.nodes() if n.op is Op.CHEBYSHEV)
    (told,) = case(ramp, [-0.004])["result"]
    draw = np.random.default_rng(1)
    copies = 16384 // 2

    def off(deviation: float) -> float:
        """Once in a thousand encryptions."""
        noise = deviation * draw.normal(size=(400, copies))
        below, at, above = evaluate_series(n.attribute, -0.004 + np.array([-1e-7, 0, 1e-7]))
        moved = evaluate_series(n.attribute, -0.004 + noise) - at - (above - below) / 2e-7 * noise
        means = moved.mean(axis=1)
        return float(abs(means.mean()) + 3.1 * means.std())

    # Lattigo encrypts at a larger modulus and divides: what is rounded, times the secret, of N coefficients.
    fresh = np.sqrt((1 + 2 / 3 * 16384) / 12) * np.sqrt(16384 / 2) / 2**SCALE
    assert off(fresh / 2) < told < off(fresh * 2)


@pytest.mark.parametrize("length", [1, 8192])
def test_a_smooth_function_is_moved_by_its_slope_and_no_further(length: int) -> None:
    """To second order it is: half the curvature times the variance, little beside what the slope says."""
    shift = case(lambda x: fh.sigmoid(x * 4.0, low=-4, high=4, degree=9), [0.2] * length)["result"]
    slope, deviation = 0.9, 1e-3  # about
    assert shift.max() < slope * deviation / 10


@pytest.mark.long
def test_the_root_of_a_mean_is_not_searched_for_again() -> None:
    """It lies far from the root's steep end: what first order says of it is enough."""

    @fh.app(x=fh.reals(65_536, low=0, high=1))
    def deviation(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=0.25, degree=247)

    circuit = deviation.trace()
    of, wish = [replace(CATALOGUE["lattigo"], schemes=("ckks",))], Wish(precision=bits(15))
    own = Problem(circuit, random_data(circuit, 0), "data")
    assert explore_everywhere(own, wish, lambda there, to: explore(there, to, of, {})).problem.also == ()


def test_no_function_no_shift() -> None:
    assert case(lambda x: x * x, [0.1, 0.2]) == {}


@pytest.mark.worker
@pytest.mark.skipif(not command("lattigo").installed, reason="Lattigo is not installed")
def test_a_sum_below_a_kink_is_right_as_often_as_promised() -> None:
    """It was wrong each time: to first order nothing moves a result that is 0."""

    @fh.app(x=fh.reals(128, low=0, high=255))
    def above(x: fh.Vector) -> fh.Vector:
        weights = (7 * np.arange(128) % 13 - 6) / 4
        return fh.approximate(lambda v: np.maximum(v, 0), -0.491, 0.491)((weights @ x - 1) * 1e-5)

    circuit = above.trace()
    data = random_data(circuit, 21)
    of, wish = [replace(CATALOGUE["lattigo"], schemes=("ckks",))], Wish(precision=bits(10))
    own = Problem(circuit, data, "data")
    assert own.truth["result"].tolist() == [0.0]
    found = explore_everywhere(own, wish, lambda there, to: explore(there, to, of, {}))
    assert found.best is not None
    for _ in range(3):
        assert prove(own, found.best, RunPlan(1, 0), asked=bits(10)).correct
