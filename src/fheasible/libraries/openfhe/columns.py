"""`rns`'s digits and special primes, of many sets at once: a value for each, or (prime, set)."""

from math import log

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.openfhe import rns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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


def strays(primes: Floats, bits: Ints) -> Floats:
    """log2 of each prime over 2^bits, however little it is."""
    size = np.exp2(bits.astype(np.float64))
    dropped = primes % 2 == 0  # of a large prime a double keeps the multiple of 2N, without the 1
    found: Floats = np.log1p((primes - size + dropped) / size) / log(2)
    return found


def bit_length(bits: Ints, stray: Floats) -> Ints:
    """Bits of products of primes, exactly: from the sum of their sizes, and of how far each is from its
    own."""
    length: Ints = bits + np.floor(stray).astype(np.int64) + 1
    return length
