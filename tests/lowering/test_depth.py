"""Levels that programs use: by hand for known circuits, and never more than the circuit's own depth."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.depth import depth
from fheasible.circuit.load import load
from fheasible.circuit.node import Circuit
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import multiplicative_depth
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import STYLES, Instruction, circuit, instructions

EXAMPLES = Path(__file__).parents[2] / "examples"
REAL = {name: style for name, style in STYLES.items() if not style.exact and not style.composites}
BFV, BGV = Style(Scheme.BFV), Style(Scheme.BGV)


def example(number: int, **lengths: int) -> Circuit:
    (file,) = EXAMPLES.glob(f"{number}_*.py")
    return load(str(file)).trace(lengths or None)


def of_reals(f: Callable[[fh.Vector], fh.Vector], n: int = 8) -> Circuit:
    return fh.app(x=fh.reals(n, low=-1, high=1))(lambda x: f(x)).trace()


def checked(found: Circuit, style: Style, capacity: int) -> Program:
    program = lower(found, style, capacity)
    check(program, style)
    return program


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
def test_the_standard_deviation_takes_ten_levels(style: Style) -> None:
    # the square and 1/n * 8 in one, or 1/n and the mean's square, side by side; and eight for 248 terms
    assert checked(example(2), style, 1 << 14).levels == 10


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@pytest.mark.parametrize("length", [1461, 60_000])
def test_padding_costs_the_standard_deviation_no_level(style: Style, length: int) -> None:
    # moments leave zeros in the padding: nothing is added to single elements
    assert checked(example(2, x=length), style, 1 << 14).levels == 10


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@pytest.mark.parametrize("length", [1461, 60_000])
def test_padding_costs_deviations_no_level(style: Style, length: int) -> None:
    # the product by 1/n that the mean needs anyway leaves zeros in the padding of x - mean(x); values far
    # from 0 keep their deviations
    @fh.app(x=fh.reals(length, low=60, high=61))
    def variance(x):  # type: ignore[no-untyped-def]
        return fh.mean((x - fh.mean(x)) ** 2)

    assert checked(variance.trace(), style, 1 << 14).levels == 3


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@pytest.mark.parametrize(("length", "levels"), [(1024, 1), (1000, 2)])
def test_a_mask_costs_a_level_where_no_product_is_due(style: Style, length: int, levels: int) -> None:
    # an encrypted number added to every element lies in the padding too: masked, then squared
    @fh.app(x=fh.reals(length, low=0, high=1), y=fh.reals(1, low=0, high=1))
    def shifted(x, y):  # type: ignore[no-untyped-def]
        return fh.sum((x + y) ** 2)

    assert checked(shifted.trace(), style, 1 << 14).levels == levels


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@pytest.mark.parametrize("capacity", [1 << 12, 1 << 16])
def test_the_sum_of_products_takes_two_levels(style: Style, capacity: int) -> None:
    assert checked(example(1), style, capacity).levels == 2


@pytest.mark.parametrize(("minimise", "levels"), [(True, 5), (False, 10)])
@pytest.mark.parametrize("capacity", [1 << 12, 1 << 14])
def test_ten_multiplications_are_five_or_ten_levels(minimise: bool, levels: int, capacity: int) -> None:
    found = replace(example(3), minimise_depth=minimise)
    assert checked(found, BGV, capacity).levels == levels
    program = checked(found, BFV, capacity)
    assert (program.levels, multiplicative_depth(program)) == (0, levels)


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@given(degree=st.integers(1, 200) | st.sampled_from([(1 << k) - d for k in range(2, 8) for d in (0, 1)]))
@settings(max_examples=15)
def test_a_chebyshev_series_takes_as_many_levels_as_its_terms_have_bits(style: Style, degree: int) -> None:
    draw = np.random.default_rng(degree)
    exact = np.polynomial.Chebyshev(draw.uniform(0.5, 1, degree + 1))
    series = fh.approximate(lambda x: exact(x), -1, 1, degree=degree)
    assert checked(of_reals(series), style, 64).levels == ceil(log2(degree + 1))


def test_a_polynomial_takes_as_many_levels_as_its_terms_have_bits() -> None:
    for degree in range(2, 40):
        found = of_reals(lambda x, terms=degree + 1: fh.polynomial(x, [0.5] * terms))
        assert checked(found, Style(Scheme.CKKS), 64).levels == ceil(log2(degree + 1)), degree


def test_a_power_takes_as_many_levels_as_its_exponent_has_bits() -> None:
    for exponent in range(2, 40):
        found = of_reals(lambda x, e=exponent: x**e)
        assert checked(found, Style(Scheme.CKKS), 64).levels == ceil(log2(exponent)), exponent


def test_factors_that_wait_for_each_other_share_a_level() -> None:
    scaled = of_reals(lambda x: fh.mean(x * 0.3) * 0.7)
    assert checked(scaled, Style(Scheme.CKKS), 64).levels == 1
    assert checked(replace(scaled, minimise_depth=False), Style(Scheme.CKKS), 64).levels == 3


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
def test_a_factor_that_waits_is_multiplied_in_beside_a_deeper_operand(style: Style) -> None:
    assert checked(of_reals(lambda x: (x * 0.3) * (x * x)), style, 64).levels == 2
    assert checked(of_reals(lambda x: (x * x * 0.3) * (x * 0.7)), style, 64).levels == 2


def test_a_mask_of_a_rotation_carries_the_factor_that_waits() -> None:
    found = of_reals(lambda x: fh.rotate(x * 0.3, 2), n=7)
    assert checked(found, Style(Scheme.CKKS), 64).levels == 1


def test_doubling_and_signs_cost_no_level() -> None:
    program = checked(of_reals(lambda x: -(2 * x) + 1), Style(Scheme.CKKS), 64)
    assert program.levels == 0
    assert {o.action for o in program.operations} <= {"encrypt", "add", "neg", "add_scalar"}


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@given(program=instructions(), log_length=st.integers(0, 5), minimise=st.booleans())
@settings(max_examples=40, deadline=None)
def test_without_padding_no_more_levels_are_used_than_the_circuit_is_deep(
    style: Style, program: list[Instruction], log_length: int, minimise: bool
) -> None:
    found = circuit(True, 1 << log_length, program, minimise)
    assume({n.length for n in found.nodes()} <= {1, 1 << log_length})  # others leave slots free
    assert lower(found, style, 64).levels <= depth(normalise(found), "ckks")


@given(program=instructions(), length=st.integers(1, 20), minimise=st.booleans())
@settings(max_examples=60, deadline=None)
def test_in_bfv_masks_and_packing_cost_no_depth(
    program: list[Instruction], length: int, minimise: bool
) -> None:
    found = circuit(False, length, program, minimise)
    assert multiplicative_depth(lower(found, BFV, 8)) <= depth(normalise(found), "bfv")


def test_a_product_is_relinearised_once_for_a_whole_sum_of_products() -> None:
    @fh.app(x=fh.reals(8, low=-1, high=1), y=fh.reals(8, low=-1, high=1), z=fh.reals(8, low=-1, high=1))
    def three(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> fh.Vector:
        return x * y + y * z + z * x

    program = checked(three.trace(), Style(Scheme.CKKS), 8)
    actions = [o.action for o in program.operations]
    assert actions.count(Action.RELINEARIZE) == actions.count(Action.RESCALE) == 1
