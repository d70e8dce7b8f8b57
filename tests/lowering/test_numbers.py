"""Negative numbers, and constants, where a library takes them otherwise than they are written."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import inputs

T = 1009
RESIDUES = Style(Scheme.BFV, signed_numbers=False)


def lowered(f: Callable[[fh.Vector, fh.Vector], fh.Vector], style: Style = RESIDUES) -> Program:
    declared = {v: fh.integers(8, modulo=T) for v in "xy"}
    return lower(fh.app(**declared)(lambda x, y: f(x, y)).trace(), style, 16)


def actions(program: Program) -> list[str]:
    return [o.action.value for o in program.operations if o.action is not Action.ENCRYPT]


@given(st.integers(-T, T), st.integers(-T, T), st.sampled_from(["bfv", "bgv"]))
def test_negative_numbers_are_negated_products(a: int, b: int, scheme: str) -> None:
    """And what is computed stays the same."""
    style = Style(Scheme(scheme), signed_numbers=False)
    program = lowered(lambda x, y: a * x * y + b * y - x, style)
    check(program, style)  # which refuses a negative number
    data = {name: values[:8] for name, values in inputs(False, 8, 1).items() if name != "z"}
    (found,) = simulate(program, data, T).values()
    x, y = data["x"], data["y"]
    assert [(v - w) % T for v, w in zip(found, a * x * y + b * y - x, strict=True)] == [0] * 8


def test_a_negation_goes_into_the_sum_that_follows() -> None:
    assert actions(lowered(lambda x, y: y + -3 * x)) == ["mul_scalar", "sub"]
    assert actions(lowered(lambda x, y: -3 * x + y)) == ["mul_scalar", "sub"]
    assert actions(lowered(lambda x, y: y - -3 * x)) == ["mul_scalar", "add"]
    assert actions(lowered(lambda x, y: -3 * x - 4 * y)) == ["mul_scalar", "neg", "mul_scalar", "sub"]
    assert actions(lowered(lambda x, y: -3 * x)) == ["mul_scalar", "neg"]
    assert actions(lowered(lambda x, y: -3 * x, Style(Scheme.BFV))) == ["mul_scalar"]


def test_a_coefficient_of_one_is_no_product_where_products_take_no_level() -> None:
    program = lowered(lambda x, y: fh.polynomial(x, [0, 1, -1, 1]))
    assert not {"mul_scalar", "mul_plain"} & set(actions(program))


def test_a_sum_does_not_relinearise_to_become_a_difference() -> None:
    """A negated product that waits to be relinearised is added as it is, where the larger must come first."""
    program = lowered(lambda x, y: x + -(x * y), Style(Scheme.BGV))
    assert actions(program).count("relinearize") == 1


def summand(library: str, scheme: str, technique: str | None) -> Program:
    """One that would come at the last level: after the last rescaling, which the rotation asks for."""
    style = CATALOGUE[library].style(scheme, technique)
    return lowered(lambda x, y: fh.rotate(x * y, 1) + 5, style)


@pytest.mark.parametrize("technique", CATALOGUE["openfhe"].techniques)
def test_openfhe_s_flexibleautoext_keeps_a_level_for_a_summand(technique: str) -> None:
    """It has no plain scale for the last one, and would add zero."""
    found = [o for o in summand("openfhe", "bgv", technique).operations if o.action is Action.ADD_SCALAR]
    assert [o.level for o in found] == [int(technique == "flexibleautoext")]
