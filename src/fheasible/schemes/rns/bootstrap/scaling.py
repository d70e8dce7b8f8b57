"""CKKS operations in which the caller decides every scale: what sums need to be exact.

Which operations are done never depends on the values of scales, only on levels, so that counting and
execution take the same steps.
"""

from math import floor

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.schemes.rns.bootstrap.series import is_zero
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS


def scaled(scheme: CKKS, x: Ciphertext, number: float, scale: float) -> Ciphertext:
    """number·x, where the number is encoded as an integer at this scale."""
    whole = scheme.variant.whole(number * scale)
    parts = tuple(scheme.ring.scale(part, whole) for part in x.parts)
    return x.having(parts=parts, scale=x.scale * scale)


def last_iteration(reserved: float, more: int) -> tuple[int, int]:
    """(w, m): the last iteration takes an error m times as large, where m is near `more`, and divides it by m
    as w / `reserved`, the prime that is reserved for this [Lattigo]. m w is nearest to the prime."""
    whole = max(1, round(reserved / more))
    return whole, floor(reserved / whole + 0.5)


def offset(scheme: CKKS, x: Ciphertext, number: float) -> Ciphertext:
    """x + number in every slot."""
    whole = scheme.variant.whole(number * x.scale)
    return x.having(parts=(scheme.ring.offset(x.parts[0], whole), *x.parts[1:]))


def scaled_complex(scheme: CKKS, x: Ciphertext, number: complex, scale: float) -> Ciphertext:
    """number·x, where both parts of the number are encoded as integers at this scale."""
    ring, whole = scheme.ring, scheme.variant.whole
    real, imaginary = whole(number.real * scale), whole(number.imag * scale)
    by = ring.scale(imaginary_unit(scheme, x.basis), imaginary)
    parts = tuple(ring.add(ring.scale(part, real), ring.multiply(part, by)) for part in x.parts)
    return x.having(parts=parts, scale=x.scale * scale)


def offset_complex(scheme: CKKS, x: Ciphertext, number: complex) -> Ciphertext:
    """x + number in every slot, by way of the polynomial that has the number in every slot."""
    ring, whole = scheme.ring, scheme.variant.whole
    first, half = whole(number.real * x.scale), whole(number.imag * x.scale)
    coefficients = None if ring.n is None else [first, *[0] * (ring.n // 2 - 1), half]
    constant = ring.to_ntt(ring.integers(x.basis, coefficients))
    return x.having(parts=(ring.add(x.parts[0], constant), *x.parts[1:]))


def multiple(scheme: CKKS, x: Ciphertext, integer: int) -> Ciphertext:
    """The values of x times an integer, at the same scale."""
    return x.having(parts=tuple(scheme.ring.scale(part, integer) for part in x.parts))


def added(scheme: CKKS, x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """x + y at the lower of both levels, for equal scales."""
    level = min(x.level, y.level)
    return scheme.add(lowered(scheme, x, level), lowered(scheme, y, level))


def subtracted(scheme: CKKS, x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """x - y at the lower of both levels, for equal scales."""
    level = min(x.level, y.level)
    return scheme.sub(lowered(scheme, x, level), lowered(scheme, y, level))


def matched(scheme: CKKS, x: Ciphertext, scale: float) -> Ciphertext:
    """x at a scale that is many times its own."""
    return scaled(scheme, x, 1.0, scale / x.scale).having(scale=scale)


def doubled(scheme: CKKS, x: Ciphertext) -> Ciphertext:
    return scheme.add(x, x)


def lowered(scheme: CKKS, x: Ciphertext, level: int) -> Ciphertext:
    """x without the limbs above the level."""
    return x if x.level == level else scheme.drop(x, level)


def product(scheme: CKKS, x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """x·y in three parts, at the lower of both levels."""
    if x is y:
        return scheme.square(x)
    level = min(x.level, y.level)
    return scheme.mul(lowered(scheme, x, level), lowered(scheme, y, level))


def relinearized(scheme: CKKS, keys: RnsKeys, x: Ciphertext) -> Ciphertext:
    """x in two parts."""
    return scheme.relinearize(keys, x) if x.size == 3 else x


def prime(scheme: CKKS, level: int) -> float:
    """The last prime of a level; 1 where the ring only counts."""
    return float(scheme.ring.product(scheme.ring.level(level)[-1:]) or 1)


def times_i(scheme: CKKS, x: Ciphertext, imaginary: Poly | None, negative: bool = False) -> Ciphertext:
    """i·x, or -i·x. `imaginary` is X^(n/2) over all of Q; where it is None, it is made anew."""
    ring = scheme.ring
    by = imaginary_unit(scheme, x.basis) if imaginary is None else ring.restrict(imaginary, x.basis)
    parts = tuple(ring.multiply(part, by) for part in x.parts)
    return scheme.neg(x.having(parts=parts)) if negative else x.having(parts=parts)


def imaginary_unit(scheme: CKKS, over: Basis) -> Poly:
    """X^(n/2), which is i in every slot, NTT domain."""
    ring = scheme.ring
    coefficients = None if ring.n is None else [0] * (ring.n // 2) + [1]
    return ring.to_ntt(ring.integers(over, coefficients))


def weighted(
    scheme: CKKS, terms: dict[int, Ciphertext], weights: dict[int, float], level: int, scale: float
) -> Ciphertext | None:
    """Σ weights[i]·terms[i] at this level and scale; None where all weights are zero."""
    total = None
    for i, weight in weights.items():
        if is_zero(weight):
            continue
        term = lowered(scheme, terms[i], level)
        term = scaled(scheme, term, weight, scale / term.scale).having(scale=scale)
        total = term if total is None else scheme.add(total, term)
    return total


def transparent(scheme: CKKS, level: int, scale: float) -> Ciphertext:
    """Zero in two parts, that a number can be added to."""
    ring = scheme.ring
    zero = ring.zero(ring.level(level), Domain.NTT)
    return Ciphertext((zero, zero), scale)
