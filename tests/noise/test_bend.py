"""Noise times noise in the copies of a short vector: what the mean over the copies does not take off."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits
from fheasible.exploration.proof.proof import prove
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.noise.ckks.decryption import read_coefficients
from fheasible.noise.ckks.elements import degree, drift, errors, variance

POWER = 16


@fh.app(x=fh.reals(2, low=0.5, high=1))
def sixteenth(x: fh.Vector) -> fh.Vector:
    return x**POWER


@fh.app(x=fh.reals(2, low=0.5, high=1))
def turned(x: fh.Vector) -> fh.Vector:
    return fh.rotate(x, 1) * 2.0 - x


def case(app: fh.App, scale: int):  # type: ignore[no-untyped-def]
    problem = Problem(app.trace(), {"x": np.ones(2)}, "ones")
    settings = {"scale_bits": str(scale), "first_bits": str(scale + 6), "ring_dimension": "8192"}
    settings |= {"special_bits": "50"}
    c = chosen(problem, CATALOGUE["lattigo"], request_from("ckks", settings, 128), None)
    known = problem.gains(c.program)
    zeros = np.zeros(2)
    return c, errors(c.program, c.parameters, known, zeros), known


@pytest.mark.parametrize("scale", [20, 22, 25])
def test_the_bend_of_a_power_is_that_of_a_simulation(scale: int) -> None:
    """(1 + d)^16 for normal d in many copies, of the deviation that first order says."""
    c, found, known = case(sixteenth, scale)
    copies = c.parameters.ring_dimension / read_coefficients(c.program)
    assert degree(c.program) == POWER
    bend = np.abs(found.bias - drift(c.parameters, known))
    first_order = np.sqrt(copies * variance(c.program, c.parameters, known))
    z = np.random.default_rng(scale).normal(size=4_000_000)
    for told, r in zip(bend, first_order, strict=True):
        simulated = float(np.mean((1 + r / POWER * z) ** POWER - 1 - r * z))  # the last is 0 on average
        assert 0.8 * simulated <= told <= 2 * simulated + 1e-9


def test_what_multiplies_no_noise_is_not_bent() -> None:
    c, found, known = case(turned, 20)
    assert degree(c.program) == 1
    assert found.bias == pytest.approx(drift(c.parameters, known), abs=0)


@pytest.mark.worker
def test_integers_whose_rotation_leaves_an_offset_are_not_squared_into_garbage() -> None:
    """The means of SEAL's digits lie in one slot: with a special prime no larger than the others that slot is
    off by more than its value, and the mean of its 4,096 copies with it after four squares."""

    @fh.app(x=fh.reals(2, low=-1, high=1))
    def squares(x: fh.Vector) -> fh.Vector:
        v = x * fh.rotate(x, 1)
        return v**8

    problem = Problem(squares.trace(), {"x": np.ones(2)}, "ones")
    settings = {"scale_bits": "20", "first_bits": "23", "ring_dimension": "8192", "special_bits": "20"}
    small = chosen(problem, CATALOGUE["seal"], request_from("ckks", settings, 128), None)
    assert small.estimate.precision_bits is not None
    assert small.estimate.precision_bits < 1
    settings["special_bits"] = "40"
    large = chosen(problem, CATALOGUE["seal"], request_from("ckks", settings, 128), None)
    assert large.estimate.precision_bits is not None
    proof = prove(problem, large, RunPlan(1, 0), asked=bits(1))
    assert proof.precision_bits is not None
    assert proof.precision_bits > large.estimate.precision_bits - 4
