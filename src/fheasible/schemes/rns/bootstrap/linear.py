"""A factor of the homomorphic DFT on a ciphertext: baby steps share digits, giant steps stay over QP [BMTH21].

Baby steps are rotations over QP that are not divided by P. Their products with the plain vectors are added
up. What a giant step rotates is divided by P before its key switch, and all giant steps together once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.rings.rns import embedding
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.schemes.rns.bootstrap.factors import Factor, Group
from fheasible.schemes.rns.bootstrap.matrices import Shifts, vectors
from fheasible.schemes.rns.bootstrap.method import Method
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.key_switch import decompose, divided, products
from fheasible.schemes.rns.rotation import exponent, named, rotate_extended
from fheasible.schemes.rns.scheme import found, pair

Pair = tuple[Poly, Poly]


@dataclass(frozen=True, slots=True, eq=False)
class PlainFactor:
    """A factor with its plain vectors as polynomials over QP at one level, at the scale `scale`.

    The polynomials are in the order of the factor's groups and terms. `rescaled`: the result is divided by
    the last prime, which it otherwise shares with the next factor.
    """

    factor: Factor
    level: int
    scale: float
    plains: tuple[tuple[Poly, ...], ...]
    rescaled: bool = True


def encoded(
    scheme: CKKS, factor: Factor, level: int, scale: float, shifts: Shifts | None, rescaled: bool = True
) -> PlainFactor:
    """The factor with its vectors encoded at the scale; they are None where the ring only counts."""
    ring = scheme.ring
    over = ring.level(level) + ring.p

    def plain(group: Group, shift: int) -> Poly:
        values = None if shifts is None else np.roll(shifts[shift], group.back)
        return ring.to_ntt(embedding.encode(ring, values, scale, over))

    plains = tuple(tuple(plain(group, shift) for _, shift in group.terms) for group in factor.groups)
    return PlainFactor(factor, level, scale, plains, rescaled)


def shifts_of(scheme: CKKS, factor: Factor, slots: int, encode: bool, repacked: bool, by: float) -> Any:
    """The factor's vectors times `by`; None where the ring only counts."""
    if scheme.ring.n is None:
        return None
    made = vectors(factor, slots, encode, repacked)
    return {shift: vector * by for shift, vector in made.items()}


def applied(scheme: CKKS, keys: RnsKeys, x: Ciphertext, plain: PlainFactor, method: Method) -> Ciphertext:
    """The factor's matrix times x, at x's level and at its scale times that of the plain vectors."""
    babies = _babies(scheme, keys, x, plain.factor, method)
    groups = list(zip(plain.factor.groups, plain.plains, strict=True))
    sums = _whole if method.whole_giants else _halves
    return Ciphertext(sums(scheme, keys, x, babies, groups), x.scale * plain.scale)


def _babies(scheme: CKKS, keys: RnsKeys, x: Ciphertext, factor: Factor, method: Method) -> dict[int, Pair]:
    """P times the rotations of x, over QP; over Q alone where x is not rotated and the rest is zero."""
    ring, (first, second) = scheme.ring, pair(x)
    digits = decompose(ring, second, scheme.variant)
    made: dict[int, Pair] = {}
    for steps in factor.babies:
        if steps == 0:
            made[0] = _raised(scheme, first, method), _raised(scheme, second, method)
        else:
            name = named(ring, steps)
            key = found(keys.rotations.get(name), f"rotation by {name}")
            made[steps] = rotate_extended(ring, first, digits, name, key, scheme.variant)
    return made


def _raised(scheme: CKKS, x: Poly, method: Method) -> Poly:
    """P·x; over QP, where it is multiplied with every limb of a plain vector."""
    made = scheme.ring.scale(x, scheme.ring.product(scheme.ring.p))
    return _widened(scheme, made) if method.whole_giants else made


def _widened(scheme: CKKS, x: Poly) -> Poly:
    return scheme.ring.join(x, scheme.ring.zero(scheme.ring.p, Domain.NTT))


def _inner(scheme: CKKS, babies: dict[int, Pair], group: Group, plains: Sequence[Poly]) -> Pair:
    """The sum of a group's products, over QP."""
    pairs = [(babies[baby], plain) for (baby, _), plain in zip(group.terms, plains, strict=True)]
    first = _summed(scheme, [(x, plain) for (x, _), plain in pairs])
    return first, _summed(scheme, [(x, plain) for (_, x), plain in pairs])


def _summed(scheme: CKKS, pairs: Sequence[tuple[Poly, Poly]]) -> Poly:
    """Σ x·y over QP; where x is over Q alone, its other limbs are zero."""
    ring = scheme.ring
    over = next(y.basis for _, y in pairs) if len({x.basis for x, _ in pairs}) > 1 else pairs[0][0].basis
    wide = [(x, ring.restrict(y, over)) for x, y in pairs if x.basis == over]
    total = _dot(scheme, wide)
    for x, y in pairs:
        if x.basis != over:
            own = ring.multiply(x, ring.restrict(y, x.basis))
            own = ring.add(own, ring.restrict(total, x.basis))
            total = ring.join(own, ring.restrict(total, over - x.basis))
    return total


def _dot(scheme: CKKS, pairs: Sequence[tuple[Poly, Poly]]) -> Poly:
    xs, ys = zip(*pairs, strict=True)
    return scheme.ring.inner_product(xs, ys, lazy=False)


def _whole(
    scheme: CKKS,
    keys: RnsKeys,
    x: Ciphertext,
    babies: dict[int, Pair],
    groups: Sequence[tuple[Group, Sequence[Poly]]],
) -> Pair:
    """The sum over giant steps, each of which divides both polynomials by P first [OpenFHE]."""
    ring, variant, like = scheme.ring, scheme.variant, x.parts[0]
    first: Poly | None = None
    outer: Pair | None = None
    for group, plains in groups:
        inner0, inner1 = _inner(scheme, babies, group, plains)
        low = divided(ring, inner0, like, variant, None)
        if group.giant:
            second = divided(ring, inner1, like, variant, None)
            name = named(ring, group.giant)
            key = found(keys.rotations.get(name), f"rotation by {name}")
            low = ring.automorphism(low, exponent(ring, name))
            digits = decompose(ring, second, variant)
            made = rotate_extended(ring, None, digits, name, key, variant)
        else:
            made = (ring.zero(inner1.basis, Domain.NTT), inner1)
        first = low if first is None else ring.add(first, low)
        outer = made if outer is None else _sum(scheme, outer, made)
    assert outer is not None
    assert first is not None
    k0, k1 = (divided(ring, k, like, variant, None) for k in outer)
    return ring.add(k0, first), k1


def _halves(
    scheme: CKKS,
    keys: RnsKeys,
    x: Ciphertext,
    babies: dict[int, Pair],
    groups: Sequence[tuple[Group, Sequence[Poly]]],
) -> Pair:
    """The sum over giant steps, each of which divides c_1 alone by P first [Lattigo]."""
    ring, variant, like = scheme.ring, scheme.variant, x.parts[0]
    outer: Pair | None = None
    for group, plains in groups:
        inner = _inner(scheme, babies, group, plains)
        if group.giant:
            inner = _turned(scheme, keys, inner, group.giant, like)
        elif inner[0].basis == x.basis:
            inner = (_widened(scheme, inner[0]), _widened(scheme, inner[1]))
        outer = inner if outer is None else _sum(scheme, outer, inner)
    assert outer is not None
    k0, k1 = (divided(ring, k, like, variant, None) for k in outer)
    return k0, k1


def _turned(scheme: CKKS, keys: RnsKeys, inner: Pair, giant: int, like: Poly) -> Pair:
    """P times a rotated ciphertext, given P times it, over QP."""
    ring, variant = scheme.ring, scheme.variant
    name = named(ring, giant)
    key = found(keys.rotations.get(name), f"rotation by {name}")
    first, second = (_over(scheme, part, like.basis) for part in inner)
    digits = decompose(ring, divided(ring, second, like, variant, None), variant)
    k0, k1 = products(ring, digits, key, variant)
    e = exponent(ring, name)
    return ring.automorphism(ring.add(k0, first), e), ring.automorphism(k1, e)


def _over(scheme: CKKS, x: Poly, chain: Basis) -> Poly:
    """x over QP; where it is over Q alone, its other limbs are zero."""
    return _widened(scheme, x) if x.basis == chain else x


def _sum(scheme: CKKS, x: Pair, y: Pair) -> Pair:
    return scheme.ring.add(x[0], y[0]), scheme.ring.add(x[1], y[1])
