"""Constant factors wait for each other, but never so long that values outgrow a modulus without them."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.lowering.lower import lower
from fheasible.lowering.vectors import FARTHEST_FACTOR_BITS
from fheasible.program.simulate import run
from fheasible.program.style import Style
from fheasible.program.types import Scheme

CKKS = Style(Scheme.CKKS)


@given(
    large=st.floats(1e-6, 1e6),
    exponents=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    length=st.sampled_from([1, 5, 40]),
)
@settings(max_examples=60, deadline=None)
def test_values_stay_as_large_as_the_application_makes_them(
    large: float, exponents: list[int], length: int
) -> None:
    """Inputs up to `large` are divided by it, so that all values that follow are at most 1."""

    @fh.app(x=fh.reals(length, low=-large, high=large))
    def scaled(x: fh.Vector) -> fh.Vector:
        return prod((fh.power(x / large, e) for e in exponents), start=1.0)

    circuit = scaled.trace()
    x = np.random.default_rng(1).uniform(-large, large, length)
    program = lower(circuit, CKKS, 64)
    values = run(program, {"x": x})
    most = max(large, 1.0) * 2.0 ** (2 * FARTHEST_FACTOR_BITS)
    assert max(float(np.abs(value).max()) for value in values.values()) <= most
    (result,) = evaluate(circuit, {"x": x}).values()
    found = values[program.outputs[0].values[0]][:length]
    np.testing.assert_allclose(found, result, rtol=1e-9, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("most", "power"), [(1000.0, 8), (1e4, 256), (1e-4, 16)])
def test_powers_of_scaled_inputs_fit(most: float, power: int) -> None:
    """They once were said not to fit, for their factor waited until x^8 had outgrown every modulus."""

    @fh.app(x=fh.reals(100, low=-most, high=most))
    def scaled(x: fh.Vector) -> fh.Vector:
        return fh.power(x / most, power)

    assert fh.explore(scaled, precision=10).best is not None


@pytest.mark.long
@pytest.mark.parametrize(
    ("most", "power", "sign"), [(1e8, 2, 1), (1e8, 4, -1), (1e-8, 2, -1), (1e4, 8, 1), (1e6, 3, 1)]
)
def test_numbers_far_from_one_are_shared_out_among_the_factors(most: float, power: int, sign: int) -> None:
    """x * x * 1e-16 was right to six bits only, for 1e-16 rounds to 57 at a scale of 59 bits."""

    @fh.app(x=fh.reals(100, low=-most, high=most))
    def scaled(x: fh.Vector) -> fh.Vector:
        return prod([x] * power, start=1.0) * (sign * most**-power)

    best = fh.explore(scaled, precision=15).best
    assert best is not None
    assert best.ring_dimension <= 1 << 14
    circuit = scaled.trace()
    x = np.random.default_rng(2).uniform(-most, most, 100)
    program = lower(circuit, CKKS, 128)
    found = run(program, {"x": x})[program.outputs[0].values[0]][:100]
    (result,) = evaluate(circuit, {"x": x}).values()
    np.testing.assert_allclose(found, result, rtol=1e-9)
