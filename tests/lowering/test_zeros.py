"""Rows of zeros that everybody knows of: no library is asked for a product with one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import CircuitError
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import STYLES, T, styles

N, SLOTS = 40, 16
HEAD = np.array([3, 0, 1, 2] + [0] * (N - 4))  # zeros in the second and the third ciphertext
TAIL = np.array([0] * (N - 2) + [5, -1])

Function = Callable[[fh.Vector, fh.Vector], Any]

CASES: dict[str, Function] = {
    "sum": lambda x, y: fh.sum(x * HEAD),
    "itself": lambda x, y: x * HEAD,
    "plus": lambda x, y: x * HEAD + y,
    "minus": lambda x, y: y - x * HEAD,
    "taken away from": lambda x, y: x * HEAD - y,
    "times": lambda x, y: x * HEAD * y + x,
    "of each other": lambda x, y: (x * HEAD) * (y * TAIL) + x * TAIL,
    "rotated": lambda x, y: fh.rotate(x * HEAD, 5),
    "rotated twice": lambda x, y: fh.sum(fh.rotate(x * TAIL, N - 2) * HEAD),
    "polynomial": lambda x, y: fh.polynomial(x * HEAD, [1, 2, 0, 1]),
    "constant": lambda x, y: x * HEAD + 4,
    "vector": lambda x, y: x * HEAD + TAIL,
    "negated": lambda x, y: -(x * HEAD),
    "difference that is zero": lambda x, y: (x + y * HEAD) - x,
    "multiplied again": lambda x, y: x * HEAD * TAIL + y,
    "spread": lambda x, y: fh.sum(x) * HEAD,
}


def lowered(f: Function, style: Style, n: int = N, slots: int = SLOTS) -> Program:
    return lower(circuit(f, style, n), style, slots)


def circuit(f: Function, style: Style, n: int = N) -> Any:
    spec = fh.integers(n, modulo=T) if style.exact else fh.reals(n, low=-1, high=1)
    return fh.app(x=spec, y=spec)(lambda x, y: f(x, y)).trace()


@given(style=styles, case=st.sampled_from(list(CASES)))
def test_products_with_rows_of_zeros_are_left_out(style: Style, case: str) -> None:
    found = circuit(CASES[case], style)
    program = lower(found, style, SLOTS)
    check(program, style)  # which refuses zero operands, and a value less itself
    draw = np.random.default_rng(2)
    data = {name: draw.integers(-5, 6, N) for name in "xy"}
    result = simulate(program, data, T if style.exact else None)["result"]
    np.testing.assert_allclose(result, evaluate(found, data, exact=False)["result"], atol=1e-9)


@pytest.mark.parametrize("style", [Style(Scheme.CKKS), Style(Scheme.BFV)], ids=str)
def test_a_sum_leaves_out_the_ciphertexts_that_are_zero(style: Style) -> None:
    program = lowered(CASES["sum"], style)
    products = [o for o in program.operations if o.action is Action.MUL_PLAIN]
    assert len(products) == 1
    used = {a for o in program.operations for a in o.args}
    (x,) = program.inputs
    assert used.isdisjoint(x.values[1:])  # encrypted by the client, and not looked at


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_zeros_are_there_where_a_ciphertext_has_a_single_slot(style: Style) -> None:
    """CKKS has no rows to exchange: a rotation by one slot of the ring leaves equal slots as they are."""
    found = circuit(lambda x, y: x * np.array([0, 3]), style, 2)
    program = lower(found, style, 1)
    check(program, style)
    assert not program.swaps_rows or style.exact
    result = simulate(program, {"x": np.array([5, 7]), "y": np.array([1, 1])}, T if style.exact else None)
    np.testing.assert_allclose(result["result"], [0, 21])


def test_a_zero_result_is_an_encryption_like_any_other() -> None:
    program = lowered(CASES["itself"], Style(Scheme.BFV))
    by_value = {o.out: o for o in program.operations}
    (result,) = program.outputs
    for value in result.values[1:]:
        taken = by_value[value]
        assert taken.action is Action.SUB
        turned = by_value[taken.args[0]]
        assert (turned.action, turned.steps) == (Action.ROTATE, program.slots // 2 // (1 + program.two_rows))


def test_a_row_that_vanishes_modulo_t_is_zero() -> None:
    @fh.app(x=fh.integers(4, modulo=17))
    def vanishing(x: fh.Vector) -> fh.Vector:
        return x * [17, 34, -17, 170] + x * [18, 2, 16, -20]

    program = lower(vanishing.trace(), Style(Scheme.BFV), 8)
    check(program, Style(Scheme.BFV))
    assert [p.tolist() for p in program.plains] == [[1, 2, -1, -3]]


def test_a_polynomial_that_vanishes_modulo_t_is_its_constant() -> None:
    @fh.app(x=fh.integers(4, modulo=17))
    def vanishing(x: fh.Vector) -> fh.Vector:
        return fh.polynomial(x, [5, 17, 34])

    program = lower(vanishing.trace(), Style(Scheme.BFV), 8)
    check(program, Style(Scheme.BFV))
    assert simulate(program, {"x": np.arange(4)}, 17)["result"].tolist() == [5] * 4


@pytest.mark.parametrize("exact", [False, True])
def test_a_result_that_cancels_once_maps_are_one_is_refused_at_its_line(exact: bool) -> None:
    @fh.app(x=fh.integers(4, modulo=T) if exact else fh.reals(4, low=-1, high=1))
    def cancels(x: fh.Vector) -> fh.Vector:
        return x[::-1][::-1] - x + 3

    with pytest.raises(CircuitError, match="output result of cancels does not depend") as caught:
        cancels.trace()
    assert f"test_zeros.py:{cancels.function.__code__.co_firstlineno + 2}: " in caught.value.message
