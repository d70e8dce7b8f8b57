"""Functions of small integers as polynomials modulo a prime."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.depth import depth
from fheasible.circuit.drawn import random_data
from fheasible.circuit.modular import in_modulus, interpolated
from fheasible.circuit.node import Op
from fheasible.errors import UnsupportedOperation

T = 65537


def test_a_polynomial_has_the_values_that_it_was_made_of() -> None:
    values = np.array([5, 0, 0, 9, -7])
    made = interpolated(-2, values, T)
    found = [sum(c * x**i for i, c in enumerate(made)) % T for x in range(-2, 3)]
    assert found == [int(v) % T for v in values]
    assert interpolated(0, np.array([4, 4, 4]), T) == (4,)


@pytest.mark.parametrize(
    ("function", "deep"),
    [
        (lambda x, y: x > y, 5),  # degree 31 at most: x - y has 32 values
        (lambda x, y: x == y, 5),
        (lambda x, y: x * 1000 == y, 16),  # 1 - d^65536
        (lambda x, y: fh.maximum(x, y) + fh.minimum(y, 3), 5),
        (lambda x, y: fh.where(x > y, x * x, y), 6),
        (lambda x, y: (x & 3) + ((x > 2) ^ (y > 3)) + ((x > 2) | (y > 3)), 5),
        (lambda x, y: fh.lookup(x, range(100), low=-50) + y // 7 - x % 5, 4),
    ],
)
def test_bfv_computes_what_the_circuit_does(function: Callable[..., Any], deep: int) -> None:
    found = fh.app(x=fh.integers(9, low=-8, high=7), y=fh.integers(9, low=0, high=15))(function).trace()
    modular = in_modulus(found, T)
    assert all(n.op is not Op.DISCRETE for n in modular.nodes())
    assert depth(modular, "bfv") <= deep
    for seed in range(4):
        data = random_data(found, seed)
        assert list(evaluate(modular, data)["result"]) == list(evaluate(found, data)["result"])


@pytest.mark.parametrize("t", [17, T])
def test_residues_are_equal_where_the_power_of_their_difference_is_0(t: int) -> None:
    """Of all residues, with either sign: 1 - (x - y)^(t - 1), and what is selected by it."""
    found = fh.app(x=fh.integers(6, modulo=t), y=fh.integers(6, modulo=t))(
        lambda x, y: fh.where((x == y) & (x != 3), x * x, 5)
    )
    modular = in_modulus(found.trace(), t)
    data = {"x": np.array([0, 3, t - 1, 4, 8, 2]), "y": np.array([0, 3, -1, 5, 8, 2])}
    expected = [0, 5, 1, 5, 64 % t, 4]
    assert [int(v) % t for v in evaluate(modular, data)["result"]] == expected
    assert [int(v) % t for v in found(**data)] == expected


def test_residues_are_not_compared_in_their_order() -> None:
    for t in (17, T):
        found = fh.app(**dict.fromkeys("xy", fh.integers(2, modulo=t)))(lambda x, y: x > y).trace()
        with pytest.raises(UnsupportedOperation, match=r"test_modular.py:\d+: x > y of"):
            in_modulus(found, t)


def test_what_has_too_large_a_range_is_refused_with_its_line() -> None:
    found = fh.app(x=fh.integers(2, low=0, high=5000))(lambda x: x > 17).trace()
    with pytest.raises(UnsupportedOperation, match=r"test_modular.py:\d+: x > y of 5,001 different values"):
        in_modulus(found, T)
