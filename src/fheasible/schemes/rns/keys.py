"""Secret, public and switching keys, all in NTT domain; t (None in CKKS and BFV) divides their errors."""

from dataclasses import replace

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.ciphertext import RnsSpec, SwitchKey
from fheasible.schemes.rns.key_switch import weights
from fheasible.schemes.rns.variant import KeySwitching, Mask, Variant

Pair = tuple[Poly, Poly]


def key_basis(ring: RnsRing, variant: Variant) -> Basis:
    """The basis of switching keys: QP, or Q in BV."""
    return ring.q + ring.p if variant.key_switching is KeySwitching.HYBRID else ring.q


def public_basis(ring: RnsRing, variant: Variant) -> Basis:
    """The basis of the public key: QP where encryptions of zero are divided down, otherwise Q."""
    return ring.q if variant.mask is Mask.CHAIN else ring.q + ring.p


def secret(ring: RnsRing, spec: RnsSpec, variant: Variant) -> Poly:
    """The ternary secret s, over all limbs that the other keys are over."""
    wide = max(key_basis(ring, variant), public_basis(ring, variant), key=len)
    return ring.to_ntt(ring.ternary(wide, spec.weight))


def masked(ring: RnsRing, over: Basis, s: Poly, spec: RnsSpec, variant: Variant, t: int | None) -> Pair:
    """(-(a·s + e), a): an encryption of zero under s, with t·e in place of e where t is given."""
    a = ring.uniform(over)
    e = scaled_error(ring, ring.to_ntt(ring.gaussian(over, spec.sigma)), variant, t)
    return ring.negate(ring.add(ring.multiply(a, ring.restrict(s, over)), e)), a


def scaled_error(ring: RnsRing, e: Poly, variant: Variant, t: int | None) -> Poly:
    """t·e; where t is None, e, or 1·e if the variant multiplies errors even then."""
    if t is None and not variant.scaled_errors:
        return e
    return ring.scale(e, 1 if t is None else t)


def switch_key(
    ring: RnsRing, source: Poly, s: Poly, spec: RnsSpec, variant: Variant, t: int | None
) -> SwitchKey:
    """Rows (b_j, a_j) with b_j + a_j·s = w_j·source + e_j, for the weights w_j of a polynomial's digits.

    In residues, w_j·source is P·source in the limbs of digit j, and 0 in all other limbs. In BV there is no
    P; where a digit is part of a limb, there is a power of two instead.
    """
    hybrid = variant.key_switching is KeySwitching.HYBRID
    over, source = key_basis(ring, variant), ring.restrict(source, ring.q)
    spec = replace(spec, sigma=spec.key_sigma or spec.sigma)
    weighted = ring.scale(source, ring.product(ring.p)) if hybrid else source
    rows = []
    for digit, power in weights(ring, variant):
        b, a = masked(ring, over, s, spec, variant, t)
        own = ring.restrict(weighted, digit)
        own = ring.scale(own, 1 << power) if power else own
        held = ring.add(ring.restrict(b, digit), own)
        rows.append((ring.join(held, ring.restrict(b, over - digit)), a))
    return SwitchKey(tuple(rows))


def given_switch_key(ring: RnsRing, variant: Variant) -> SwitchKey:
    """A switching key from outside, with which an action is counted."""
    over = key_basis(ring, variant)
    rows = weights(ring, variant)
    return SwitchKey(tuple((ring.given(over, Domain.NTT), ring.given(over, Domain.NTT)) for _ in rows))
