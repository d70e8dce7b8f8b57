"""Conversions without floating point: what a fast conversion adds is found in a redundant limb [BEHZ16]."""

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Poly
from fheasible.rings.rns.ring import RnsRing


def small_montgomery(ring: RnsRing, x: Poly, q: Basis, m: Basis) -> Poly:
    """(x + Q·r)/m in x's limbs but m, with r = -x·Q^-1 modulo m, centred; COEFFICIENT domain.

    For x = [m·c]_Q + u·Q, a fast conversion: c modulo Q, at most (Q·u + Q)/m + Q/2 in absolute value
    [BEHZ16]. m is one of x's limbs; Q the product of q.
    """
    product = ring.product(q)
    minus = None if product is None else -product
    r = ring.scale(ring.restrict(x, m), minus, inverse=True)
    rest = x.basis - m
    multiple = ring.scale(ring.convert(r, rest, Conversion.EXACT), product)
    return ring.scale(ring.add(ring.restrict(x, rest), multiple), ring.product(m), inverse=True)


def shenoy_kumaresan(ring: RnsRing, x: Poly, to: Basis, m: Basis) -> Poly:
    """x modulo other primes, exactly, where |x| is small beside the limbs of x; COEFFICIENT domain.

    m, one of x's limbs, finds the multiple of B that the fast conversion from the others, B, has too much:
    its absolute value is at most m/2 where |x| < B·(m/2 - limbs) [BEHZ16].
    """
    others = x.basis - m
    product = ring.product(others)
    fast = ring.convert(ring.restrict(x, others), to + m)
    over = ring.subtract(ring.restrict(fast, m), ring.restrict(x, m))
    over = ring.scale(over, product, inverse=True)
    multiple = ring.scale(ring.convert(over, to, Conversion.EXACT), product)
    return ring.subtract(ring.restrict(fast, to), multiple)
