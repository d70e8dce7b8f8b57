"""The inputs with the largest results, where they are known by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.domain import largest, tried
from fheasible.circuit.node import Circuit


def found(circuit: Circuit) -> list[float]:
    return [max(p.largest(node) for p in largest(circuit)) for _, node in circuit.outputs]


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40), st.integers(-5, 4))
def test_a_weighted_sum_is_largest_at_ends_that_its_signs_choose(weights: list[int], low: int) -> None:
    w = np.array(weights, dtype=np.float64)
    if not w.any():
        return
    app = fh.app(x=fh.reals(len(w), low=low, high=5))(lambda x: fh.sum(x * w) if len(w) > 1 else x * w)
    most = max(abs(np.maximum(w * low, w * 5).sum()), abs(np.minimum(w * low, w * 5).sum()))
    assert found(app.trace()) == [pytest.approx(most)]


def test_a_largest_value_may_lie_inside_the_ranges() -> None:
    app = fh.app(x=fh.reals(10, low=0, high=1))(lambda x: x * (1 - x))
    assert found(app.trace()) == [pytest.approx(0.25, rel=0.01)]


def test_operands_of_opposite_sign_and_products_of_sums_are_climbed_to() -> None:
    """(sum x - sum y) * sum z is largest with x above, y below, z at either end: 3 * 8 * 8 * 2."""
    ranges = {name: fh.reals(8, low=-1, high=2) for name in "xyz"}
    app = fh.app(**ranges)(lambda x, y, z: (fh.sum(x) - fh.sum(y)) * fh.sum(z))
    assert found(app.trace()) == [pytest.approx(24 * 16)]


def test_a_polynomial_of_integers_that_is_0_nearly_everywhere_is_drawn_for() -> None:
    """48 where two of six bits differ, and 0 for all other distances: CKKS gave 0 for it, with a modulus that
    holds less than 1."""

    @fh.app(a=fh.integers(6, low=0, high=1), b=fh.integers(6, low=0, high=1))
    def two_differ(a: fh.Vector, b: fh.Vector) -> fh.Vector:
        d = fh.sum((a - b) ** 2)
        return d * (d - 1) * (d - 3) * (d - 4) * (d - 5) * (d - 6)

    circuit = two_differ.trace()
    (point,) = largest(circuit)
    assert point.largest(circuit.outputs[0][1]) == 48


def test_inputs_that_break_a_promise_are_none() -> None:
    app = fh.app(x=fh.reals(10, low=-8, high=8))(lambda x: fh.tanh(x * 0.5, -3, 3, degree=15) * x)
    circuit = app.trace()
    points = largest(circuit)
    assert all(np.abs(p.data["x"]).max() <= 6 for p in points)
    assert found(circuit)[0] <= 6


def test_each_output_has_its_own_largest_value_and_integers_stay_whole() -> None:
    app = fh.app(x=fh.integers(6, low=-7, high=3))(lambda x: {"cube": x**3, "sum": fh.sum(x) + 50})
    circuit = app.trace()
    assert found(circuit) == [343.0, 68.0]
    assert all(p.data["x"].dtype == np.int64 for p in largest(circuit))


def test_what_is_tried_lies_in_the_declared_ranges() -> None:
    app = fh.app(x=fh.reals(5, low=-0.01, high=0.03), y=fh.integers(5, low=2, high=9))(lambda x, y: x * y)
    for words, data in tried(app.trace()):
        assert words
        assert data["x"].min() >= -0.01
        assert data["x"].max() <= 0.03
        assert data["y"].min() >= 2
        assert data["y"].max() <= 9


def test_inputs_that_are_tried_are_tried_once() -> None:
    """All at one end, each at that end, and ends that are drawn may be the same."""
    app = fh.app(x=fh.reals(1, low=-1, high=2), y=fh.integers(3, low=0, high=1))(lambda x, y: x * fh.sum(y))
    given = [tuple(tuple(v.tolist()) for v in data.values()) for _, data in tried(app.trace())]
    assert len(given) == len(set(given))
    assert {((x,), (y,) * 3) for x in (-1, 2) for y in (0, 1)} <= set(given)


def test_an_output_that_is_hardly_ever_other_than_0_is_drawn_for_longer() -> None:
    """Each of two outputs is 0 for all but one of 201 numbers."""

    def rare(x: Any, key: int) -> Any:
        return (x == key) * x

    app = fh.app(x=fh.integers(1, low=0, high=200))(lambda x: {"one": rare(x, 41), "other": rare(x, 117)})
    assert found(app.trace()) == [41.0, 117.0]
