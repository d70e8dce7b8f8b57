"""Conversions without floating point: a redundant limb shows what a fast conversion has added [BEHZ16]."""

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Poly
from fheasible.rings.rns.ring import RnsRing


def small_montgomery(ring: RnsRing, x: Poly, q: Basis, m: Basis) -> Poly:
    """(x + Q·r)/m in all of x's limbs but m, where r is -x·Q^-1 modulo m, centred; COEFFICIENT domain.

    Where a fast conversion has made x = [m·c]_Q + u·Q, the result is c modulo Q and at most
    (Q·u + Q)/m + Q/2 in absolute value [BEHZ16]. m is one of x's limbs, and Q is the product of q.
    """
    product = ring.product(q)
    minus = None if product is None else -product
    r = ring.scale(ring.restrict(x, m), minus, inverse=True)
    rest = x.basis - m
    multiple = ring.scale(ring.convert(r, rest, Conversion.EXACT), product)
    return ring.scale(ring.add(ring.restrict(x, rest), multiple), ring.product(m), inverse=True)


def shenoy_kumaresan(ring: RnsRing, x: Poly, to: Basis, m: Basis) -> Poly:
    """x modulo other primes, exactly, where |x| is small compared with its modulus; COEFFICIENT domain.

    m is one of x's limbs, and B is the product of the others. The limb m shows which multiple of B the fast
    conversion from those others has added. This multiple is at most m/2 in absolute value where
    |x| < B·(m/2 - limbs) [BEHZ16].
    """
    others = x.basis - m
    product = ring.product(others)
    fast = ring.convert(ring.restrict(x, others), to + m)
    over = ring.subtract(ring.restrict(fast, m), ring.restrict(x, m))
    over = ring.scale(over, product, inverse=True)
    multiple = ring.scale(ring.convert(over, to, Conversion.EXACT), product)
    return ring.subtract(ring.restrict(fast, to), multiple)
