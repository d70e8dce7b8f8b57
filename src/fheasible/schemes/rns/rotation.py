"""Rotations of slots: X -> X^(5^steps), and a switch back to the key s."""

from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.ciphertext import SWAP, RnsSpec, SwitchKey
from fheasible.schemes.rns.key_switch import decompose, divided, key_switch, products, switch
from fheasible.schemes.rns.keys import switch_key
from fheasible.schemes.rns.variant import Automorphism, Variant

GENERATOR = 5  # X -> X^5 generates the rotations
Pair = tuple[Poly, Poly]
Name = int | str  # steps, or SWAP


def named(ring: RnsRing, steps: Name) -> Name:
    """The name of a rotation's key: steps in [0, n/2), or SWAP."""
    return steps if isinstance(steps, str) or ring.n is None else steps % (ring.n // 2)


def exponent(ring: RnsRing, name: Name) -> int:
    """The exponent of the automorphism; any odd number where the ring only counts."""
    if name == SWAP:
        return -1 if ring.n is None else 2 * ring.n - 1
    return GENERATOR if ring.n is None else pow(GENERATOR, int(name), 2 * ring.n)


def rotation_key(
    ring: RnsRing, name: Name, s: Poly, spec: RnsSpec, variant: Variant, t: int | None
) -> SwitchKey:
    """A key from φ(s) to s where a rotation begins with φ; else from s to φ^-1(s), which φ turns into s."""
    e = exponent(ring, name)
    if variant.automorphism is Automorphism.FIRST:
        return switch_key(ring, ring.automorphism(s, e), s, spec, variant, t)
    back = e if ring.n is None else pow(e, -1, 2 * ring.n)
    return switch_key(ring, s, ring.automorphism(s, back), spec, variant, t)


def rotate(ring: RnsRing, c: Pair, name: Name, key: SwitchKey, variant: Variant, t: int | None) -> Pair:
    """The ciphertext (c_0, c_1), rotated."""
    if variant.automorphism is not Automorphism.FIRST:
        return rotate_decomposed(ring, c, decompose(ring, c[1], variant), name, key, variant, t)
    first, second = (ring.automorphism(part, exponent(ring, name)) for part in c)
    k0, k1 = key_switch(ring, second, key, variant, t)
    return ring.add(first, k0), k1


def rotate_decomposed(
    ring: RnsRing,
    c: Pair,
    digits: tuple[Poly, ...],
    name: Name,
    key: SwitchKey,
    variant: Variant,
    t: int | None,
) -> Pair:
    """The ciphertext, rotated, from known digits of its c_1: φ turns them into digits of φ(c_1)."""
    e = exponent(ring, name)
    first, second = c
    match variant.automorphism:
        case Automorphism.FIRST:
            turned = tuple(ring.automorphism(digit, e) for digit in digits)
            k0, k1 = switch(ring, turned, second, key, variant, t)
            return ring.add(ring.automorphism(first, e), k0), k1
        case Automorphism.EXTENDED:
            sums = rotate_extended(ring, first, digits, name, key, variant)
            k0, k1 = (divided(ring, k, second, variant, t) for k in sums)
            return k0, k1
        case Automorphism.LAST:
            k0, k1 = switch(ring, digits, second, key, variant, t)
            return ring.automorphism(ring.add(first, k0), e), ring.automorphism(k1, e)


def rotate_extended(
    ring: RnsRing, first: Poly | None, digits: tuple[Poly, ...], name: Name, key: SwitchKey, variant: Variant
) -> Pair:
    """P times the rotated ciphertext, over QP, from its c_0 (None for 0) and known digits of its c_1."""
    e = exponent(ring, name)
    k0, k1 = products(ring, digits, key, variant)
    k0 = k0 if first is None else _raised_sum(ring, first, k0)
    return ring.automorphism(k0, e), ring.automorphism(k1, e)


def _raised_sum(ring: RnsRing, c: Poly, k: Poly) -> Poly:
    """P·c + k for c over Q and k over QP; NTT domain."""
    raised = ring.scale(in_domain(ring, c, Domain.NTT), ring.product(ring.p))
    held = ring.add(ring.restrict(k, c.basis), raised)
    return ring.join(held, ring.restrict(k, k.basis - c.basis))
