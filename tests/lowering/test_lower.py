"""A lowered program computes what the circuit says, by the rules, whatever the style and the packing."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Circuit
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import STYLES, Instruction, T, circuit, inputs, instructions

REAL = {name: style for name, style in STYLES.items() if not style.exact}
EXACT = {name: style for name, style in STYLES.items() if style.exact}


def assert_right(found: Circuit, program: Program, style: Style, data: dict[str, NDArray[Any]]) -> None:
    """The program keeps the rules, and gives the oracle's result."""
    check(program, style)
    wanted = evaluate(found, data, exact=False)
    result = simulate(program, data, T if style.exact else None)
    assert result.keys() == wanted.keys()
    for name, values in wanted.items():
        if style.exact:
            assert result[name].tolist() == values.tolist()
        else:
            np.testing.assert_allclose(result[name], values, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@given(
    length=st.integers(1, 40),
    capacity=st.sampled_from((2, 4, 16, 64)),
    program=instructions(),
    minimise=st.booleans(),
    seed=st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_program_of_reals_computes_its_circuit(
    style: Style, length: int, capacity: int, program: list[Instruction], minimise: bool, seed: int
) -> None:
    found = circuit(True, length, program, minimise)
    assert_right(found, lower(found, style, capacity), style, inputs(True, length, seed))


@pytest.mark.parametrize("style", EXACT.values(), ids=EXACT)
@given(
    length=st.integers(1, 40),
    capacity=st.sampled_from((2, 4, 16, 64)),
    program=instructions(),
    minimise=st.booleans(),
    seed=st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_program_of_integers_computes_its_circuit(
    style: Style, length: int, capacity: int, program: list[Instruction], minimise: bool, seed: int
) -> None:
    found = circuit(False, length, program, minimise)
    assert_right(found, lower(found, style, capacity), style, inputs(False, length, seed))


def test_every_operation_knows_the_line_that_it_computes() -> None:
    @fh.app(x=fh.reals(8, low=0, high=1))
    def f(x: fh.Vector) -> fh.Vector:
        y = x * x
        return fh.sum(y + 1)

    program = lower(f.trace(), Style(Scheme.CKKS), 64)
    first = f.function.__code__.co_firstlineno
    lines = {o.action: int(o.where.rpartition(":")[2]) - first for o in program.operations}
    assert (lines[Action.SQUARE], lines[Action.ROTATE]) == (2, 3)
    assert all("test_lower.py" in o.where for o in program.operations)
