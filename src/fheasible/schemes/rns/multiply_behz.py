"""BFV's product and decryption in residues alone [BEHZ16].

Operands are over Q, and results are in COEFFICIENT domain.
"""

from fheasible.rings.rns import behz as conversions
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import in_domain
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.auxiliary import Behz, behz, plain_limb
from fheasible.schemes.rns.tensor import square, tensor
from fheasible.schemes.rns.variant import Variant

Parts = tuple[Poly, ...]


def multiply(ring: RnsRing, xs: Parts, ys: Parts, t: int | None, variant: Variant) -> Parts:
    """t/Q·x·y rounded down, with an error of less than one for each limb of Q [BEHZ16].

    The product is computed over Q and B_sk, which is B and m_sk together; m_sk·B is larger than about n·t·Q.
    """
    bases = behz(ring)
    first = [_extended(ring, x, bases) for x in xs]
    by = 1 if variant.montgomery else None
    if xs is ys:
        made = square(ring, first, first, variant.square_products, by)
    else:
        made = tensor(ring, first, [_extended(ring, y, bases) for y in ys], by)
    return tuple(_floored(ring, ring.scale(ring.to_coefficients(z), t), bases) for z in made)


def _extended(ring: RnsRing, x: Poly, bases: Behz) -> Poly:
    """x over Q and B_sk, NTT domain.

    A fast conversion of m~·x has an excess of multiples of Q, which the Montgomery reduction removes.
    """
    coefficients = in_domain(ring, x, Domain.COEFFICIENT)
    wide = bases.base + bases.exact
    raised = ring.scale(coefficients, ring.product(bases.montgomery))
    raised = ring.convert(raised, wide + bases.montgomery)
    small = conversions.small_montgomery(ring, raised, ring.q, bases.montgomery)
    return ring.join(in_domain(ring, x, Domain.NTT), ring.to_ntt(small))


def _floored(ring: RnsRing, z: Poly, bases: Behz) -> Poly:
    """z/Q over Q; the division gives it over B_sk, from where Shenoy and Kumaresan's conversion is exact."""
    wide = bases.base + bases.exact
    remainder = ring.convert(ring.restrict(z, ring.q), wide)
    difference = ring.subtract(ring.restrict(z, wide), remainder)
    quotient = ring.scale(difference, ring.product(ring.q), inverse=True)
    return conversions.shenoy_kumaresan(ring, quotient, ring.q, bases.exact)


def scaled_to_plain(ring: RnsRing, phase: Poly, t: int | None) -> Poly:
    """round(t/Q·x) modulo t, from γ·t/Q·x modulo t and modulo γ; the latter is the error [BEHZ16]."""
    gamma, plain = behz(ring).gamma, plain_limb(ring)
    raised = ring.scale(phase, _product(ring.product(gamma), t))
    both = ring.convert(raised, gamma + plain)
    both = ring.scale(both, _product(ring.product(phase.basis), -1), inverse=True)
    error = ring.convert(ring.restrict(both, gamma), plain, Conversion.EXACT)
    exact = ring.subtract(ring.restrict(both, plain), error)
    return ring.scale(exact, ring.product(gamma), inverse=True)


def _product(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else x * y
