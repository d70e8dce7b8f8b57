"""Encryptions of zero under the public key, and the phase c_0 + c_1·s + c_2·s² that decryption reads."""

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.modulus import in_domain, mod_down
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.key_switch import keeping
from fheasible.schemes.rns.keys import scaled_error
from fheasible.schemes.rns.variant import Mask, Variant

Pair = tuple[Poly, Poly]


def encrypt_zero(
    ring: RnsRing, public: Pair, level: int, spec: RnsSpec, variant: Variant, t: int | None
) -> Pair:
    """(u·b + e_0, u·a + e_1) for a ternary u, in the domain of ciphertexts at rest.

    Where the variant's mask says so, it is made over a larger modulus and divided down to the level's.
    """
    over = mask_basis(ring, level, variant)
    u = ring.to_ntt(ring.ternary(over))
    first, second = (_part(ring, u, half, spec, variant, t) for half in public)
    basis = ring.level(level)
    return _settled(ring, first, basis, variant, t), _settled(ring, second, basis, variant, t)


def mask_basis(ring: RnsRing, level: int, variant: Variant) -> Basis:
    """The basis that the encryption of zero is made over."""
    basis = ring.level(level)
    if variant.mask is Mask.CHAIN:
        return basis
    if variant.mask is Mask.NEXT and level + 1 < len(ring.q):
        return ring.level(level + 1)
    return basis + (ring.p[:1] if variant.mask is Mask.FIRST else ring.p)


def _part(ring: RnsRing, u: Poly, half: Poly, spec: RnsSpec, variant: Variant, t: int | None) -> Poly:
    """u times a half of the public key, plus an error."""
    product = in_domain(ring, ring.multiply(u, ring.restrict(half, u.basis)), variant.mask_domain)
    e = in_domain(ring, ring.gaussian(u.basis, spec.sigma), variant.mask_domain)
    return ring.add(product, scaled_error(ring, e, variant, t))


def _settled(ring: RnsRing, x: Poly, basis: Basis, variant: Variant, t: int | None) -> Poly:
    """x divided down to the ciphertext's modulus, in the domain of ciphertexts at rest."""
    if len(x.basis) > len(basis):
        x = mod_down(ring, x, x.basis - basis, keeping(ring, variant.mod_down, variant), t)
    x = in_domain(ring, x, variant.rest)
    return in_domain(ring, _other(ring, x), x.domain) if variant.detour else x


def _other(ring: RnsRing, x: Poly) -> Poly:
    """x transformed to its other domain."""
    return in_domain(ring, x, Domain.COEFFICIENT if x.domain is Domain.NTT else Domain.NTT)


def phase(ring: RnsRing, parts: tuple[Poly, ...], s: Poly, variant: Variant) -> Poly:
    """c_0 + c_1·s + c_2·s² + ..., in COEFFICIENT domain."""
    first, *others = parts
    s = ring.restrict(s, first.basis)
    powers = [s]
    while len(powers) < len(others) + variant.spare_power:
        powers.append(ring.multiply(powers[-1], s))
    products = [
        ring.multiply(in_domain(ring, c, Domain.NTT), s) for c, s in zip(others, powers, strict=False)
    ]
    total = products[0]
    for product in products[1:]:
        total = ring.add(total, product)
    return in_domain(ring, ring.add(first, in_domain(ring, total, first.domain)), Domain.COEFFICIENT)
