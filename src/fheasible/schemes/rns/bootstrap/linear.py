"""A factor of the homomorphic DFT: baby steps share digits, giant steps stay over QP [BMTH21].

Baby steps are rotations over QP that are not divided by P. Their products with the plain vectors are added
up. What a giant step rotates is divided by P before its key switch, and all giant steps together once more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
    like, factor = x.parts[0], plain.factor
    add_up = _repeated if factor.repeated else _summed_up
    outer = add_up(scheme, keys, _inner(scheme, babies, plain, like), like)
    if factor.finish:
        outer = _turned(scheme, keys, outer, factor.finish, like)
    k0, k1 = (divided(scheme.ring, k, like, scheme.variant, None) for k in outer)
    return Ciphertext((k0, k1), x.scale * plain.scale)


def _babies(scheme: CKKS, keys: RnsKeys, x: Ciphertext, factor: Factor, method: Method) -> dict[int, Pair]:
    """P times the rotations of x, over QP; over Q alone where x is not rotated and the rest is zero.

    The digits that they share keep x's own limbs in every variant.
    """
    ring, (first, second) = scheme.ring, pair(x)
    digits = decompose(ring, second, replace(scheme.variant, reuse_ntt=True, copy_own=True))
    made: dict[int, Pair] = {}
    for steps in factor.babies:
        if steps == 0:
            made[0] = _own(scheme, first, method), _own(scheme, second, method)
        else:
            name = named(ring, steps)
            key = found(keys.rotations.get(name), f"rotation by {name}")
            made[steps] = rotate_extended(ring, first, digits, name, key, scheme.variant)
    return made


def raised_to_qp(scheme: CKKS, x: Poly) -> Poly:
    """P·x over QP, whose limbs over P are zero."""
    return _widened(scheme, scheme.ring.scale(x, scheme.ring.product(scheme.ring.p)))


def _own(scheme: CKKS, x: Poly, method: Method) -> Poly:
    """P·x, over Q alone unless the method multiplies limbs that are zero."""
    if method.zero_limbs:
        return raised_to_qp(scheme, x)
    return scheme.ring.scale(x, scheme.ring.product(scheme.ring.p))


def _widened(scheme: CKKS, x: Poly) -> Poly:
    return scheme.ring.join(x, scheme.ring.zero(scheme.ring.p, Domain.NTT))


def _inner(
    scheme: CKKS, babies: dict[int, Pair], plain: PlainFactor, like: Poly
) -> Iterator[tuple[int, Pair]]:
    """Each group's giant step and the sum of its products, over QP; the last group first where it repeats."""
    order = -1 if plain.factor.repeated else 1
    for group, plains in list(zip(plain.factor.groups, plain.plains, strict=True))[::order]:
        pairs = [(babies[baby], vector) for (baby, _), vector in zip(group.terms, plains, strict=True)]
        first = _summed(scheme, [(x, vector) for (x, _), vector in pairs])
        second = _summed(scheme, [(x, vector) for (_, x), vector in pairs])
        yield group.giant, (_over(scheme, first, like.basis), _over(scheme, second, like.basis))


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


def _summed_up(scheme: CKKS, keys: RnsKeys, groups: Iterator[tuple[int, Pair]], like: Poly) -> Pair:
    """The sum of all groups, each after its own giant step."""
    total: Pair | None = None
    for giant, inner in groups:
        x = _turned(scheme, keys, inner, giant, like) if giant else inner
        total = x if total is None else _sum(scheme, total, x)
    assert total is not None
    return total


def _repeated(scheme: CKKS, keys: RnsKeys, groups: Iterator[tuple[int, Pair]], like: Poly) -> Pair:
    """The same by Horner's rule, where every group is one giant step further than the group before it."""
    _, total = next(groups)
    for giant, inner in groups:
        total = _turned(scheme, keys, total, giant, like) if giant else total
        total = _sum(scheme, total, inner)
    return total


def _turned(scheme: CKKS, keys: RnsKeys, inner: Pair, giant: int, like: Poly) -> Pair:
    """P times a rotated ciphertext, given P times it, over QP."""
    ring, variant = scheme.ring, scheme.variant
    name = named(ring, giant)
    key = found(keys.rotations.get(name), f"rotation by {name}")
    first, second = inner
    digits = decompose(ring, divided(ring, second, like, variant, None), variant)
    k0, k1 = products(ring, digits, key, variant)
    e = exponent(ring, name)
    return ring.automorphism(ring.add(k0, first), e), ring.automorphism(k1, e)


def _over(scheme: CKKS, x: Poly, chain: Basis) -> Poly:
    """x over QP; where it is over Q alone, its other limbs are zero."""
    return _widened(scheme, x) if x.basis == chain else x


def _sum(scheme: CKKS, x: Pair, y: Pair) -> Pair:
    return scheme.ring.add(x[0], y[0]), scheme.ring.add(x[1], y[1])
