"""The polynomials of the modular reduction: what they are near, and how they are evaluated."""

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev, polynomial

from cases import case
from fheasible.libraries.primes import descending
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.schemes.rns.bootstrap import halving, monic
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.method import Alignment
from fheasible.schemes.rns.bootstrap.procedure import Reduction, Wave
from fheasible.schemes.rns.bootstrap.series import amplitude, inverse, wave
from fheasible.schemes.rns.ciphertext import RnsKeys, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Variant

INSECURE_N, BITS, LEVELS = 32, 50, 9


def near_integers(bound: int, width: float, seed: int) -> Any:
    random = np.random.default_rng(seed)
    whole = random.integers(1 - bound, bound, 200)
    return whole, random.uniform(-width, width, 200)


def reduced(x: Any, r: Reduction, shifted: bool, message_bits: int) -> Any:
    """What the reduction makes of x, in clear."""
    factor = amplitude(r)
    y = (x - 0.25 * (shifted and r.wave is not Wave.SINE)) / r.bound
    y = factor * chebyshev.chebval(y, wave(r, shifted, message_bits))
    for _ in range(r.doublings):
        factor *= factor
        y = 2 * y * y - factor
    return polynomial.polyval(y, inverse(r.inverse_degree)) if r.inverse_degree else y


@pytest.mark.parametrize("shifted", [True, False])
def test_the_wave_and_its_double_angles_are_a_sine(shifted: bool) -> None:
    for r in (Reduction(12, 63, 2), Reduction(28, 48, 3), Reduction(648, 104, 6), Reduction(16, 36, 3)):
        with case(r):
            whole, y = near_integers(r.bound, 2.0**-8, 1)
            made = reduced(whole + y, r, shifted, 8)
            assert np.max(np.abs(made - np.sin(2 * np.pi * y) / (2 * np.pi))) < 1e-7


def test_a_sine_without_double_angles_is_one_series() -> None:
    whole, y = near_integers(6, 2.0**-8, 2)
    made = reduced(whole + y, Reduction(6, 63, wave=Wave.SINE), True, 8)
    assert np.max(np.abs(2 * np.pi * made / (2 * np.pi) - np.sin(2 * np.pi * y) / (2 * np.pi))) < 1e-9


def test_an_arcsine_leaves_the_remainder_itself() -> None:
    r = Reduction(12, 63, 2, inverse_degree=7)
    whole, y = near_integers(12, 2.0**-5, 3)
    assert np.max(np.abs(reduced(whole + y, r, True, 5) - y)) < 1e-8


def test_interpolation_near_the_integers_has_half_the_degree_of_a_series() -> None:
    """[HanKi19]: within the integers that matter, where the series of the same degree is far off."""
    clustered, series = Reduction(16, 30, 3, wave=Wave.COSINE), Reduction(16, 30, 3)
    random = np.random.default_rng(4)
    x = random.integers(-8, 9, 200) + random.uniform(-(2.0**-8), 2.0**-8, 200)
    y = x - np.rint(x)
    errors = [
        np.max(np.abs(reduced(x, r, True, 8) - np.sin(2 * np.pi * y) / (2 * np.pi)))
        for r in (clustered, series)
    ]
    assert errors[0] < 2.0**-30
    assert errors[1] > 64 * errors[0]


def test_more_nodes_at_an_integer_make_the_interpolation_closer() -> None:
    whole, y = near_integers(12, 2.0**-8, 5)
    keep = np.abs(whole) < 8
    errors = [
        np.max(
            np.abs(
                reduced(whole + y, Reduction(12, d, 2, wave=Wave.COSINE), True, 8)
                - np.sin(2 * np.pi * y) / (2 * np.pi)
            )[keep]
        )
        for d in (30, 40, 50)
    ]
    assert errors[0] > errors[1] > errors[2]


@cache
def scheme() -> tuple[CKKS, RnsKeys]:
    q = (*islice(descending(55, 2 * INSECURE_N), 1), *islice(descending(BITS, 2 * INSECURE_N), LEVELS))
    ring = ExactRnsRing(INSECURE_N, q, tuple(islice(descending(57, 2 * INSECURE_N), 1)), (), seed=3)
    scales = [2.0**BITS]
    for prime in reversed(q[1:]):
        scales.append(scales[-1] ** 2 / prime)
    made = CKKS(ring, RnsSpec(scales=tuple(reversed(scales))), Variant())
    return made, made.keygen()


def by_halving(x: Any, c: Any, is_chebyshev: bool) -> Any:
    s, keys = scheme()
    made = halving.evaluated(s, keys, s.encrypt(keys, x), c, 2.0**BITS, is_chebyshev)
    assert made.level == LEVELS - halving.depth(len(c) - 1)
    assert made.scale == pytest.approx(2.0**BITS, rel=1e-12)
    return s.decrypt(keys, made)


def by_monic(x: Any, c: Any, alignment: Alignment) -> Any:
    s, keys = scheme()
    on = Aligned(s, keys, alignment)
    made = on.settled(monic.evaluated(on, Value(s.encrypt(keys, x)), c)).x
    assert made.level == LEVELS - monic.depth(len(c) - 1)
    return s.decrypt(keys, made)


def close(made: Any, expected: Any) -> bool:
    return bool(np.max(np.abs(made - expected)) < 2.0**-20)


@pytest.mark.long
@settings(max_examples=30)
@given(st.integers(5, 100), st.sampled_from([None, 0, 1]), st.integers(0, 99))
def test_every_way_to_evaluate_a_series_gives_its_values(degree: int, parity: int | None, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, c = random.uniform(-1, 1, INSECURE_N // 2), random.uniform(-1, 1, degree + 1) / (degree + 1)
    ways: list[Callable[[Any, Any], Any]] = [lambda x, c: by_monic(x, c, Alignment.CORRECTED)]
    assert close(ways[0](x, c), chebyshev.chebval(x, c))
    if parity is not None:
        c[1 - parity :: 2] = 0
        c = np.trim_zeros(c, "b")
    assert close(by_halving(x, c, True), chebyshev.chebval(x, c))


@pytest.mark.parametrize("degree", [3, 7, 9])
def test_powers_of_x_are_evaluated_in_the_same_way(degree: int) -> None:
    x = np.random.default_rng(6).uniform(-1, 1, INSECURE_N // 2)
    c = inverse(degree)
    assert close(by_halving(x, c, False), polynomial.polyval(x, c))


def test_scales_that_are_not_corrected_give_the_same_up_to_what_primes_differ() -> None:
    x, c = np.random.default_rng(7).uniform(-1, 1, INSECURE_N // 2), np.ones(37) / 37
    expected = chebyshev.chebval(x, c)
    for alignment in (Alignment.DROPPED, Alignment.AT_ONCE):
        with case(alignment):
            assert np.max(np.abs(by_monic(x, c, alignment) - expected)) < 2.0**-20
