"""Results and intermediate values that cancel to a constant, however that is written."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit, Op
from fheasible.circuit.simplify import simplify
from fheasible.circuit.unvarying import constants
from fheasible.errors import CircuitError

from .random_circuits import Instruction, circuit, inputs, instructions

REALS, INTEGERS = fh.reals(6, low=-0.5, high=2), fh.integers(6, low=-30, high=200)
KINDS = {"reals": REALS, "integers": INTEGERS, "wrapping": fh.integers(6, modulo=65537)}
NOTHING: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x - 2 * x + x,
    lambda x, y: x - x,
    lambda x, y: (x + 1) ** 2 - x**2 - 2 * x - 1,
    lambda x, y: 0 * x,
    lambda x, y: (x - y) * (x + y) - x * x + y**2,
    lambda x, y: fh.sum(x - x.rotate(2)),
    lambda x, y: x * [1, 0, 1, 0, 1, 0] * ([0, 3, 0, 3, 0, 3] * y),
    lambda x, y: x[2:4] - fh.concatenate([x[2], x[3]]),
    lambda x, y: fh.polynomial(x, [1, 2, 1]) - (x + 1) * (1 + x),
    lambda x, y: np.array([[1, -1]] * 2) @ (np.array([[1, 2, 3, 4, 5, 6]] * 2) @ x),
    lambda x, y: x**7 - x**3 * x**4,
    lambda x, y: 7 * (x * y) - 3 * (y * x) - 4 * y * x,
]


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("function", NOTHING)
def test_a_result_that_cancels_is_said_before_anything_runs(function: Callable[..., Any], kind: str) -> None:
    with pytest.raises(CircuitError, match=r"does not depend on any input: it is 0") as caught:
        fh.app(x=KINDS[kind], y=KINDS[kind])(function).trace()
    assert ".py:" in caught.value.message


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("function", NOTHING)
def test_inside_of_a_larger_result_it_is_gone(function: Callable[..., Any], kind: str) -> None:
    def larger(x: Any, y: Any) -> Any:
        return y * (function(x, y)[0] + 3)

    found = simplify(fh.app(x=KINDS[kind], y=KINDS[kind])(larger).trace())
    assert [n.op for n in found.nodes()] == [Op.INPUT, Op.CONSTANT, Op.MULTIPLY]


def test_decimal_constants_cancel_as_they_do_on_paper() -> None:
    with pytest.raises(CircuitError, match="it is 0"):
        fh.app(x=REALS)(lambda x: 0.1 * x + 0.2 * x - 0.3 * x).trace()
    with pytest.raises(CircuitError, match=r"it is 0\.75 everywhere"):
        fh.app(x=REALS)(lambda x: (x - fh.mean(x)) / 3 - (x / 3 - fh.mean(x) / 3) + 0.75).trace()
    with pytest.raises(CircuitError, match="it is 0"):
        fh.app(x=REALS)(lambda x: fh.sum(x - fh.mean(x))).trace()


def test_large_integers_cancel_exactly() -> None:
    spec = fh.integers(2, low=0, high=2**40)
    with pytest.raises(CircuitError, match="it is 1e"):
        fh.app(x=spec)(lambda x: x - x * 1 + 10**15 + x * 0).trace()
    found = fh.app(x=spec)(lambda x: x * (x - 2 * x + x + (2**61 + 1))).trace()
    (plain,) = {n.attribute.array[0] for n in simplify(found).nodes() if n.op is Op.CONSTANT}
    assert int(plain) == 2**61 + 1


def test_coefficients_that_the_modulus_takes_cancel() -> None:
    with pytest.raises(CircuitError, match="it is 0"):
        fh.app(x=fh.integers(3, modulo=65537))(lambda x: 30_000 * x + 35_537 * x).trace()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 1e-9,
        lambda x: x - x * 0.999999999,
        lambda x: (x - 0.5) ** 16,
        lambda x: fh.approximate(lambda v: float(v > 1.9), low=-0.5, high=2, degree=31)(x),
        lambda x: 1e6 + x - 1e6,
    ],
)
def test_what_varies_little_still_varies(function: Callable[..., Any]) -> None:
    fh.app(x=REALS)(function).trace()


def test_a_power_that_is_1_for_all_but_0_varies() -> None:
    fh.app(x=fh.integers(1, modulo=65537))(lambda x: x**65_536).trace()


def test_chaos_is_no_constant() -> None:
    def logistic(x: Any) -> Any:
        for _ in range(90):
            x = 3.99 * x * (1 - x)
        return x

    fh.app(x=fh.reals(3, low=0, high=1))(logistic).trace()


@given(st.sampled_from(["real", "integer"]), instructions(), st.integers(0, 2**32))
def test_what_is_called_constant_is(kind: str, program: list[Instruction], seed: int) -> None:
    from fheasible.circuit.cleartext import values

    found: Circuit = circuit(kind, program)
    for n, constant in constants(found).items():
        seen = values(found, inputs(kind, seed))
        largest = max(float(np.abs(v).max()) for v in seen.values())
        np.testing.assert_allclose(seen[n], constant.array, rtol=0, atol=1e-12 * largest * (kind == "real"))


SMALL = [
    lambda x, y: (x + y) * (x - y) + y * y - x * x,
    lambda x, y: fh.mean((x + y) ** 2) - fh.mean(x * x) - fh.mean(y * (2 * x + y)),
    lambda x, y: fh.polynomial(x + y, [0.1, 0.3, 0.7]) - 0.1 - (x + y) * (0.3 + 0.7 * y) - 0.7 * x * (x + y),
    lambda x, y: np.array([[0.1, 0.7, 3]] * 2) @ (x + y) - np.array([[0.1, 0.7, 3]] * 2) @ (y + x * 1),
    lambda x, y: (
        fh.tanh(y, low=-6, high=-3) * (x + y)
        - y * fh.tanh(y, low=-6, high=-3)
        - x * fh.tanh(y, low=-6, high=-3)
    ),
]


@pytest.mark.parametrize("largest", [1e-2, 1e-7, 1e-9])
@pytest.mark.parametrize("function", SMALL[:-1])
def test_values_cancel_beside_values_that_are_much_larger(
    function: Callable[..., Any], largest: float
) -> None:
    small, large = fh.reals(3, low=-largest / 3, high=largest), fh.reals(3, low=-5, high=-4)
    with pytest.raises(CircuitError, match="it is 0"):
        fh.app(x=small, y=large)(function).trace()
    with pytest.raises(CircuitError, match=r"it is -?2\.5"):
        fh.app(x=small, y=large)(lambda x, y: 2.5 - function(x, y)).trace()


@pytest.mark.parametrize("function", SMALL)
def test_what_is_left_beside_values_that_are_much_larger_varies(function: Callable[..., Any]) -> None:
    small, large = fh.reals(3, low=-1e-7, high=1e-7), fh.reals(3, low=-5, high=-4)
    fh.app(x=small, y=large)(lambda x, y: function(x, y) + 1e-7 * x[0] * y[0]).trace()
