"""The exact lengths in bits of products of primes, computed in doubles for many sets at once."""

from math import log

import numpy as np

from fheasible.aliases import Floats, Ints


def strays(primes: Floats, bits: Ints) -> Floats:
    """log2(prime / 2^bits) for each prime, exact however small it is."""
    size = np.exp2(bits.astype(np.float64))
    dropped = primes % 2 == 0  # the double of a large prime is the multiple of 2N without the 1
    found: Floats = np.log1p((primes - size + dropped) / size) / log(2)
    return found


def bit_length(bits: Ints, stray: Floats) -> Ints:
    """The exact length of products of primes, from the sum of their `bits` and the sum of their `strays`."""
    length: Ints = bits + np.floor(stray).astype(np.int64) + 1
    return length
