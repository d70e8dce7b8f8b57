"""From one prime to all of Q: what S·m modulo q_0 becomes is S·m + q_0·I for a small polynomial I [CHKKS18].

I has about the size of the square root of the secret's weight. So the modulus is raised under an ephemeral,
sparser secret where there is one [BTH22].
"""

from dataclasses import replace

from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.modulus import in_domain, mod_down
from fheasible.schemes.rns.bootstrap.factors import trace_steps
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys, beside
from fheasible.schemes.rns.bootstrap.linear import raised_to_qp
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.scaling import lowered
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.key_switch import decompose, divided, key_switch, products, switch
from fheasible.schemes.rns.rotation import exponent, named
from fheasible.schemes.rns.scheme import found, pair


def raised(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, method: Method) -> Ciphertext:
    """x of level 0, over all of Q. With an ephemeral secret, x is brought under it before, and back after."""
    if keys.down is None or keys.up is None:
        x = replace(x, parts=scheme.moved(x.parts, Domain.COEFFICIENT)) if method.raised_limbs else x
        x = lowered(scheme, x, 0)
        return replace(x, parts=tuple(_wide(scheme, part) for part in x.parts))
    ring, variant = scheme.ring, scheme.variant
    x = lowered(scheme, x, 0)
    first, second = _under_ephemeral(scheme, keys, x, method)
    if method.raised_digits:
        over = ring.q + ring.p
        coefficients = in_domain(ring, second, Domain.COEFFICIENT)
        extended = ring.convert(coefficients, over, Conversion.EXACT)
        digits = tuple(ring.to_ntt(extended) for _ in ring.q)[: len(keys.up.rows)]
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
    return in_domain(ring, ring.convert(coefficients, ring.q, Conversion.EXACT), scheme.variant.rest)


def _under_ephemeral(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, method: Method) -> tuple[Poly, Poly]:
    """The same message under the ephemeral secret, over q_0."""
    ring, variant = scheme.ring, scheme.variant
    assert keys.down is not None
    first, second = pair(x)
    special = beside(ring)
    coefficients = in_domain(ring, second, Domain.COEFFICIENT)
    other = ring.to_ntt(ring.convert(coefficients, special, Conversion.EXACT))
    own = ring.to_ntt(coefficients) if method.raised_digits else in_domain(ring, second, Domain.NTT)
    wide = ring.join(own, other)
    b, a = keys.down.rows[0]
    k0, k1 = (mod_down(ring, ring.multiply(wide, k), special, variant.mod_down) for k in (b, a))
    return ring.add(first, in_domain(ring, k0, first.domain)), in_domain(ring, k1, first.domain)


def traced(scheme: CKKS, keys: RnsKeys, x: Ciphertext, p: Procedure, n: int, method: Method) -> Ciphertext:
    """x with only those coefficients that a message of `slots` slots has.

    They are n/(2·slots) times as large, unless the method divides by this number beforehand, modulo Q.
    """
    steps = trace_steps(p, n, method)
    if steps and method.exact_trace:
        gap = n // (2 * p.slots)
        parts = tuple(scheme.ring.scale(part, gap, inverse=True) for part in x.parts)
        x = replace(x, parts=parts)
    if steps and method.hoisted_trace:
        return replace(x, parts=_over_qp(scheme, keys, x, steps))
    for step in steps:
        x = scheme.add(x, scheme.rotate(keys, x, *step))
    return x


def _over_qp(
    scheme: CKKS, keys: RnsKeys, x: Ciphertext, steps: tuple[tuple[int, ...], ...]
) -> tuple[Poly, Poly]:
    """The sums with rotations by each of `steps` in turn: c_0 stays over QP, c_1 is divided by P."""
    ring, variant = scheme.ring, scheme.variant
    like, second = pair(x)
    first = raised_to_qp(scheme, like)
    for together in steps:
        digits = decompose(ring, second, variant)
        total0, total1 = first, raised_to_qp(scheme, second)
        for step in together:
            name = named(ring, step)
            key = found(keys.rotations.get(name), f"rotation by {name}")
            k0, k1 = products(ring, digits, key, variant)
            e = exponent(ring, name)
            total0 = ring.add(total0, ring.automorphism(ring.add(k0, first), e))
            total1 = ring.add(total1, ring.automorphism(k1, e))
        first, second = total0, divided(ring, total1, like, variant, None)
    return divided(ring, first, like, variant, None), second
