"""The oracle: promises, exact integers, wrapping."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.node import Op
from fheasible.errors import CircuitError, DataError, PromiseBroken


def run(function: Callable[[Any], Any], spec: fh.VectorSpec, data: Any, **how: bool) -> Any:
    return evaluate(fh.app(x=spec)(function).trace(), {"x": np.array(data)}, **how)["result"]


UNIT = fh.reals(3, low=0, high=1)


def root(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(x, low=0.1, high=0.9, degree=3)


def test_a_function_is_what_it_stands_for_unless_its_series_is_wanted() -> None:
    x = np.array([0.2, 0.5, 0.7])
    np.testing.assert_allclose(run(root, UNIT, x), np.sqrt(x), rtol=1e-15)
    series = run(root, UNIT, x, exact=False)
    error = np.abs(series - np.sqrt(x))
    assert 1e-6 < error.max() < 0.02


@pytest.mark.parametrize(("worst", "exact"), [(0.05, True), (0.95, True), (0.95, False)])
def test_data_that_break_a_promise_are_refused(worst: float, exact: bool) -> None:
    with pytest.raises(PromiseBroken, match=rf"sqrt .* \[0.1, 0.9\], but the data lead to {worst}") as caught:
        run(root, UNIT, [0.3, worst, 0.11], exact=exact)
    assert f"test_cleartext.py:{root.__code__.co_firstlineno + 1}: " in caught.value.message


def test_rounding_breaks_no_promise() -> None:
    result = run(lambda x: fh.sqrt(x, low=0, high=0.3, degree=3), UNIT, [-1e-18, 0.1 + 0.2, 0.3])
    np.testing.assert_allclose(result, [0, np.sqrt(0.3), np.sqrt(0.3)])


@given(st.lists(st.integers(-(2**40), 2**40), min_size=3, max_size=3))
def test_integers_are_exact_or_refused(data: list[int]) -> None:
    spec = fh.integers(3, low=-(2**40), high=2**40)
    expected = [v**2 - 5 * v + 2 * v**2 for v in data]
    if max(abs(v) for v in [*(3 * v**2 for v in data), *expected]) < 2**62:
        found = run(lambda x: x * x - 5 * x + fh.polynomial(x, [0, 0, 2]), spec, data)
        assert [int(v) for v in found] == expected
    elif max(v**2 for v in data) >= 2**63:
        with pytest.raises(CircuitError, match="more than 63 bits"):
            run(lambda x: x * x - 5 * x + fh.polynomial(x, [0, 0, 2]), spec, data)


@given(st.integers(2, 2**61), st.lists(st.integers(-(2**59), 2**59), min_size=3, max_size=3))
def test_wrapping_integers_are_python_integers_modulo_t(t: int, data: list[int]) -> None:
    found = run(lambda x: fh.sum(x**3 - 7 * x), fh.integers(3, modulo=t), data)
    (value,) = (int(v) for v in found)
    assert (value - sum(v**3 - 7 * v for v in data)) % t == 0
    assert -t < 2 * value <= t


@pytest.mark.parametrize(("t", "expected"), [(5, [0, 1, 2, -2, -1, 0]), (4, [0, 1, 2, -1, 0, 1])])
def test_residues_are_centred_with_the_half_on_the_upper_side(t: int, expected: list[int]) -> None:
    found = evaluate(
        fh.app(x=fh.integers(6, modulo=t))(lambda x: x + 0).trace(), {"x": np.array([0, 1, 2, 3, 4, 5])}
    )
    assert found["result"].tolist() == expected


def test_overflow_to_infinity_names_the_line() -> None:
    with pytest.raises(CircuitError, match=r"test_cleartext.py:\d+: the result of this power is not finite"):
        run(lambda x: (x * 1e200) ** 2, UNIT, [1.0, 1.0, 1.0])


def test_every_nodes_value_can_be_had() -> None:
    circuit = fh.app(x=UNIT)(lambda x: fh.sum(x * x)).trace()
    found = values(circuit, {"x": np.array([1.0, 2.0, 3.0])})
    assert {n.op: v.tolist() for n, v in found.items()} == {
        Op.INPUT: [1.0, 2.0, 3.0],
        Op.MULTIPLY: [1.0, 4.0, 9.0],
        Op.SUM: [14.0],
    }


def test_missing_or_mismatched_inputs_are_refused() -> None:
    circuit = fh.app(x=UNIT)(lambda x: x + 1).trace()
    with pytest.raises(DataError, match="no values are given for the input x; the data have: y"):
        evaluate(circuit, {"y": np.zeros(3)})
    with pytest.raises(DataError, match=r"3 values, not for shape \(4,\)"):
        evaluate(circuit, {"x": np.zeros(4)})


def test_what_cancels_to_rounding_is_zero() -> None:
    """The third moment of data that are symmetric around 39 is 0; doubles find 1e-16 or so."""

    @fh.app(x=fh.reals(5, low=36, high=42))
    def moments(x: fh.Vector) -> dict[str, fh.Vector]:
        d = x - fh.mean(x)
        return {"third": fh.mean(d**3), "second": fh.mean(d**2)}

    found = evaluate(moments.trace(), {"x": np.array([39.2, 38.8, 39.1, 38.9, 39.0])})
    assert found["third"].tolist() == [0.0]
    assert found["second"] == pytest.approx([0.02])


@given(st.floats(0.05, 0.2), st.integers(10, 30), st.floats(1.0, 1e6))
def test_what_is_small_and_does_not_cancel_stays(x: float, power: int, scale: float) -> None:
    declared = {"x": fh.reals(3, low=0, high=1)}
    circuit = fh.app(**declared)(lambda x: x**power * (1 / scale) + 0 * x).trace()
    data = np.array([x, x / 2, x / 3])
    assert evaluate(circuit, {"x": data})["result"] == pytest.approx(data**power / scale, rel=1e-9, abs=0)


def test_a_difference_of_neighbours_stays_down_to_the_rounding_of_doubles() -> None:
    declared = {"x": fh.reals(2, low=0, high=2)}
    circuit = fh.app(**declared)(lambda x: x[:1] - x[1:]).trace()
    for apart in (2.0**-31, 2.0**-38):
        assert evaluate(circuit, {"x": np.array([1.0, 1.0 - apart])})["result"].tolist() == [apart]
    assert evaluate(circuit, {"x": np.array([1.0, 1.0 - 2.0**-50])})["result"].tolist() in ([0.0], [2.0**-50])
