"""The worst case over a domain, where it is known by hand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.libraries.parameters import Parameters
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.domain import Data, largest_output, points, worst_case
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import Gains, gains, gains_at
from fheasible.program.types import Program

from .programs import CKKS
from .test_precision import parameters


def traced(length: int, low: float, high: float, f: Any) -> tuple[Circuit, Program]:
    circuit = fh.app(x=fh.reals(length, low=low, high=high))(lambda x: f(x)).trace()
    return circuit, lower(circuit, CKKS, 64)


def roomy(levels: int) -> Parameters:
    """With a first prime of 60 bits."""
    p = parameters(levels)
    return replace(p, q=(2**60 + 1, *p.q[1:]))


def assured(circuit: Circuit, program: Program, values: np.ndarray) -> float:
    """The error that is assured at these values."""
    given = {"x": values}
    p = parameters(program.levels)
    return precision(program, p, gains(program, given), evaluate(circuit, given)).assured_absolute


def test_a_power_is_worst_at_the_larger_end() -> None:
    circuit, program = traced(10, -2, 1, lambda x: x**8 * 2**-9)
    worst = worst_case(circuit, program, roomy(program.levels))
    given = {"x": np.full(10, -2.0)}
    there = precision(program, roomy(program.levels), gains(program, given), evaluate(circuit, given))
    assert worst.absolute_error == pytest.approx(there.assured_absolute, rel=0.01, abs=0)
    assert worst.bits == pytest.approx(-np.log2(worst.absolute_error / 2**-1))
    assert "lower ends" in worst.data
    assert worst.beyond == 0


def test_where_values_outgrow_their_modulus_results_are_worth_nothing() -> None:
    """A first prime of 2^40 at a scale of 2^40 holds values up to 1/2: 2^8 outgrow it by 9 bits, though drawn
    and middling ones fit."""
    circuit, program = traced(10, -2, 0.5, lambda x: x**8)
    worst = worst_case(circuit, program, parameters(program.levels))
    assert worst.beyond == pytest.approx(9, abs=0.1)
    assert (worst.bits, worst.absolute_error) == (0, np.inf)
    assert "lower ends" in worst.data
    assert worst_case(circuit, program, roomy(program.levels)).beyond == 0


def test_a_function_is_worst_where_it_is_steepest() -> None:
    circuit, program = traced(10, -2, 2, lambda x: fh.approximate(np.tanh, -2, 2, degree=47)(x))
    worst = worst_case(circuit, program, parameters(program.levels))
    steep = assured(circuit, program, np.zeros(10))
    assert worst.absolute_error >= 0.99 * steep
    assert steep > assured(circuit, program, np.full(10, 1.9))


def test_an_approximation_is_worst_at_its_own_worst_point() -> None:
    circuit, program = traced(10, 0, 1, lambda x: fh.sqrt(x, low=0, high=1, degree=31))
    worst = worst_case(circuit, program, parameters(program.levels))
    (node,) = (n for n in circuit.nodes() if n.op.name == "CHEBYSHEV")
    truth = evaluate(circuit, {"x": np.zeros(10)})["result"]
    found = gains(program, {"x": np.zeros(10)}).outputs["result"]
    assert node.attribute.low == 0
    assert worst.absolute_error >= np.abs(found - truth).max()  # at 0, where the root is vertical


@pytest.mark.parametrize("seed", range(6))
def test_no_values_of_the_domain_that_are_tried_later_are_much_worse(seed: int) -> None:
    circuit, program = traced(50, -1, 2, lambda x: x * x * x - 2 * x * x + fh.mean(x) * x)
    worst = worst_case(circuit, program, parameters(program.levels))
    values = random_data(circuit, 100 + seed)["x"]
    assert assured(circuit, program, values) <= 1.05 * worst.absolute_error


def test_inputs_that_break_a_promise_are_no_part_of_the_domain() -> None:
    circuit, program = traced(10, 0, 1, lambda x: fh.sqrt(x - 0.5, low=0, high=0.5, degree=15))
    tried = points(circuit, program)
    assert 0 < len(tried) < 8
    assert all("lower ends" not in p.words for p in tried)


def test_the_points_of_a_program_are_found_once() -> None:
    circuit, program = traced(10, 0, 1, lambda x: x * x)
    assert points(circuit, program) is points(circuit, program)


def test_each_point_costs_one_pass_through_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []

    def counted(program: Program, inputs: Sequence[Data]) -> list[Gains]:
        passes.extend(data["x"].tobytes() for data in inputs)
        return gains_at(program, inputs)

    monkeypatch.setattr("fheasible.noise.ckks.domain.gains_at", counted)
    circuit, program = traced(10, -1, 2, lambda x: x * x * 0.125)
    worst_case(circuit, program, roomy(program.levels))
    assert len(passes) == len(set(passes)) == len(points(circuit, program))


def test_the_largest_output_is_one_that_was_found() -> None:
    """x^2 - x^4 is a quarter at most, and up to 1 by the intervals of its parts."""
    circuit, program = traced(64, -1, 1, lambda x: x**2 - x**4)
    assert 0.2 < largest_output(points(circuit, program)) <= 0.25 + 1e-9
