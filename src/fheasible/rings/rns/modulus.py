"""From one modulus to another: more limbs (mod up), fewer with a division (mod down, rescale)."""

from dataclasses import dataclass

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.ring import RnsRing


@dataclass(frozen=True, slots=True)
class Rounding:
    """Which remainder modulo D a division by D takes off; libraries differ.

    `how` the remainder is converted: EXACT rounds to the nearest, FLOOR down, FAST to less than one for each
    limb of D below that. `half`: floor(D/2) is added before, and taken off after, so that FLOOR rounds to the
    nearest [SEAL] [Lattigo]. `apart`: remainder and x are multiplied by D^-1 each, then subtracted, as in
    CKKS's rescaling in [OpenFHE]. `plain`: the limb t through which BGV's remainder is made divisible by t
    [SEAL]; without it the remainder is multiplied by t^-1 modulo D, converted, and multiplied by t [OpenFHE].
    """

    how: Conversion = Conversion.EXACT
    half: bool = False
    apart: bool = False
    plain: Basis | None = None


NEAREST = Rounding()


def digit_bases(basis: Basis, limbs: int) -> tuple[Basis, ...]:
    """The basis cut into digits of so many limbs, the last perhaps of fewer."""
    return tuple(basis[first : first + limbs] for first in range(0, len(basis), limbs))


def mod_up(
    ring: RnsRing,
    x: Poly,
    to: Basis,
    how: Conversion = Conversion.FAST,
    domain: Domain = Domain.NTT,
) -> Poly:
    """x in the limbs of `to`, which has all of x's and more, in this domain.

    From NTT to NTT: one inverse transform for each of x's limbs, one forward for each new one.
    """
    new = to - x.basis
    coefficients = in_domain(ring, x, Domain.COEFFICIENT)
    if not new.limbs:
        return in_domain(ring, x, domain)
    return ring.join(
        in_domain(ring, x, domain), in_domain(ring, ring.convert(coefficients, new, how), domain)
    )


def mod_down(ring: RnsRing, x: Poly, p: Basis, rounding: Rounding = NEAREST, t: int | None = None) -> Poly:
    """x/P in x's other limbs, rounded, in x's domain; P the product of the limbs p of x.

    With t instead (x - d)/P, where d is x modulo P and 0 modulo t, |d| <= (t + 1)·P/2 if converted EXACT
    [KPZ21]: so x modulo t is multiplied by P^-1, and not disturbed.
    """
    rest = x.basis - p
    part = in_domain(ring, ring.restrict(x, p), Domain.COEFFICIENT)
    if t is None:
        remainder = _remainder(ring, part, rest, rounding)
    elif rounding.plain is None:
        scaled = ring.scale(part, t, inverse=True)
        remainder = ring.scale(_remainder(ring, scaled, rest, rounding), t)
    else:
        remainder = _divisible(ring, part, rest, rounding, rounding.plain)
    return _divided(ring, ring.restrict(x, rest), remainder, p, rounding.apart)


def rescale(ring: RnsRing, x: Poly, rounding: Rounding = NEAREST, t: int | None = None) -> Poly:
    """x divided by its last prime, which it loses; as `mod_down`."""
    return mod_down(ring, x, x.basis[-1:], rounding, t)


def in_domain(ring: RnsRing, x: Poly, domain: Domain) -> Poly:
    """x in this domain, transformed where it is in the other."""
    if x.domain is domain:
        return x
    return ring.to_ntt(x) if domain is Domain.NTT else ring.to_coefficients(x)


def _remainder(ring: RnsRing, part: Poly, rest: Basis, rounding: Rounding) -> Poly:
    if not rounding.half:
        return ring.convert(part, rest, rounding.how)
    product = ring.product(part.basis)
    half, minus = (None, None) if product is None else (product // 2, -(product // 2))
    return ring.offset(ring.convert(ring.offset(part, half), rest, rounding.how), minus)


def _divisible(ring: RnsRing, part: Poly, rest: Basis, rounding: Rounding, plain: Basis) -> Poly:
    """d = r + P·k with k = -r·P^-1 modulo t, for the remainder r."""
    product = ring.product(part.basis)
    remainder = _remainder(ring, part, rest + plain, rounding)
    k = ring.scale(ring.negate(ring.restrict(remainder, plain)), product, inverse=True)
    multiple = ring.scale(ring.convert(k, rest, rounding.how), product)
    return ring.add(multiple, ring.restrict(remainder, rest))


def _divided(ring: RnsRing, x: Poly, remainder: Poly, p: Basis, apart: bool) -> Poly:
    product = ring.product(p)
    if apart:
        remainder = in_domain(ring, ring.scale(remainder, product, inverse=True), x.domain)
        return ring.subtract(ring.scale(x, product, inverse=True), remainder)
    return ring.scale(ring.subtract(x, in_domain(ring, remainder, x.domain)), product, inverse=True)
