"""Integers that bring two BGV plaintexts of different factors together [KPZ21]."""

import numpy as np

from fheasible.aliases import Ints


def balanced(f: int, g: int, t: int) -> tuple[int, int]:
    """(a, b) in [0, t) with a·f = b·g modulo t: of the steps of Euclid's algorithm, the pair nearest to 0.

    Nearness is meant modulo t. A negative integer is nevertheless multiplied in as its residue in [0, t), so
    that noise grows by up to t, as in SEAL `balance_correction_factors` (evaluator.cpp) and Lattigo
    `matchScalesBinary` (schemes/bgv/evaluator.go).
    """
    return nearest(pow(f, -1, t) * g % t, t)


def nearest(ratio: int, t: int) -> tuple[int, int]:
    """(a, b) with a = b·ratio modulo t, as in `balanced`.

    |b| grows with each step, and is below t/2 for as long as a remainder is left. So once it is no less than
    the least sum, no later step is nearer.
    """
    r0, r1, b0, b1 = t, ratio, 0, 1
    best, least = (ratio, 1), 2 * t
    while r1 and (size := min(b1, t - b1)) < least:
        near = min(r1, t - r1) + size
        if near < least:
            best, least = (r1, b1), near
        r0, r1, b0, b1 = r1, r0 % r1, b1, (b0 - (r0 // r1) * b1) % t
    return best


def nearest_each(ratio: Ints, t: int) -> tuple[Ints, Ints]:
    """`nearest` for many ratios, in 64-bit integers: t is below 2^31."""
    r0, r1, b0, b1 = np.full_like(ratio, t), ratio, np.zeros_like(ratio), np.ones_like(ratio)
    a, b, least = ratio, b1, np.full_like(ratio, 2 * t)
    while (going := (r1 > 0) & ((size := np.minimum(b1, t - b1)) < least)).any():
        near = np.minimum(r1, t - r1) + size
        nearer = going & (near < least)
        a, b, least = np.where(nearer, r1, a), np.where(nearer, b1, b), np.where(nearer, near, least)
        quotient = r0 // np.where(going, r1, 1)
        r0, r1 = np.where(going, r1, r0), np.where(going, r0 - quotient * r1, 0)
        b0, b1 = b1, np.where(going, (b0 - quotient * b1) % t, b1)
    return a, b
