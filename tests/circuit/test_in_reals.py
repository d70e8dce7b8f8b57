"""Functions of integers as polynomials on reals that are near integers."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate, values_by
from fheasible.circuit.cleartext import of_reals as by_series
from fheasible.circuit.composition import Composition
from fheasible.circuit.degrees import open_nodes, series_nodes, with_degrees
from fheasible.circuit.depth import depth
from fheasible.circuit.drawn import random_data
from fheasible.circuit.in_reals import BY_SERIES, in_reals
from fheasible.circuit.node import Circuit, Kind, Op
from fheasible.errors import PromiseBroken, UnsupportedOperation

WIDE = Composition((7, 15, 15, 15))  # enough for 2^-10 of a range of a thousand


def of_two(function: Callable[..., Any], most: int, length: int = 9) -> Circuit:
    vector = fh.integers(length, low=-most, high=most)
    return fh.app(x=vector, y=vector)(function).trace()


def chosen(circuit: Circuit) -> Circuit:
    """The circuit in reals with compositions that are precise enough for these tests."""
    found = in_reals(circuit)
    return with_degrees(found, tuple(WIDE for _ in open_nodes(found)))


FUNCTIONS = [
    lambda x, y: x > y,
    lambda x, y: x <= y,
    lambda x, y: x == y,
    lambda x, y: x != 3,
    lambda x, y: fh.maximum(x, y) + fh.minimum(y, 3),
    lambda x, y: fh.where(x > y, x - y, y),
    lambda x, y: fh.where((x > y) & (y > 2) | (x == 0), x, y) + ((x > 2) ^ (y > 3)),
    lambda x, y: abs(x) - fh.sign(y) + fh.relu(x),
    lambda x, y: fh.sort(x[:3]),
    lambda x, y: fh.argmax(x[:4]),
    lambda x, y: fh.maximum(fh.maximum(x, y), y * 2) == fh.maximum(y * 2, x),
]


@pytest.mark.parametrize("most", [7, 300])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_ckks_computes_what_the_circuit_does(function: Callable[..., Any], most: int) -> None:
    found = of_two(function, most)
    rewritten = chosen(found)
    assert all(n.op is not Op.DISCRETE and n.kind is Kind.REAL for n in rewritten.nodes())
    for seed in range(4):
        data = random_data(found, seed)
        expected = evaluate(found, data)["result"]
        assert list(evaluate(rewritten, data)["result"]) == list(expected)
        assert np.abs(evaluate(rewritten, data, exact=False)["result"] - expected).max() < 0.1


@given(st.lists(st.integers(-300, 300), min_size=2, max_size=2), st.integers(0, len(FUNCTIONS[:7]) - 1))
def test_it_is_right_beside_a_tie(numbers: list[int], which: int) -> None:
    found = of_two(FUNCTIONS[which], 300, length=1)
    for near in (-1, 0, 1):
        x = numbers[0]
        data = {"x": np.array([x]), "y": np.array([min(max(x + near, -300), 300)])}
        expected = evaluate(found, data)["result"]
        assert np.abs(evaluate(chosen(found), data, exact=False)["result"] - expected).max() < 0.1


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: fh.lookup(x, [(v * 37) % 23 for v in range(-40, 41)], low=-40),
        lambda x, y: x // 7 - y % 5 + (x >> 2),
        lambda x, y: (x & 12) | 3,
        lambda x, y: fh.lookup(x, range(-40, 41), low=-40),
    ],
)
def test_tables_of_few_values_are_series_without_an_error(function: Callable[..., Any]) -> None:
    found = of_two(function, 40, length=81)
    rewritten = in_reals(found)
    assert not open_nodes(rewritten)
    data = {"x": np.arange(-40, 41), "y": np.arange(40, -41, -1)}
    errors = evaluate(rewritten, data, exact=False)["result"] - evaluate(found, data)["result"]
    assert np.abs(errors).max() < 1e-8


def test_a_table_that_is_a_straight_line_takes_no_series() -> None:
    found = in_reals(of_two(lambda x, y: fh.lookup(x, range(5, 86), low=-40), 40))
    assert series_nodes(found) == ()


def test_few_values_are_compared_by_a_series_and_many_by_a_composition() -> None:
    def of(high: int) -> Circuit:
        return in_reals(fh.app(x=fh.integers(2, low=0, high=high))(lambda x: x > 5).trace())

    assert len(open_nodes(of(BY_SERIES - 1))) == 0
    assert len(open_nodes(of(BY_SERIES))) == 1
    assert depth(of(15), "ckks") == 6  # a series of degree 31, and the map of its interval


def test_errors_of_earlier_compositions_do_not_spoil_later_ones() -> None:
    """Distances of up to `SLACK` from whole numbers, on the way into a second comparison."""
    found = of_two(lambda x, y: fh.maximum(x, y) > 200 - x, 300)
    rewritten = chosen(found)
    for seed in range(3):
        data = random_data(found, seed)

        def shaken(n: Any, operands: Any, seed: int = seed) -> Any:
            made = by_series(n, [np.asarray(a, dtype=np.float64) for a in operands])
            if n.op is Op.CHEBYSHEV and n.attribute.gated:
                made = made + np.random.default_rng(seed).uniform(-0.1, 0.1, len(made))
            return made

        found_values = values_by(shaken, rewritten, data)[dict(rewritten.outputs)["result"]]
        assert np.abs(found_values - evaluate(found, data)["result"]).max() < 0.1


@pytest.mark.parametrize(
    ("function", "high", "said"),
    [
        (lambda x: x % 7, 5000, "x % number of 5,001 different values"),
        (lambda x: fh.maximum(x, 17), 10**7, "maximum of values that differ by up to 9,999,983"),
        (lambda x: x & (x + 1), 3, "x & y of values other than 0 and 1"),
    ],
)
def test_what_has_too_large_a_range_is_refused_with_its_line(
    function: Callable[..., Any], high: int, said: str
) -> None:
    found = fh.app(x=fh.integers(2, low=0, high=high))(function).trace()
    with pytest.raises(UnsupportedOperation, match=rf"test_in_reals.py:\d+: {re.escape(said)} takes more"):
        in_reals(found)


def test_arguments_that_are_neither_0_nor_a_margin_away_break_the_promise() -> None:
    found = in_reals(of_two(lambda x, y: fh.maximum(x, y), 300, length=1))
    (n,) = open_nodes(found)
    assert n.attribute.jump.zero
    x = np.array([3])
    assert evaluate(found, {"x": x, "y": x})["result"] == 3
    with pytest.raises(PromiseBroken, match="margin=1"):
        evaluate(found, {"x": x, "y": x + 0.5})


def test_integers_among_reals_become_reals_too() -> None:
    both = fh.app(x=fh.integers(4, low=0, high=9), y=fh.reals(4, low=0, high=1))(
        lambda x, y: (x > 4) * y
    ).trace()
    data = {"x": np.array([3, 4, 5, 6]), "y": np.array([0.25, 0.5, 0.75, 1.0])}
    found = evaluate(in_reals(both), data, exact=False)["result"]
    assert found == pytest.approx([0, 0, 0.75, 1.0], abs=1e-9)
