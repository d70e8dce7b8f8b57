"""What the auxiliary primes of a ring (`ring.extra`) are for, in the order in which they are given.

BGV            t
BFV, HPS ...   the basis R that products are extended by, then t
BFV, BEHZ      the basis B, then m_sk (which makes a conversion from it exact), m~ (of the small Montgomery
               reduction), γ (of decryption), then t [BEHZ16]
"""

from dataclasses import dataclass

from fheasible.errors import InfeasibleParameters
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.ring import RnsRing


@dataclass(frozen=True, slots=True)
class Behz:
    base: Basis
    exact: Basis  # m_sk
    montgomery: Basis  # m~
    gamma: Basis


def plain_limb(ring: RnsRing) -> Basis:
    """The limb t. InfeasibleParameters where the ring has no auxiliary primes."""
    return _some(ring, 1)[-1:]


def product_basis(ring: RnsRing) -> Basis:
    """The basis R that products are extended by."""
    return _some(ring, 2)[:-1]


def behz(ring: RnsRing) -> Behz:
    extra = _some(ring, 5)
    return Behz(extra[:-4], extra[-4:-3], extra[-3:-2], extra[-2:-1])


def _some(ring: RnsRing, least: int) -> Basis:
    if len(ring.extra) < least:
        message = f"{len(ring.extra)} auxiliary primes were given, but {least} or more are needed"
        raise InfeasibleParameters(message, "give them to the ring as `extra`, with t as the last")
    return ring.extra
