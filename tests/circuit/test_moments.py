"""Sums of products of deviations: the same function as moments, a level less deep, where little is lost."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.depth import depth
from fheasible.circuit.moments import with_moments
from fheasible.circuit.node import Circuit
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import simplify

Body = Callable[..., Any]
DEVIATIONS: dict[str, Body] = {
    "a variance": lambda x, y: fh.mean((x - fh.mean(x)) ** 2),
    "by a product": lambda x, y: fh.mean((x - fh.mean(x)) * (x - fh.mean(x))),
    "a sum of squares": lambda x, y: fh.sum((y - fh.mean(y)) ** 2),
    "a covariance": lambda x, y: fh.mean((x - fh.mean(x)) * (y - fh.mean(y))),
    "an inner product": lambda x, y: fh.inner_product(x - fh.mean(x), y - fh.mean(y)),
    "the other way round": lambda x, y: fh.mean((fh.mean(x) - x) ** 2),
    "one the other way round": lambda x, y: fh.mean((fh.mean(x) - x) * (y - fh.mean(y))),
    "from a part of the mean": lambda x, y: fh.mean((x - 0.75 * fh.mean(x)) * (y - fh.mean(y))),
    "from a part of the sum": lambda x, y: fh.sum((x - fh.sum(x) * 0.125) * (y - fh.sum(y) * -0.25)),
}
OTHERS: dict[str, Body] = {
    "another's mean": lambda x, y: fh.mean((x - fh.mean(y)) ** 2),
    "one deviation": lambda x, y: fh.mean((x - fh.mean(x)) * y),
    "a cube": lambda x, y: fh.mean((x - fh.mean(x)) ** 3),
    "a deviation from a plain vector": lambda x, y: fh.mean((x - np.arange(6.0)) ** 2),
}


def circuit(body: Body, low: float = -1, high: float = 1, length: int = 6) -> Circuit:
    spec = fh.reals(length, low=low, high=high)
    return fh.app(x=spec, y=spec)(lambda x, y: body(x, y)).trace()


def values(traced: Circuit, x: Sequence[float], y: Sequence[float]) -> np.ndarray[Any, Any]:
    (found,) = evaluate(traced, {"x": np.array(x), "y": np.array(y)}).values()
    return found


@pytest.mark.parametrize("name", DEVIATIONS)
def test_they_are_written_as_moments(name: str) -> None:
    simple = simplify(circuit(DEVIATIONS[name]))
    assert with_moments(simple) != simple


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_product_of_two_deviations_stays(name: str) -> None:
    simple = simplify(circuit(OTHERS[name]))
    assert with_moments(simple) == simple


VECTORS = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=6, max_size=6)


@given(st.sampled_from(sorted({**DEVIATIONS, **OTHERS})), VECTORS, VECTORS)
def test_the_function_is_the_same(name: str, x: list[float], y: list[float]) -> None:
    written = circuit({**DEVIATIONS, **OTHERS}[name])
    np.testing.assert_allclose(
        values(with_moments(simplify(written)), x, y), values(written, x, y), rtol=0, atol=1e-13
    )


def test_a_variance_takes_two_levels_and_not_three() -> None:
    written = circuit(DEVIATIONS["a variance"], 0, 1)
    assert depth(normalise(written), "ckks") == 2
    assert depth(simplify(written), "ckks") == 3


@pytest.mark.parametrize(
    ("low", "high", "changes"), [(-1, 1, True), (0, 9, True), (60, 100, False), (1, 1.5, False)]
)
def test_deviations_stay_where_the_moments_are_far_larger(low: float, high: float, changes: bool) -> None:
    simple = simplify(circuit(DEVIATIONS["a variance"], low, high))
    assert (with_moments(simple) != simple) is changes


def test_integers_stay() -> None:
    spec = fh.integers(6, low=0, high=3)
    traced = fh.app(x=spec)(lambda x: fh.sum((x - fh.sum(x)) ** 2)).trace()
    assert with_moments(simplify(traced)) == simplify(traced)


@pytest.mark.parametrize("name", ["a variance", "the other way round"])
def test_a_variance_is_at_most_a_quarter_of_the_squared_width(name: str) -> None:
    found = circuit(DEVIATIONS[name], 2, 5)
    assert intervals(found)[found.outputs[0][1]] == (0, 2.25)
