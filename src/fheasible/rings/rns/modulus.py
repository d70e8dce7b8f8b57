"""Changes of modulus: to more limbs (mod up), or to fewer limbs by a division (mod down, rescale)."""

from dataclasses import dataclass

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.ring import RnsRing


@dataclass(frozen=True, slots=True)
class Rounding:
    """Which remainder modulo D is subtracted before a division by D; libraries differ in this.

    `how` is the conversion of the remainder. EXACT rounds to the nearest; FLOOR rounds down; FAST rounds to a
    value below that of FLOOR, by less than one for each limb of D. With `half`, floor(D/2) is added before
    the conversion and subtracted after it, so that FLOOR rounds to the nearest [SEAL] [Lattigo]. With
    `apart`, the remainder and x are each multiplied by D^-1 and then subtracted, as in CKKS's rescaling in
    [OpenFHE]. `plain` is the limb t through which BGV's remainder is made divisible by t [SEAL]. Without
    `plain` the remainder is multiplied by t^-1 modulo D, converted, and multiplied by t [OpenFHE].
    """

    how: Conversion = Conversion.EXACT
    half: bool = False
    apart: bool = False
    plain: Basis | None = None


NEAREST = Rounding()


def digit_bases(basis: Basis, limbs: int) -> tuple[Basis, ...]:
    """The basis cut into digits of `limbs` limbs each; the last digit may have fewer."""
    return tuple(basis[first : first + limbs] for first in range(0, len(basis), limbs))


def mod_up(
    ring: RnsRing,
    x: Poly,
    to: Basis,
    how: Conversion = Conversion.FAST,
    domain: Domain = Domain.NTT,
) -> Poly:
    """x in the limbs of `to`, which include all of x's limbs, and in the given domain.

    From NTT to NTT this takes one inverse transform for each of x's limbs and one forward transform for each
    new limb.
    """
    new = to - x.basis
    coefficients = in_domain(ring, x, Domain.COEFFICIENT)
    if not new.limbs:
        return in_domain(ring, x, domain)
    return ring.join(
        in_domain(ring, x, domain), in_domain(ring, ring.convert(coefficients, new, how), domain)
    )


def mod_down(ring: RnsRing, x: Poly, p: Basis, rounding: Rounding = NEAREST, t: int | None = None) -> Poly:
    """x/P, rounded, in x's domain and in the limbs of x other than p; P is the product of the limbs p.

    With t the result is (x - d)/P, where d is congruent to x modulo P and to 0 modulo t, and
    |d| <= (t + 1)·P/2 if it is converted EXACT [KPZ21]. So x modulo t is multiplied by P^-1, and not
    disturbed.
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
    """x divided by its last prime and without that limb; `rounding` and t act as in `mod_down`."""
    return mod_down(ring, x, x.basis[-1:], rounding, t)


def in_domain(ring: RnsRing, x: Poly, domain: Domain) -> Poly:
    """x in the given domain, transformed where it is in the other one."""
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
    """The remainder r made divisible by t: d = r + P·k with k = -r·P^-1 modulo t."""
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
