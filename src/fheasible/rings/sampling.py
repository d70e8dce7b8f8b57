"""Random values for the exact rings.

The source is numpy's PCG64, which draws the same values from the same seed, so that experiments can be
repeated. It is not a cryptographic source: nothing made here may protect data.
"""

from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.limbs import LIMB_BITS, Limbs, magnitude
from fheasible.rings.ring import tail

FRACTION_BITS = 320  # precision of the weights below, the least of which is near 2^-61


def source(seed: int | None) -> np.random.Generator:
    """A generator of random words; without a seed, the values differ each time."""
    return np.random.Generator(np.random.PCG64(seed))


def uniform(random: np.random.Generator, q: int, shape: tuple[int, int, int]) -> Limbs:
    """Residues modulo q, every value exactly equally likely: numbers that are not below q are drawn again."""
    bound = magnitude(q - 1, len(magnitude(q)))
    out = np.empty((*shape, len(bound)), np.uint64)
    for polynomial in out.reshape(-1, shape[2], len(bound)):  # one at a time, to save memory
        polynomial[:] = _words(random, q - 1, polynomial.shape)
        wrong = _beyond(polynomial, bound)
        while wrong.size:
            polynomial[wrong] = _words(random, q - 1, (wrong.size, len(bound)))
            wrong = wrong[_beyond(polynomial[wrong], bound)]
    return out


def _words(random: np.random.Generator, largest: int, shape: tuple[int, ...]) -> Limbs:
    """Random numbers of as many bits as `largest` has, an array (..., limbs)."""
    out = random.integers(0, 1 << LIMB_BITS, size=shape, dtype=np.uint64)
    out[..., -1] &= np.uint64((1 << largest.bit_length() - LIMB_BITS * (shape[-1] - 1)) - 1)
    return out


def _beyond(x: Limbs, bound: Limbs) -> NDArray[np.int64]:
    """The indices of the numbers (count, limbs) above the bound; the highest limb that differs decides."""
    places = np.flatnonzero(x[:, -1] >= bound[-1])  # few numbers, for most q
    close, above = x[places], np.zeros(len(places), dtype=np.bool_)
    for j, limb in enumerate(bound):
        above &= close[:, j] == limb
        above |= close[:, j] > limb
    return places[above]


def ternary(random: np.random.Generator, shape: tuple[int, int, int]) -> Limbs:
    """Integers -1, 0 and 1, equally likely, in one limb."""
    return random.integers(-1, 2, size=shape, dtype=np.int64).view(np.uint64)[..., np.newaxis]


def gaussian(random: np.random.Generator, sigma: float, shape: tuple[int, int, int]) -> Limbs:
    """Integers k in one limb, with weight exp(-k²/(2·sigma²)) and |k| <= 9.2·sigma.

    A cumulative table is inverted. Each probability is exact to within 2^-63.
    """
    table, largest = thresholds(sigma), tail(sigma)
    out = np.empty((*shape, 1), np.uint64)
    for polynomial in out.reshape(-1, shape[2]):
        drawn = random.integers(0, 1 << 64, size=shape[2], dtype=np.uint64)
        polynomial[:] = (np.searchsorted(table, drawn, side="right") - largest).view(np.uint64)
    return out


@lru_cache(maxsize=16)
def thresholds(sigma: float) -> Limbs:
    """The cumulative table floor(2^64·P(X <= k)) for k = -T, ..., T - 1, where T is the largest magnitude."""
    half = _weights(sigma)
    weights = [*reversed(half[1:]), *half]
    total, below, table = sum(weights), 0, []
    for weight in weights[:-1]:
        below += weight
        table.append((below << 64) // total)
    return np.array(table, dtype=np.uint64)


def _weights(sigma: float) -> list[int]:
    """The weights exp(-k²/(2·sigma²)) for k = 0, ..., T in fixed point, each computed from the one before.

    The ratio of weight k + 1 to weight k is r^(2k + 1) with r = exp(-1/(2·sigma²)), so two products give
    the next weight.
    """
    with localcontext(prec=120):
        root = int((-1 / (2 * Decimal(float(sigma)) ** 2)).exp() * (1 << FRACTION_BITS))
    square, ratio, weights = root * root >> FRACTION_BITS, root, [1 << FRACTION_BITS]
    for _ in range(tail(sigma)):
        weights.append(weights[-1] * ratio >> FRACTION_BITS)
        ratio = ratio * square >> FRACTION_BITS
    return weights
