"""A bootstrap of CKKS: a ciphertext whose levels are used up gets them back [CHKKS18].

Its modulus is raised, its coefficients are brought to the slots, what the raising has added is taken away
there, and the slots are brought back to coefficients. `Method` says how libraries differ in this.
"""

from dataclasses import replace

from fheasible.errors import RingMismatch
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys
from fheasible.schemes.rns.bootstrap.linear import PlainFactor, applied
from fheasible.schemes.rns.bootstrap.method import Alignment
from fheasible.schemes.rns.bootstrap.raising import raised, traced
from fheasible.schemes.rns.bootstrap.reduction import reduced, reduced_late
from fheasible.schemes.rns.bootstrap.scaling import (
    last_iteration,
    lowered,
    multiple,
    prime,
    scaled,
    subtracted,
    times_i,
)
from fheasible.schemes.rns.bootstrap.tables import (
    Levels,
    Tables,
    correction,
    levels,
    multiplier,
    named_scale,
    reduction_scale,
    result_scale,
)
from fheasible.schemes.rns.ciphertext import Ciphertext
from fheasible.schemes.rns.ckks import CKKS


def bootstrap(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables) -> Ciphertext:
    """The same slots at the level of the result, with its scale.

    x has two parts; its values are at most 1. RingMismatch where x is at level 0 and the method spends a
    level before the modulus is raised.
    """
    p, y = tables.procedure, _once(scheme, keys, x, tables)
    for iteration in range(1, p.iterations):
        more = 1 << iteration * p.iteration_bits
        if iteration + 1 == p.iterations and not tables.method.normalised_apart:
            more = last_iteration(prime(scheme, y.level), more)[1]
        y = _corrected(scheme, keys, x, y, tables, more)
    return y


def _corrected(
    scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, y: Ciphertext, tables: Tables, more: int
) -> Ciphertext:
    """y without the bootstrapped error that it has, compared with x; `more` times the error is at most 1."""
    on = Aligned(scheme, keys.keys, tables.method.alignment)
    own = replace(x, scale=scheme.scale_of(x.level))
    enlarged = Value(multiple(scheme, y, more))
    error = on.sub(enlarged, Value(multiple(scheme, own, more))).x
    again = _once(scheme, keys, error, tables)
    if tables.method.normalised_apart:
        return on.settled(on.mul_number(on.sub(enlarged, Value(again)), 1 / more)).x
    by = y.scale / again.scale * prime(scheme, again.level)
    again = replace(scheme.rescale(scaled(scheme, again, 1 / more, by)), scale=y.scale)
    return subtracted(scheme, y, again)


def _once(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables) -> Ciphertext:
    at = levels(tables.procedure, tables.method, len(scheme.ring.q) - 1)
    how = _late if tables.method.normalised_apart else _exact
    return how(scheme, keys, x, tables, at)


# -- all scales chosen beforehand


def _exact(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables, at: Levels) -> Ciphertext:
    p, wide = tables.procedure, tables.imaginary
    x, ratio = _scaled_down(scheme, x, tables)
    x = multiple(scheme, raised(scheme, keys, x, tables.method), multiplier(scheme, at))
    x = traced(scheme, keys.keys, x, p, tables.n, tables.method)
    x = _through(scheme, keys, x, tables.encode, tables)
    conjugate = scheme.swap_rows(keys.keys, x)
    imaginary = times_i(scheme, scheme.sub(x, conjugate), wide, negative=True)
    real = scheme.add(x, conjugate)
    if tables.sparse:
        real = scheme.add(real, scheme.rotate(keys.keys, imaginary, p.slots))
    scale = reduction_scale(scheme, at)
    parts = [real] if tables.sparse else [real, imaginary]
    made = [reduced(scheme, keys.keys, replace(part, scale=scale), p) for part in parts]
    y = made[0] if tables.sparse else scheme.add(made[0], times_i(scheme, made[1], wide))
    y = _through(scheme, keys, y, tables.decode, tables)
    return replace(y, scale=result_scale(scheme, at) * ratio)


def _scaled_down(scheme: CKKS, x: Ciphertext, tables: Tables) -> tuple[Ciphertext, float]:
    """x at level 0, where q_0 exceeds its scale by the message bits, and by which factor not exactly."""
    x = lowered(scheme, x, min(x.level, 1))
    wanted = prime(scheme, 0) / 2.0**tables.procedure.message_bits
    above = prime(scheme, 1) if x.level else 1.0
    whole = max(1, round(wanted * above / x.scale))
    x = replace(multiple(scheme, x, whole), scale=x.scale * whole)
    x = scheme.rescale(x) if x.level else x
    return x, x.scale / wanted


def _through(
    scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, factors: tuple[PlainFactor, ...], tables: Tables
) -> Ciphertext:
    for factor in factors:
        x = applied(scheme, keys.keys, x, factor, tables.method)
        x = scheme.rescale(x) if factor.rescaled else x
    return x


# -- operands that are aligned when they meet


def _late(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables, at: Levels) -> Ciphertext:
    p, on = tables.procedure, Aligned(scheme, keys.keys, tables.method.alignment)
    parts = to_slots(on, keys, _adjusted(scheme, x, tables), tables)
    y = joined(on, [reduced_late(on, part, p) for part in parts], tables)
    before, after = correction(p, prime(scheme, 0), scheme.scale_of(at.top))
    y = on.settled(Value(multiple(scheme, y.x, before), y.degree))
    return to_coefficients(on, keys, y.x, tables, after)


def to_slots(on: Aligned, keys: BootstrapKeys, x: Ciphertext, tables: Tables) -> list[Value]:
    """The coefficients of x, which has one limb, as slots that hold t/K: those of the real part, and of the
    imaginary part unless the message is sparse."""
    scheme, p, method = on.scheme, tables.procedure, tables.method
    x = raised(scheme, keys, x, method)
    number = 1 / (tables.n * (p.reduction.bound if method.bound_apart else 1))
    value = on.mul_number(Value(replace(x, scale=_named(on))), number)
    x = traced(scheme, keys.keys, value.x, p, tables.n, method)
    x = _through_late(on, keys, on.divided(x), tables.encode, tables)
    conjugate = scheme.swap_rows(keys.keys, x)
    parts = [scheme.add(x, conjugate)]
    if not tables.sparse:
        parts.append(times_i(scheme, scheme.sub(x, conjugate), tables.imaginary, negative=True))
    return [on.settled(Value(part, 2)) for part in parts]


def joined(on: Aligned, parts: list[Value], tables: Tables) -> Value:
    """Both parts as one complex value."""
    if len(parts) == 1:
        return parts[0]
    imaginary = times_i(on.scheme, parts[1].x, tables.imaginary)
    return Value(on.scheme.add(parts[0].x, imaginary), parts[0].degree)


def to_coefficients(
    on: Aligned, keys: BootstrapKeys, x: Ciphertext, tables: Tables, factor: int
) -> Ciphertext:
    """The slots of x as coefficients, times the factor."""
    scheme = on.scheme
    x = _through_late(on, keys, x, tables.decode, tables)
    if tables.sparse:
        x = scheme.add(x, scheme.rotate(keys.keys, x, tables.procedure.slots))
    return on.divided(multiple(scheme, x, factor))


def _adjusted(scheme: CKKS, x: Ciphertext, tables: Tables) -> Ciphertext:
    """x, where q_0 exceeds its scale by the message bits exactly; it takes a level."""
    if x.level == 0:
        raise RingMismatch(
            "bootstrap: the ciphertext is at level 0, but its scale is adjusted first, which takes a level",
            "bootstrap it one level earlier",
        )
    wanted = prime(scheme, 0) / 2.0**tables.procedure.message_bits
    scale = wanted * prime(scheme, x.level) / x.scale
    return scheme.rescale(scaled(scheme, x, 1.0, scale))


def _named(on: Aligned) -> float:
    """The scale that raised coefficients are said to have."""
    scheme, corrected = on.scheme, on.alignment is Alignment.CORRECTED
    top = len(scheme.ring.q) - 1
    return named_scale(prime(scheme, 0), prime(scheme, top), scheme.scale_of(top), corrected)


def _through_late(
    on: Aligned, keys: BootstrapKeys, x: Ciphertext, factors: tuple[PlainFactor, ...], tables: Tables
) -> Ciphertext:
    """The product with all factors, the last not yet rescaled."""
    for number, factor in enumerate(factors):
        x = applied(on.scheme, keys.keys, on.divided(x) if number else x, factor, tables.method)
    return x
