"""Vectors that are split over more ciphertexts than they need, and levels that results keep."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Circuit
from fheasible.lowering.plan import Lowerings
from fheasible.program.digest import digest
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import STYLES, T, styles
from .test_packing import application, data

CKKS, BGV, BFV = Style(Scheme.CKKS), Style(Scheme.BGV), Style(Scheme.BFV)
RING = 4096


def inner_product(length: int) -> Circuit:
    @fh.app(x=fh.integers(length, low=-9, high=9), y=fh.integers(length, low=-9, high=9))
    def product(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return fh.sum(x * y)

    return product.trace()


def counts(program: Program) -> tuple[int, ...]:
    """Encryptions, products, relinearisations, rotations, exchanges of rows."""
    actions = (Action.ENCRYPT, Action.MUL, Action.RELINEARIZE, Action.ROTATE, Action.SWAP_ROWS)
    return tuple(sum(o.action is action for o in program.operations) for action in actions)


@pytest.mark.parametrize("style", [CKKS, BGV, BFV], ids=lambda style: style.scheme)
@pytest.mark.parametrize(
    ("slots", "expected"),
    [(None, (2, 1, 1, 10, 0)), (512, (4, 2, 1, 9, 0)), (256, (8, 4, 1, 8, 0)), (1, (2000, 1000, 1, 0, 0))],
)
def test_half_of_the_slots_take_a_rotation_less_and_twice_the_products(
    style: Style, slots: int | None, expected: tuple[int, ...]
) -> None:
    """Products are added before they are relinearised, which takes one key switch however many they are."""
    program = Lowerings(inner_product(1000)).program(style, RING, slots)
    assert counts(program) == expected
    assert program.slots == (slots or 1024)
    assert len(program.rotations) == expected[3]  # and as many keys


@pytest.mark.parametrize("style", [BGV, BFV], ids=lambda style: style.scheme)
def test_a_vector_as_long_as_the_ring_leaves_no_row_to_exchange_when_it_is_split(style: Style) -> None:
    lowerings = Lowerings(inner_product(RING))
    whole, half = lowerings.program(style, RING), lowerings.program(style, RING, RING // 2)
    assert (whole.two_rows, counts(whole)) == (True, (2, 1, 1, 11, 1))
    assert (half.two_rows, counts(half)) == (False, (4, 2, 1, 11, 0))
    assert half.rotations == tuple(1 << i for i in range(11))  # over a row of N/2
    smaller = lowerings.program(style, RING // 2)  # where as many slots are two rows
    assert (smaller.slots, smaller.two_rows, counts(smaller)) == (half.slots, True, (4, 2, 1, 10, 1))


@pytest.mark.parametrize("style", [CKKS, BGV, BFV], ids=lambda style: style.scheme)
def test_as_many_slots_as_a_vector_fills_anyway_change_nothing(style: Style) -> None:
    lowerings = Lowerings(inner_product(1000))
    usual = lowerings.program(style, RING)
    assert lowerings.program(style, RING, 1024) is usual
    assert lowerings.program(style, RING, 2048) is usual
    assert lowerings.program(style, RING, 512) is lowerings.program(style, 4 * RING, 512)


def test_in_ckks_a_split_program_is_that_of_a_smaller_ring() -> None:
    lowerings = Lowerings(inner_product(3000))
    assert lowerings.program(CKKS, 2 * RING, RING // 4) is lowerings.program(CKKS, RING // 2)


@given(style=styles, length=st.integers(2, 300), parts=st.sampled_from((1, 2, 4, 16)))
@settings(max_examples=50)
def test_a_split_program_keeps_the_rules_and_the_results(style: Style, length: int, parts: int) -> None:
    """Padding, masks and rotations over the ends of ciphertexts included, whatever levels results keep."""
    circuit, told = application(length, not style.exact), data(length, not style.exact)
    style, ring = replace(style, spare=parts % 3 if style.leveled else 0), 256
    usual = Lowerings(circuit).program(style, ring)
    program = Lowerings(circuit).program(style, ring, max(1, usual.slots // parts))
    check(program, style)
    wanted = evaluate(circuit, told, exact=False)
    result = simulate(program, told, T if style.exact else None)
    for name, values in wanted.items():
        np.testing.assert_allclose(result[name], values, rtol=1e-9, atol=0 if style.exact else 1e-8)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_results_keep_the_spare_levels_and_nothing_else_changes(style: Style) -> None:
    circuit = application(100, not style.exact)
    if not style.leveled:
        assert Lowerings(circuit).program(style, RING).spare_levels == 0
        return
    programs = [Lowerings(circuit).program(replace(style, spare=spare), RING) for spare in (0, 1, 2)]
    for spare, program in enumerate(programs):
        assert program.spare_levels == spare
        assert program.levels == programs[0].levels + spare
        outputs = {v for packed in program.outputs for v in packed.values}
        assert min(o.level for o in program.operations if o.out in outputs) == spare
        lowered = [replace(o, level=o.level - spare, internal=()) for o in program.operations]
        assert lowered == [replace(o, internal=()) for o in programs[0].operations]
    assert len({digest(program) for program in programs}) == 3
