"""Digits and switching keys by themselves: noise hides small errors in whole actions, not here."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from cases import case
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import digit_bases, in_domain
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns import keys as making
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.key_switch import decompose, key_switch, weights
from fheasible.schemes.rns.variant import KeySwitching, Variant
from schemes.rns import bounds
from schemes.rns.toy import LIMBS, Toy, exact_ring, toy
from schemes.rns.variants import CIPHERTEXTS, KEY_SWITCHING

WAYS = KEY_SWITCHING | {"whole limbs": Variant(key_switching=KeySwitching.BV)}
WAYS |= {name: CIPHERTEXTS[name] for name in ("at rest in coefficients", "coefficients, bits")}
ways = pytest.mark.parametrize("way", WAYS)


@cache
def bench(way: str) -> Toy:
    return toy("bgv", WAYS[way])


def drawn(ring: RnsRing, level: int, domain: Domain) -> Poly:
    return in_domain(ring, ring.uniform(ring.level(level)), domain)


def lifted(ring: RnsRing, x: Poly) -> Any:
    return np.asarray(ring.lift(in_domain(ring, x, Domain.COEFFICIENT)), dtype=object)


@ways
def test_digits_are_small_and_in_their_own_limbs_what_was_decomposed(way: str) -> None:
    """Of limb i: the residue, or the bits whose sum it is."""
    for level in range(LIMBS):
        with case("level", level):
            are_small_and_in_their_own_limbs_what_was_decomposed(way, level)


def are_small_and_in_their_own_limbs_what_was_decomposed(way: str, level: int) -> None:
    variant, ring = WAYS[way], bench(way).scheme.ring
    c = drawn(ring, level, variant.rest)
    digits = decompose(ring, c, variant)
    used = [w for w in weights(ring, variant) if w[0].limbs[0] <= level]
    assert len(digits) == len(used)
    for limb in digit_bases(c.basis, 1):
        parts = [(d, power) for d, (own, power) in zip(digits, used, strict=True) if limb.limbs[0] in own]
        residue = sum(lifted(ring, ring.restrict(d, limb)) << power for d, power in parts)
        assert np.all((residue - lifted(ring, ring.restrict(c, limb))) % ring.product(limb) == 0)
    for digit, (own, _) in zip(digits, used, strict=True):
        assert np.max(np.abs(lifted(ring, digit))) <= size_of(bench(way), own & c.basis)


def size_of(b: Toy, own: Any) -> int:
    """A digit's bound: its modulus for each of its limbs, or 2^bits."""
    bits, product = b.scheme.variant.digit_bits, b.scheme.ring.product(own)
    assert product is not None
    return 1 << bits if bits else product * len(own)


@ways
def test_a_switched_polynomial_is_off_by_no_more_than_the_worst_case(way: str) -> None:
    for level in range(LIMBS):
        error = switching_error(bench(way), level, None)
        assert np.max(np.abs(error)) <= bounds.switching(bench(way), level), level


@ways
def test_with_t_what_it_is_off_by_is_a_multiple_of_t(way: str) -> None:
    b = bench(way)
    t = b.moduli.t
    for level in range(LIMBS):
        if bounds.switching(b, level, t) < np.prod([float(q) for q in b.moduli.q[: level + 1]]) / 4:
            error = switching_error(b, level, t)
            assert np.all(error % t == 0), level
            assert np.max(np.abs(error)) <= bounds.switching(b, level, t), level


def switching_error(b: Toy, level: int, t: int | None) -> Any:
    """k_0 + k_1·s - c·s', for a uniform c and a ternary s'."""
    ring, variant = b.scheme.ring, b.scheme.variant
    s, source = (making.secret(ring, RnsSpec(), variant) for _ in range(2))
    key = making.switch_key(ring, source, s, RnsSpec(), variant, t)
    c = drawn(ring, level, variant.rest)
    k0, k1 = (in_domain(ring, k, Domain.NTT) for k in key_switch(ring, c, key, variant, t))
    basis = c.basis
    assert k0.basis == k1.basis == basis
    right = ring.multiply(in_domain(ring, c, Domain.NTT), ring.restrict(source, basis))
    left = ring.add(k0, ring.multiply(k1, ring.restrict(s, basis)))
    return lifted(ring, ring.subtract(left, right))


@ways
def test_another_secret_finds_nothing(way: str) -> None:
    b = bench(way)
    ring = exact_ring(b.n, b.moduli, seed=9)
    stranger = making.secret(ring, RnsSpec(), b.scheme.variant)
    key = b.keys.relinearization
    assert key is not None
    c = drawn(b.scheme.ring, LIMBS - 1, Domain.NTT)
    k0, k1 = key_switch(b.scheme.ring, c, key, b.scheme.variant)
    phase = ring.add(k0, ring.multiply(k1, ring.restrict(stranger, c.basis)))
    modulus = b.scheme.ring.product(c.basis)
    assert modulus is not None
    assert np.max(np.abs(lifted(ring, phase))) > modulus // 8
