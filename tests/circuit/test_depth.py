"""Multiplicative depth, counted by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.depth import ceil_log2, depth

MATRIX = np.arange(3000).reshape(3, 1000) % 7


def real(function: Callable[[Any], Any], minimise: bool = True) -> Any:
    return fh.app(minimise_depth=minimise, x=fh.reals(1000, low=-1, high=1))(function).trace()


@pytest.mark.parametrize(
    ("function", "ckks", "bfv"),
    [
        (lambda x: x + 1 - x * -1, 0, 0),
        (lambda x: x * 2 - 3, 0, 0),
        (lambda x: x * 3, 1, 0),
        (lambda x: x * ([0.0, 1.0] * 500), 1, 0),
        (lambda x: x * x, 1, 1),
        (lambda x: fh.sum(x * x), 1, 1),
        (lambda x: fh.mean(x * x), 2, 1),
        (lambda x: x.rotate(5) * 0.5 * x, 2, 1),
        (lambda x: fh.polynomial(x, [1, 1, 1, 1]), 2, 2),
        (lambda x: fh.polynomial(x, [3, 3, 3, 3, 3]), 3, 2),  # 3 x^4 has five factors
        (lambda x: fh.polynomial(x, [3, 3, 3, 3, 1]), 2, 2),
        (lambda x: fh.polynomial(x, [1] * 8 + [0.5]), 4, 3),
        (lambda x: x**9, 4, 4),
        (lambda x: MATRIX @ x, 1, 0),
        (lambda x: (MATRIX @ x) ** 2 + x[:3], 2, 1),
        (lambda x: fh.concatenate([x[1:], x * x]), 2, 1),
    ],
)
def test_depth_by_hand(function: Callable[[Any], Any], ckks: int, bfv: int) -> None:
    found = real(function)
    assert (depth(found, "ckks"), depth(found, "bgv"), depth(found, "bfv")) == (ckks, bfv, bfv)


@pytest.mark.parametrize(("degree", "levels"), [(1, 1), (3, 2), (7, 3), (247, 8), (255, 8), (257, 9)])
def test_a_series_costs_the_logarithm_and_a_level_to_map_its_interval(degree: int, levels: int) -> None:
    def series(low: float, high: float) -> int:
        # |x - 0.1| on these intervals has coefficients of every degree
        return depth(
            real(lambda x: fh.approximate(lambda v: abs(v - 0.1), low, high, degree=degree)(x)), "ckks"
        )

    assert series(-1, 1) == levels
    assert series(-1.5, 1) == levels + 1


def test_as_written_powers_and_polynomials_are_chains() -> None:
    assert depth(real(lambda x: x**9, minimise=False), "ckks") == 8
    found = real(lambda x: fh.polynomial(x, [3] * 9), minimise=False)
    assert (depth(found, "ckks"), depth(found, "bfv")) == (8, 7)


def test_the_mean_of_one_element_costs_nothing() -> None:
    @fh.app(x=fh.reals(1, low=0, high=1))
    def single(x: fh.Vector) -> fh.Vector:
        return fh.mean(x)

    assert depth(single.trace(), "ckks") == 0


@pytest.mark.parametrize(("k", "expected"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11)])
def test_ceil_log2(k: int, expected: int) -> None:
    assert ceil_log2(k) == expected
