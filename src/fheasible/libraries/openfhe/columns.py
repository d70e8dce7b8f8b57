"""The digits and special primes of `rns` for many sets at once, as arrays (set) or (prime, set)."""

import numpy as np

from fheasible.aliases import Ints
from fheasible.libraries.openfhe import rns

SPECIAL_BITS = rns.MAX_BITS
EXTENDED_BITS = rns.EXTRA_BITS


def digits_for(digits: int | None, depth: int) -> int:
    """The number of digits of hybrid key switching: the one asked for, or the library's default."""
    return rns.default_digits(digits, depth)


def distributed(limbs: int, digits: int) -> tuple[Ints, int]:
    """(where each digit begins, limbs of a digit), by the rule of `rns.limbs_per_digit`.

    There are no digits where that rule refuses.
    """
    each = -(-limbs // digits)
    if limbs <= each * (digits - 1):
        return np.empty(0, dtype=np.int64), each
    return np.arange(0, limbs, each), each


def foreseen_special_limbs(bits: Ints, digits: int) -> Ints:
    """The number of primes of P foreseen for each set: `rns.foreseen_special_limbs` with its margin.

    `bits` are those of Q's primes. The number is 0 where limbs cannot be distributed over the digits.
    """
    begins, _ = distributed(len(bits), digits)
    if not len(begins):
        return np.zeros(bits.shape[1], dtype=np.int64)
    largest = np.add.reduceat(bits, begins, axis=0).max(axis=0)
    return special_limbs(largest + (largest != rns.MAX_BITS))


def special_limbs(digit_bits: Ints) -> Ints:
    """The number of primes of P for each set, by the rule of `rns.special_limbs`."""
    found: Ints = -(-(digit_bits + rns.HEADROOM_BITS) // rns.MAX_BITS)
    return found
