"""The keys of a bootstrap: rotations, conjugation, relinearisation, and to a sparser secret and back."""

from dataclasses import dataclass

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.bootstrap.factors import rotations
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.ciphertext import RnsKeys, SwitchKey
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.keys import given_switch_key, masked, switch_key


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapKeys:
    """The keys that `bootstrap` uses.

    With encapsulation, `down` leads from the secret to the ephemeral one, for one limb of Q (`bottom`), and
    `up` leads back over QP [BTH22].
    """

    keys: RnsKeys
    down: SwitchKey | None = None
    up: SwitchKey | None = None


def bootstrap_keys(scheme: CKKS, p: Procedure, n: int, method: Method) -> BootstrapKeys:
    """A secret with all the keys that a bootstrap in a ring of dimension n needs."""
    keys = scheme.keygen(rotations=sorted(rotations(p, n, method)), swap_rows=True)
    if p.ephemeral is None:
        return BootstrapKeys(keys)
    return BootstrapKeys(keys, *_encapsulation(scheme, keys.secret, p.ephemeral))


def given_bootstrap_keys(scheme: CKKS, p: Procedure, n: int, method: Method) -> BootstrapKeys:
    """The same keys from outside, with which a bootstrap is counted."""
    ring = scheme.ring
    keys = scheme.given_keys(rotations=sorted(rotations(p, n, method)))
    if p.ephemeral is None:
        return BootstrapKeys(keys)
    low = bottom(ring)
    down = SwitchKey(((ring.given(low, Domain.NTT), ring.given(low, Domain.NTT)),))
    return BootstrapKeys(keys, down, given_switch_key(ring, scheme.variant))


def bottom(ring: RnsRing) -> Basis:
    """The basis of the key to the ephemeral secret: the first prime of Q, and `beside`."""
    return ring.q[:1] + beside(ring)


def beside(ring: RnsRing) -> Basis:
    """The special primes of the key to the ephemeral secret: auxiliary ones, or else the first of P."""
    return ring.extra or ring.p[:1]


def _encapsulation(scheme: CKKS, s: Poly, weight: int) -> tuple[SwitchKey, SwitchKey]:
    ring, spec, variant = scheme.ring, scheme.spec, scheme.variant
    low = bottom(ring)
    sparse = ring.to_ntt(ring.ternary(ring.q + ring.p + ring.extra, weight))
    b, a = masked(ring, low, ring.restrict(sparse, low), spec, variant, None)
    source = ring.scale(ring.restrict(s, ring.q[:1]), ring.product(beside(ring)))
    b = ring.join(ring.add(ring.restrict(b, ring.q[:1]), source), ring.restrict(b, beside(ring)))
    return SwitchKey(((b, a),)), switch_key(ring, sparse, s, spec, variant, None)
