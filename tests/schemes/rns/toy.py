"""Rings, schemes and operands of toy size, and the same things to be counted."""

from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from fheasible.libraries.primes import descending
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.rings.rns.ring import RnsRing
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import KeySwitching, Multiplication, Variant

INSECURE_N = 64
LIMBS = 5  # of the chain: a first prime of 50 bits, others of 40, so that the scale is 2^40 or close
SCHEMES = {"ckks": CKKS, "bgv": BGV, "bfv": BFV}
FIRST_BITS, BITS, SPECIAL_BITS, PLAIN_BITS = 50, 40, 51, 18


@dataclass(frozen=True)
class Moduli:
    """The primes of a toy ring; `extra` as `schemes.rns.auxiliary` orders them."""

    q: tuple[int, ...]
    p: tuple[int, ...]
    extra: tuple[int, ...]
    t: int


@cache
def moduli(n: int, limbs: int, special: int, multiplication: Multiplication) -> Moduli:
    p = islice(descending(SPECIAL_BITS, 2 * n), special)
    q = [descending(FIRST_BITS, 2 * n).first(1)[0], *islice(descending(BITS, 2 * n), limbs - 1)]
    t = descending(PLAIN_BITS, 2 * n).first(1)[0]
    return Moduli(tuple(q), tuple(p), (*_auxiliary(n, limbs, multiplication), t), t)


def _auxiliary(n: int, limbs: int, multiplication: Multiplication) -> tuple[int, ...]:
    basis = tuple(islice(descending(52, 2 * n), limbs + 1))
    if multiplication is not Multiplication.BEHZ:
        return basis
    return (*basis, *(descending(bits, 2 * n).first(1)[0] for bits in (53, 32, 54)))


@dataclass(frozen=True, eq=False)
class Toy:
    """A scheme with keys on the exact ring, and what it takes to count it."""

    scheme: ResidueArithmetic
    keys: RnsKeys
    moduli: Moduli

    @property
    def n(self) -> int:
        assert self.scheme.ring.n is not None
        return self.scheme.ring.n

    @property
    def top(self) -> int:
        return len(self.moduli.q) - 1

    @property
    def slots(self) -> int:
        return self.n // 2 if self.is_real else self.n

    @property
    def is_real(self) -> bool:
        return isinstance(self.scheme, CKKS)

    def counted(self) -> ResidueArithmetic:
        """The same scheme and variant on a counting ring."""
        m = self.moduli
        ring = CountingRnsRing(len(m.q), len(m.p), len(m.extra))
        return type(self.scheme)(ring, RnsSpec(), counting(self.scheme.variant, m))

    def values(self, seed: int) -> Any:
        """Slots: reals in [-1, 1], or residues around 0."""
        random = np.random.default_rng(seed)
        if self.is_real:
            return random.uniform(-1, 1, self.slots)
        return random.integers(-(self.moduli.t // 2), self.moduli.t // 2 + 1, self.slots)

    def clear(self, slots: Any) -> Any:
        """What a cleartext result is after decryption: integers around 0 modulo t."""
        if self.is_real:
            return slots
        residues = np.asarray(slots) % self.moduli.t
        return np.where(residues > self.moduli.t // 2, residues - self.moduli.t, residues)

    def operands(self, level: int) -> "Operands":
        """Slots a and b encrypted at this level, and a plain vector."""
        a, b = self.values(1), self.values(2)
        x, y = (self.scheme.encrypt(self.keys, slots, level) for slots in (a, b))
        return Operands(x, y, a, b, self.values(3))

    def error(self, x: Ciphertext, expected: Any) -> float:
        """The largest difference of a decrypted slot."""
        return float(np.max(np.abs(self.scheme.decrypt(self.keys, x) - self.clear(expected))))


class Operands(NamedTuple):
    x: Ciphertext
    y: Ciphertext
    a: Any
    b: Any
    v: Any


def counting(variant: Variant, m: Moduli) -> Variant:
    """The variant, told the bits of the primes where counting needs them."""
    return replace(variant, limb_bits=tuple(q.bit_length() for q in m.q)) if variant.digit_bits else variant


def special_limbs(variant: Variant) -> int:
    """As many special primes as a digit has limbs, so that P exceeds every digit."""
    return variant.limbs_per_digit if variant.key_switching is KeySwitching.HYBRID else 1


@cache
def toy(name: str, variant: Variant, n: int = INSECURE_N, limbs: int = LIMBS) -> Toy:
    """Keys for rotations by 1, 3 and n/2 - 1 included."""
    m = moduli(n, limbs, special_limbs(variant), variant.multiplication)
    scheme = SCHEMES[name](exact_ring(n, m), spec(name, m), variant)
    return Toy(scheme, scheme.keygen(rotations=(1, 3, -1), swap_rows=True), m)


def exact_ring(n: int, m: Moduli, seed: int = 1) -> RnsRing:
    return ExactRnsRing(n, m.q, m.p, m.extra, seed=seed)


def spec(name: str, m: Moduli) -> RnsSpec:
    """S_top = 2^40, and S_(l-1) = S_l²/q_l below."""
    if name != "ckks":
        return RnsSpec(t=m.t)
    scales = [2.0**BITS]
    for prime in reversed(m.q[1:]):
        scales.append(scales[-1] ** 2 / prime)
    return RnsSpec(scales=tuple(reversed(scales)))
