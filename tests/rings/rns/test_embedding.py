"""Slots and polynomials: evaluations by hand, homomorphisms, rotations."""

import cmath
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import RingMismatch
from fheasible.rings.rns import embedding
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.exact import ExactRnsRing

from .drawing import CHAIN, PLAIN, SPECIAL, seeds
from .oracle import negacyclic, substituted

SCALE = 2.0**40
degrees = st.sampled_from([16, 32, 64])


def ring(n: int) -> ExactRnsRing:
    return ExactRnsRing(n, CHAIN, SPECIAL, (PLAIN,), seed=3)


def slots(seed: int, count: int) -> Any:
    random = np.random.default_rng(seed)
    return random.uniform(-1, 1, count) + 1j * random.uniform(-1, 1, count)


def test_slots_are_values_at_the_powers_of_five() -> None:
    n, real = 16, np.arange(16.0) - 3
    root = cmath.exp(1j * cmath.pi / n)
    by_hand = [sum(c * root ** (k * 5**j % (2 * n)) for k, c in enumerate(real)) for j in range(n // 2)]
    assert np.allclose(embedding.values(real), by_hand)


@settings(deadline=None)
@given(n=degrees, seed=seeds)
def test_what_was_encoded_is_decoded(n: int, seed: int) -> None:
    R, z = ring(n), slots(seed, n // 2)
    decoded = embedding.decode(R, embedding.encode(R, z, SCALE, R.q), SCALE)
    assert np.abs(decoded - z).max() < n / SCALE  # every coefficient is off by a half at most


@settings(deadline=None)
@given(n=degrees, seed=seeds)
def test_encoding_turns_sums_and_products_into_those_of_slots(n: int, seed: int) -> None:
    R, z, w = ring(n), slots(seed, n // 2), slots(seed + 1, n // 2)
    x, y = (R.to_ntt(embedding.encode(R, v, SCALE, R.q)) for v in (z, w))
    total = embedding.decode(R, R.to_coefficients(R.add(x, y)), SCALE)
    product = embedding.decode(R, R.to_coefficients(R.multiply(x, y)), SCALE**2)
    assert np.abs(total - (z + w)).max() < 2 * n / SCALE
    assert np.abs(product - z * w).max() < 4 * n / SCALE


@settings(deadline=None)
@given(n=degrees, seed=seeds, steps=st.integers(0, 10))
def test_powers_of_five_rotate_slots_to_the_left_and_minus_one_conjugates(
    n: int, seed: int, steps: int
) -> None:
    R, z = ring(n), slots(seed, n // 2)
    x = embedding.encode(R, z, SCALE, R.q)
    rotated = embedding.decode(R, R.automorphism(x, pow(5, steps, 2 * n)), SCALE)
    assert np.abs(rotated - np.roll(z, -steps)).max() < n / SCALE
    assert np.abs(embedding.decode(R, R.automorphism(x, -1), SCALE) - z.conj()).max() < n / SCALE


def test_fewer_slots_repeat_in_a_polynomial_of_fewer_coefficients() -> None:
    R, z = ring(64), slots(1, 8)
    integers = embedding.embed(R, z, SCALE)
    assert not integers[np.arange(64) % 4 != 0].any()
    assert np.abs(embedding.slots_of(R, integers, SCALE) - np.tile(z, 4)).max() < 64 / SCALE


@pytest.mark.parametrize("count", [0, 3, 64])
def test_slots_that_do_not_fill_the_ring_are_refused(count: int) -> None:
    with pytest.raises(RingMismatch, match=f"{count} slots"):
        embedding.embed(ring(64), slots(1, count), SCALE)


def test_scales_beyond_a_word_are_kept_to_the_precision_of_a_double() -> None:
    R, z = ring(32), slots(5, 16)
    x = embedding.encode(R, z, 2.0**100, R.q)
    assert np.abs(embedding.decode(R, x, 2.0**100) - z).max() < 2**-45


@settings(deadline=None)
@given(n=degrees, seed=seeds, generator=st.sampled_from([3, 5]))
def test_what_was_batched_is_unbatched(n: int, seed: int, generator: int) -> None:
    R, v = ring(n), np.random.default_rng(seed).integers(0, PLAIN, n)
    packed = embedding.batch(R, v, PLAIN, generator)
    assert packed.min() >= 0
    assert packed.max() < PLAIN
    assert (embedding.unbatch(R, packed, PLAIN, generator) == v).all()
    assert (embedding.unbatch(R, packed - PLAIN, PLAIN, generator) == v).all()


@settings(deadline=None)
@given(n=degrees, seed=seeds, generator=st.sampled_from([3, 5]))
def test_batching_turns_sums_products_and_substitutions_into_those_of_slots(
    n: int, seed: int, generator: int
) -> None:
    R, random = ring(n), np.random.default_rng(seed)
    v, w = random.integers(-PLAIN, PLAIN, n), random.integers(0, PLAIN, n)
    x, y = (embedding.batch(R, u, PLAIN, generator) for u in (v, w))
    product = np.array(negacyclic(x, y), dtype=object)
    rotated = np.array(substituted(x.tolist(), generator), dtype=object)
    swapped = np.array(substituted(x.tolist(), 2 * n - 1), dtype=object)
    rows = v.reshape(2, -1) % PLAIN
    assert (embedding.unbatch(R, x + y, PLAIN, generator) == (v + w) % PLAIN).all()
    assert (embedding.unbatch(R, product, PLAIN, generator) == v * w % PLAIN).all()
    assert (embedding.unbatch(R, rotated, PLAIN, generator) == np.roll(rows, -1, axis=1).ravel()).all()
    assert (embedding.unbatch(R, swapped, PLAIN, generator) == rows[::-1].ravel()).all()


def test_values_not_given_are_zeros_and_equal_slots_a_constant() -> None:
    R = ring(32)
    assert (embedding.unbatch(R, embedding.batch(R, [7, 8], PLAIN), PLAIN)[:4] == [7, 8, 0, 0]).all()
    assert embedding.batch(R, [5] * 32, PLAIN).tolist() == [5] + [0] * 31


def test_the_counting_ring_counts_encodings_without_values() -> None:
    R = CountingRnsRing(4, 1, 1)
    x = embedding.encode(R, None, SCALE, R.q)
    assert embedding.decode(R, x, SCALE) is None
    assert embedding.unbatch(R, embedding.batch(R, None, PLAIN), PLAIN) is None
    tally = R.tally
    assert (tally["embeddings"], tally["plain_transforms"]) == (2, 2)
    assert (tally["messages"], tally["reconstructions"]) == (4, 16)
