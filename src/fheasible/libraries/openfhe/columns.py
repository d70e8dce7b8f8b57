"""`rns`'s digits and special primes, of many sets at once: a value for each, or (prime, set)."""

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.openfhe import rns

Ints = NDArray[np.int64]

SPECIAL_BITS = rns.MAX_BITS
EXTENDED_BITS = rns.EXTRA_BITS


def digits_for(digits: int | None, depth: int) -> int:
    """The digits of hybrid key switching: as asked, or the library's own number."""
    return rns.default_digits(digits, depth)


def distributed(limbs: int, digits: int) -> tuple[Ints, int]:
    """(where each digit begins, limbs of a digit), as `rns.limbs_per_digit`; no digits where it refuses."""
    each = -(-limbs // digits)
    if limbs <= each * (digits - 1):
        return np.empty(0, dtype=np.int64), each
    return np.arange(0, limbs, each), each


def foreseen_special_limbs(bits: Ints, digits: int) -> Ints:
    """As `rns.foreseen_special_limbs` with its margin, of the primes' bits; 0 where digits cannot be
    distributed."""
    begins, _ = distributed(len(bits), digits)
    if not len(begins):
        return np.zeros(bits.shape[1], dtype=np.int64)
    largest = np.add.reduceat(bits, begins, axis=0).max(axis=0)
    return special_limbs(largest + (largest != rns.MAX_BITS))


def special_limbs(digit_bits: Ints) -> Ints:
    """As `rns.special_limbs`."""
    found: Ints = -(-(digit_bits + rns.HEADROOM_BITS) // rns.MAX_BITS)
    return found
