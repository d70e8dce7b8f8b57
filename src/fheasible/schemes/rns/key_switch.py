"""Hybrid [HanKi19] and BV [BraVai11] key switching: (k_0, k_1) with k_0 + k_1·s close to c·s'."""

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import Rounding, digit_bases, in_domain, mod_down
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.ciphertext import SwitchKey
from fheasible.schemes.rns.variant import KeySwitching, Variant

Pair = tuple[Poly, Poly]


def key_switch(ring: RnsRing, c: Poly, key: SwitchKey, variant: Variant, t: int | None = None) -> Pair:
    """(k_0, k_1) in c's basis and domain with k_0 + k_1·s = c·s' + noise; with t, t divides the noise."""
    return switch(ring, decompose(ring, c, variant), c, key, variant, t)


def decompose(ring: RnsRing, c: Poly, variant: Variant) -> tuple[Poly, ...]:
    """The digits of c, each over the key's modulus (QP, or Q in BV), NTT domain."""
    coefficients = in_domain(ring, c, Domain.COEFFICIENT)
    if variant.digit_bits:
        return _bits(ring, coefficients, variant)
    over = c.basis + ring.p if variant.key_switching is KeySwitching.HYBRID else c.basis
    digits = digit_bases(c.basis, variant.limbs_per_digit)
    return tuple(_raised(ring, c, coefficients, digit, over, variant) for digit in digits)


def _raised(ring: RnsRing, c: Poly, coefficients: Poly, digit: Basis, over: Basis, variant: Variant) -> Poly:
    """One digit over all of `over`; its own limbs need no transform where c is in NTT domain."""
    part = ring.restrict(coefficients, digit)
    reused = variant.reuse_ntt and c.domain is Domain.NTT
    own = ring.restrict(c, digit) if reused else ring.to_ntt(part)
    if reused and variant.copy_own:
        own = ring.copy(own)
    others = over - digit
    if not others.limbs:
        return own
    return ring.join(own, ring.to_ntt(ring.convert(part, others, variant.mod_up)))


def _bits(ring: RnsRing, coefficients: Poly, variant: Variant) -> tuple[Poly, ...]:
    """The digits of each limb in base 2^digit_bits, least significant first, over Q."""
    bits, basis = variant.digit_bits, coefficients.basis
    return tuple(
        ring.to_ntt(ring.digit(ring.restrict(coefficients, limb), low, bits, basis))
        for limb in digit_bases(basis, 1)
        for low in range(0, _length(ring, limb, variant), bits)
    )


def _length(ring: RnsRing, limb: Basis, variant: Variant) -> int:
    """The bit length of one prime."""
    prime = ring.product(limb)
    return variant.limb_bits[limb.limbs[0]] if prime is None else prime.bit_length()


def weights(ring: RnsRing, variant: Variant) -> tuple[tuple[Basis, int], ...]:
    """The limbs of each digit and the exponent of 2 that multiplies it; a key has a row for each digit."""
    limbs = digit_bases(ring.q, variant.limbs_per_digit)
    if not variant.digit_bits:
        return tuple((digit, 0) for digit in limbs)
    return tuple(
        (limb, low) for limb in limbs for low in range(0, _length(ring, limb, variant), variant.digit_bits)
    )


def switch(
    ring: RnsRing, digits: tuple[Poly, ...], c: Poly, key: SwitchKey, variant: Variant, t: int | None = None
) -> Pair:
    """What `key_switch` gives for c, from digits of c that are known already."""
    first, second = products(ring, digits, key, variant)
    return divided(ring, first, c, variant, t), divided(ring, second, c, variant, t)


def products(ring: RnsRing, digits: tuple[Poly, ...], key: SwitchKey, variant: Variant) -> Pair:
    """The digits' inner products with both columns of the key, over the key's modulus; NTT domain."""
    over = digits[0].basis
    first, second = (
        tuple(ring.restrict(row, over) for row in column)
        for column in zip(*key.rows[: len(digits)], strict=True)
    )
    lazy = variant.lazy
    return ring.inner_product(digits, first, lazy), ring.inner_product(digits, second, lazy)


def divided(ring: RnsRing, x: Poly, c: Poly, variant: Variant, t: int | None) -> Poly:
    """An inner product in c's domain, divided by P (in BV it is not divided)."""
    x = in_domain(ring, x, c.domain)
    if variant.key_switching is KeySwitching.BV:
        return x
    return mod_down(ring, x, ring.p, keeping(ring, variant.mod_down, variant), t)


def keeping(ring: RnsRing, rounding: Rounding, variant: Variant) -> Rounding:
    """The rounding; it passes through t, the ring's last limb, where the variant keeps messages that way."""
    if not variant.through_plain:
        return rounding
    return Rounding(rounding.how, rounding.half, rounding.apart, ring.extra[-1:])
