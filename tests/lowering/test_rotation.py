"""Rotations of a logical vector, through all packings of small vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check

CKKS, BFV = Style(Scheme.CKKS), Style(Scheme.BFV)


def rotated(length: int, steps: int, style: Style, capacity: int) -> Program:
    @fh.app(x=fh.integers(length, low=0, high=99))
    def turned(x: fh.Vector) -> fh.Vector:
        return fh.rotate(x, steps)

    program = lower(turned.trace(), style, capacity)
    check(program, style)
    return program


@given(length=st.integers(2, 20), log_capacity=st.integers(1, 6), style=st.sampled_from((CKKS, BFV)))
@settings(max_examples=50)
def test_element_i_becomes_element_i_plus_steps(length: int, log_capacity: int, style: Style) -> None:
    x, capacity = np.arange(1, length + 1), 1 << log_capacity
    for steps in range(1, length):
        program = rotated(length, steps, style, capacity)
        assert simulate(program, {"x": x})["result"].tolist() == [*x[steps:], *x[:steps]]


def test_a_vector_that_fills_its_slots_is_rotated_once() -> None:
    program = rotated(16, 5, CKKS, 64)
    assert [o.action for o in program.operations] == [Action.ENCRYPT, Action.ROTATE]
    assert program.rotations == (5,)


def test_whole_ciphertexts_change_places_for_nothing() -> None:
    program = rotated(32, 16, CKKS, 8)
    assert {o.action for o in program.operations} == {Action.ENCRYPT}
    assert program.outputs[0].values == (2, 3, 0, 1)


def test_a_vector_with_padding_is_two_rotations_under_masks() -> None:
    program = rotated(5, 2, CKKS, 64)
    actions = [o.action for o in program.operations]
    assert actions.count(Action.MUL_PLAIN) == 2
    assert program.rotations == (2, 5)  # backwards by 3 is forwards by 5 of 8
    masks = sorted(p.tolist() for p in program.plains)
    assert masks == [[0, 0, 0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("steps", [1, 4, 7, 8, 12, 15])
def test_two_rows_are_one_vector(steps: int) -> None:
    program = rotated(16, steps, BFV, 16)
    assert program.two_rows
    assert all(1 <= o.steps < 8 for o in program.operations if o.action is Action.ROTATE)
    assert program.levels == 0
