"""The sizes of one action of Lattigo, and what of the primes they depend on."""

from dataclasses import dataclass
from math import ceil, log2
from typing import Any, Final

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.parameters import Parameters

_PRODUCT_BITS: Final = 61  # of the primes of QMul
_WORD_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class LattigoCase:
    """The sizes of one action on `limbs` limbs (a drop ends there), with `polys` polynomials or keys.

    `lazy_digits` are products that are added before a sum modulo Q, and modulo P, is reduced.
    """

    scheme: str
    limbs: int
    polys: int
    dropped: int
    chain: int  # limbs of Q
    special: int  # limbs of P
    product: int  # limbs of QMul, which extends Q in BFV's product
    lazy_digits: tuple[int, int] = (1, 1)

    @staticmethod
    def of(p: Parameters, level: int, polys: int, dropped: int) -> "LattigoCase":
        """The sizes of an action at this level. BFV works on the whole chain at every level."""
        limbs = p.limbs if p.scheme == "bfv" else level + 1
        margins = lazy_digits(p.q[:limbs]), lazy_digits(p.p)
        return LattigoCase(p.scheme, limbs, polys, dropped, p.limbs, len(p.p), product_limbs(p), margins)

    @property
    def is_real(self) -> bool:
        return self.scheme == "ckks"

    @property
    def digits(self) -> int:
        """The number of digits of a polynomial at this level; each digit has as many limbs as P."""
        return -(-self.limbs // max(self.special, 1))

    @property
    def wide(self) -> int:
        """The limbs of a polynomial over QP at this level."""
        return self.limbs + self.special

    @property
    def digit_limbs(self) -> int:
        """The limbs of the digits that rotations share; without P they share none."""
        return self.digits * self.wide if self.special else 0


def product_limbs(p: Sets) -> Any:
    """The limbs of QMul: n·Q in primes of 61 bits, or as many as Q has where its primes are placeholders.

    For a block, an array. BGV has this base too, but does not use it.
    """
    if not p.ring_dimension or (not isinstance(p, Block) and min(p.q) == 1):
        return p.limbs
    limbs = (p.log_q + log2(p.ring_dimension)) / _PRODUCT_BITS
    return np.ceil(limbs).astype(np.int64) if isinstance(limbs, np.ndarray) else ceil(limbs)


def lazy_digits(primes: tuple[int, ...]) -> int:
    """QiOverflowMargin/2: how many products, each below twice the largest prime, fit a word together."""
    return max((1 << _WORD_BITS) // max(primes, default=1) // 2, 1)


def deciding_bits(largest: Floats, limbs: int, special: int) -> Ints:
    """The bits of each P's largest prime, as far as they decide how often sums modulo P are reduced.

    One number stands for all sizes at which the products of all digits fit a word together, because sums are
    never reduced there.
    """
    digits = -(-limbs // max(special, 1))
    never_reduced = _WORD_BITS - 1 - (digits - 1).bit_length()
    bits = np.ceil(np.log2(largest)).astype(np.int64)  # no prime is a power of two
    return np.asarray(np.maximum(bits, never_reduced))
