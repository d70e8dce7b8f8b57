"""From one prime to all of Q: what S·m modulo q_0 becomes is S·m + q_0·I for a small polynomial I [CHKKS18].

I has about the size of the square root of the secret's weight. So the modulus is raised under an ephemeral,
sparser secret where there is one [BTH22].
"""

from dataclasses import replace

from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import in_domain, mod_down
from fheasible.schemes.rns.bootstrap.factors import trace_steps
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.scaling import lowered
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.key_switch import key_switch, switch
from fheasible.schemes.rns.scheme import pair


def raised(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, method: Method) -> Ciphertext:
    """x of level 0, over all of Q. With an ephemeral secret, x is brought under it before, and back after."""
    x = lowered(scheme, x, 0)
    if keys.down is None or keys.up is None:
        return replace(x, parts=tuple(_wide(scheme, part) for part in x.parts))
    ring, variant = scheme.ring, scheme.variant
    first, second = _under_ephemeral(scheme, keys, x)
    if method.raised_digits:
        over = ring.q + ring.p
        coefficients = in_domain(ring, second, Domain.COEFFICIENT)
        extended = ring.convert(coefficients, over, Conversion.EXACT)
        digits = tuple(ring.to_ntt(extended) for _ in keys.up.rows)
        first = _wide(scheme, first)
        k0, k1 = switch(ring, digits, first, keys.up, variant)
    else:
        first, second = _wide(scheme, first), _wide(scheme, second)
        k0, k1 = key_switch(ring, second, keys.up, variant)
    return replace(x, parts=(ring.add(first, k0), k1))


def _wide(scheme: CKKS, x: Poly) -> Poly:
    """x modulo q_0, around 0, over all of Q."""
    ring = scheme.ring
    coefficients = in_domain(ring, x, Domain.COEFFICIENT)
    return in_domain(ring, ring.convert(coefficients, ring.q, Conversion.EXACT), x.domain)


def _under_ephemeral(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext) -> tuple[Poly, Poly]:
    """The same message under the ephemeral secret, over q_0."""
    ring, variant = scheme.ring, scheme.variant
    assert keys.down is not None
    first, second = pair(x)
    low, special = x.basis + ring.p[:1], ring.p[:1]
    coefficients = in_domain(ring, second, Domain.COEFFICIENT)
    other = ring.to_ntt(ring.convert(coefficients, special, Conversion.EXACT))
    wide = ring.join(in_domain(ring, second, Domain.NTT), other)
    assert wide.basis == low
    b, a = keys.down.rows[0]
    k0, k1 = (mod_down(ring, ring.multiply(wide, k), special, variant.mod_down) for k in (b, a))
    return ring.add(first, in_domain(ring, k0, first.domain)), in_domain(ring, k1, first.domain)


def traced(scheme: CKKS, keys: RnsKeys, x: Ciphertext, p: Procedure, n: int, method: Method) -> Ciphertext:
    """x with only those coefficients that a message of `slots` slots has.

    They are n/(2·slots) times as large, unless the method divides by this number beforehand, modulo Q.
    """
    steps = trace_steps(p, n)
    if steps and method.exact_trace:
        gap = 1 << len(steps)
        parts = tuple(scheme.ring.scale(part, gap, inverse=True) for part in x.parts)
        x = replace(x, parts=parts)
    for step in steps:
        x = scheme.add(x, scheme.rotate(keys, x, step))
    return x
