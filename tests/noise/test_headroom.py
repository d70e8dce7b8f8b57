"""How much room a value has left in its modulus, by hand."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, log2

import numpy as np
import pytest

import fheasible as fh
from fheasible.libraries.parameters import CkksParameters
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.headroom import headroom_bits, smallest_number_bits
from fheasible.noise.faint import largest_coefficient
from fheasible.noise.reach.gains import gains
from fheasible.program.style import Style
from fheasible.program.types import Program, Scheme

P = CkksParameters("seal", "ckks", 64, (2**60, 2**40, 2**40), scales=(2.0**40,) * 3, levels=2)
X = np.array([0.5, -3.0, 1.0, 2.0])


def lowered(f: str) -> Program:
    functions = {"shifted": lambda x: x + 1, "cube": lambda x: (x * x) * (x + x)}
    return lower(
        fh.app(x=fh.reals(4, low=-4, high=4))(lambda x: functions[f](x)).trace(), Style(Scheme.CKKS), 32
    )


def test_the_largest_slot_of_the_tightest_value_decides() -> None:
    found = lowered("shifted")
    room = headroom_bits(found, P, gains(found, {"x": X}))
    assert room == pytest.approx(60 - 1 - 40 - log2(3))  # the input's -3, of either sign


def test_products_count_before_they_are_rescaled() -> None:
    found = lowered("cube")
    room = headroom_bits(found, P, gains(found, {"x": X}))
    # after two rescalings: 2 * 27 at scale 40 in 60 bits
    assert room == pytest.approx(60 - 1 - 40 - log2(54))
    tight = replace(P, q=(2**60, 2**20, 2**40))
    # the second product: 54 at scale 80 in 80 bits
    assert headroom_bits(found, tight, gains(found, {"x": X})) == pytest.approx(80 - 1 - 80 - log2(54))


def test_zeros_fit_everywhere() -> None:
    found = lowered("cube")
    assert headroom_bits(found, P, gains(found, {"x": 0 * X})) > 60


def test_the_smallest_number_at_its_scale_by_hand() -> None:
    @fh.app(x=fh.reals(4, low=-4, high=4))
    def scaled(x: fh.Vector) -> fh.Vector:
        return x * np.array([0.25]) + fh.rotate(x, 1) * 2.0**-42

    found = lower(scaled.trace(), Style(Scheme.CKKS), 32)
    known = gains(found, {"x": X})
    assert smallest_number_bits(found, P, known) == pytest.approx(
        40 - 42
    )  # its product is at 2^80, x at 2^40
    assert smallest_number_bits(found, replace(P, scales=(2.0**45,) * 3), known) == pytest.approx(45 - 42)
    shifted = lowered("shifted")
    assert smallest_number_bits(shifted, P, gains(shifted, {"x": X})) == float("inf")


@pytest.mark.parametrize("slots", [1, 2, 8, 64])
def test_the_largest_coefficient_is_that_of_the_polynomial_with_these_values(slots: int) -> None:
    """Values at the roots exp(i pi 5^j / n) and their conjugates, n = 2 slots: solved for coefficients."""
    row = np.random.default_rng(slots).normal(size=slots)
    half = np.exp(1j * np.pi * np.array([pow(5, j, 4 * slots) for j in range(slots)]) / (2 * slots))
    powers = np.vander(np.concatenate([half, half.conj()]), 2 * slots, increasing=True)
    coefficients = np.linalg.solve(powers, np.concatenate([row, row]))
    assert np.abs(coefficients.imag).max() < 1e-12
    assert largest_coefficient(row) == pytest.approx(np.abs(coefficients.real).max())


@pytest.mark.parametrize(
    ("library", "product", "summand"),
    [("seal", 40 - 30 - 3, inf), ("openfhe", 40 - 30 - 3, 40 - 33), ("lattigo", inf, inf)],
)
def test_a_row_vanishes_with_its_largest_coefficient(library: str, product: float, summand: float) -> None:
    """One number among eight leaves coefficients of an eighth of it, eight alike one of their size."""
    p = replace(P, library=library)

    def bits(f: Callable[[fh.Vector], fh.Vector]) -> float:
        traced = fh.app(x=fh.reals(8, low=-4, high=4))(lambda x: f(x)).trace()
        made = lower(traced, Style(Scheme.CKKS), 8)
        return float(smallest_number_bits(made, p, gains(made, {"x": np.zeros(8)})))

    assert bits(lambda x: x * np.eye(8)[3] * 2.0**-30) == pytest.approx(product)
    assert bits(lambda x: x + np.eye(8)[3] * 2.0**-30) == pytest.approx(summand)


def test_a_summand_that_vanishes_is_seen_beside_larger_inputs() -> None:
    traced = fh.app(x=fh.reals(8, low=-4, high=4))(lambda x: x + np.eye(8)[3] * 2.0**-45).trace()
    made = lower(traced, Style(Scheme.CKKS), 8)
    met = gains(made, {"x": np.ones(8)})
    assert smallest_number_bits(made, replace(P, library="openfhe"), met) == pytest.approx(40 - 48)


@pytest.mark.parametrize("size", [2.0**-30, 2.0**-50])
def test_openfhe_takes_no_input_that_vanishes(size: float) -> None:
    """All alike they have one coefficient of their size; one alone in four slots, a quarter of it."""
    found = lowered("shifted")

    def bits(library: str, x: np.ndarray) -> float:
        return float(smallest_number_bits(found, replace(P, library=library), gains(found, {"x": x})))

    assert bits("seal", np.full(4, size)) == bits("lattigo", np.full(4, size)) == inf
    assert bits("openfhe", np.full(4, size)) == pytest.approx(40 + log2(size))
    assert bits("openfhe", np.eye(4)[1] * size) == pytest.approx(40 + log2(size) - 2, abs=0.01)
    assert bits("openfhe", np.zeros(4)) > 0
