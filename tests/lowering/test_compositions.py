"""Compositions of series, lowered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.composition import RELINEARISATIONS
from fheasible.circuit.depth import depth
from fheasible.circuit.drawn import random_data
from fheasible.circuit.node import Chebyshev, Op
from fheasible.circuit.vector import derive
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import Lowerings
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Scheme

CKKS = Style(Scheme.CKKS)


def relinearisations(degree: int) -> int:
    """Those of a program that computes one odd series of that degree."""
    coefficients = tuple(1 / (1 + k) if k % 2 else 0.0 for k in range(degree + 1))
    series = Chebyshev("odd", coefficients, -1.0, 1.0)

    @fh.app(x=fh.reals(8, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return derive(Op.CHEBYSHEV, x, attribute=series)

    program = lower(application.trace(), CKKS, 8)
    return sum(o.action is Action.RELINEARIZE for o in program.operations)


@pytest.mark.parametrize("degree", RELINEARISATIONS)
def test_a_polynomial_takes_as_many_relinearisations_as_compositions_are_chosen_by(degree: int) -> None:
    assert relinearisations(degree) == RELINEARISATIONS[degree]


@pytest.mark.parametrize("degree", sorted({*range(3, 32, 2)} - {*RELINEARISATIONS}))
def test_degrees_in_between_take_as_many_as_a_higher_one(degree: int) -> None:
    """Else a composition could be cheaper with them."""
    levels = degree.bit_length()
    higher = [c for d, c in RELINEARISATIONS.items() if d > degree and d.bit_length() == levels]
    assert relinearisations(degree) >= min(higher)


DEGREES = st.lists(st.sampled_from([3, 5, 7, 13, 15]), min_size=1, max_size=3)


@settings(max_examples=20)
@given(degrees=DEGREES, bound=st.sampled_from([1.0, 0.3, 5.0]), seed=st.integers(0, 9))
def test_a_program_computes_what_the_circuit_says_at_the_depth_that_it_says(
    degrees: list[int], bound: float, seed: int
) -> None:
    @fh.app(x=fh.reals(8, low=-bound, high=bound), y=fh.reals(8, low=-bound, high=bound))
    def application(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        return {
            "sign": fh.sign(x, margin=0.05 * bound, degrees=degrees),
            "max": fh.maximum(x, y, degrees=degrees),
            "size": 3 * fh.absolute(x + y, degrees=degrees),
        }

    circuit = application.trace()
    data = random_data(circuit, seed)
    expected = evaluate(circuit, data, exact=False)
    found = simulate(lower(circuit, CKKS, 8), data)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=1e-9 * bound)
    program = Lowerings(circuit).program(CKKS, 16)
    assert program.levels <= depth(circuit, "ckks")
