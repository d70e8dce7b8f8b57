"""Worst cases of CKKS's errors, coefficient by coefficient: what decryption must stay within.

A ternary secret and mask have |s| <= 1, so that a product with either is at most n times as large as its
factor; an error's coefficient exceeds 12 sigma with probability below 2^-100.
"""

from math import prod

from fheasible.schemes.rns.ciphertext import SIGMA
from fheasible.schemes.rns.variant import KeySwitching
from schemes.rns.toy import Toy

ERROR = 12 * SIGMA + 1


def switching(toy: Toy, level: int, factor: int = 1) -> float:
    """|k_0 + k_1·s - c·s'| for errors factor·e: digits times errors, over P; then the division's rounding.

    A fast conversion exceeds [0, D) by a multiple of D for each of the digit's limbs. The division,
    of k_0 and of k_1·s, is off by less than one for each special prime (and one more), times the factor.
    """
    variant, n, q = toy.scheme.variant, toy.n, toy.moduli.q[: level + 1]
    if variant.key_switching is KeySwitching.BV:
        bits = variant.digit_bits
        sizes = [2.0**bits] * sum(-(-x.bit_length() // bits) for x in q) if bits else [float(x) for x in q]
        return sum(sizes) * n * ERROR * factor
    a, p = variant.limbs_per_digit, toy.moduli.p
    digits = [float(prod(q[i : i + a])) * a for i in range(0, len(q), a)]
    return sum(digits) * n * ERROR * factor / prod(p) + (len(p) + 1) * (1 + n) * factor


def coefficients(toy: Toy, level: int) -> float:
    """Of an operand: encryption (with the rounding of its mask), encoding, and the levels it was dropped."""
    n = toy.n
    return ERROR * (1 + 2 * n) + (len(toy.moduli.p) + 1) * (1 + n) + 1


def slots(toy: Toy, level: int) -> float:
    """Of a slot, whatever one action was made on two operands below 1 in absolute value."""
    n, scales = toy.n, toy.scheme.spec.scales
    fresh = n * coefficients(toy, level) / scales[level]
    switched = 2 * n * switching(toy, level) / scales[level]
    rescaled = n * (1 + n + n * n) / scales[max(level - 1, 0)]
    return 2 * fresh + fresh * fresh + switched + rescaled + n / scales[level]
