"""Exact lengths of products of primes by doubles, of many sets at once."""

from math import log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def strays(primes: Floats, bits: Ints) -> Floats:
    """log2 of each prime over 2^bits, exactly, however little it is."""
    size = np.exp2(bits.astype(np.float64))
    dropped = primes % 2 == 0  # of a large prime a double keeps the multiple of 2N, without the 1
    found: Floats = np.log1p((primes - size + dropped) / size) / log(2)
    return found


def bit_length(bits: Ints, stray: Floats) -> Ints:
    """Bits of products of primes, exactly: from the sum of their sizes, and from how far each is from its
    own size."""
    length: Ints = bits + np.floor(stray).astype(np.int64) + 1
    return length
