"""The noise of a BFV or BGV ciphertext, by the secret key: the polynomial itself, without the library's help.

Exact arithmetic throughout, and out of every sample.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.refusal import UNSUPPORTED, Refusal

Words = NDArray[np.uint64]
Residues = Words  # (limbs, n)
Noise = NDArray[np.float64]  # (n,), as a fraction of the modulus
_SMALL = 64  # of a secret's coefficients: ternary, or Gaussian of standard deviation 3.19


@dataclass(frozen=True)
class Evaluated:
    """Polynomials by their values: entry i of a limb is that at root^(2 r + 1), r being i with its bits
    reversed. So SEAL and OpenFHE both keep them."""

    primes: list[int]
    roots: list[int]  # of order 2n, one for each prime
    parts: list[Residues]  # c_0, c_1, ... of the ciphertext
    secret: Residues


def invariant_noise(x: Evaluated, times: int) -> Noise:
    """[times * sum_i c_i s^i]_Q / Q, each coefficient in [-1/2, 1/2).

    What SEAL calls the invariant noise, with `times` = t for BFV and 1 for BGV; a ciphertext decrypts as
    long as it is below 1/2 everywhere.
    """
    if not _is_small(x):
        raise Refusal(UNSUPPORTED, "noise: the secret key is not written in the form that is known")
    limbs = [_coefficients(x, limb, times) for limb in range(len(x.primes))]
    modulus = int(np.prod([1, *x.primes], dtype=object))
    total = np.zeros(x.secret.shape[1], dtype=object)
    for prime, limb in zip(x.primes, limbs, strict=True):
        rest = modulus // prime
        total += limb * pow(rest, -1, prime) % prime * rest
    centred = (total + modulus // 2) % modulus - modulus // 2
    return np.array([c / modulus for c in centred])  # of two integers: correctly rounded


def _is_small(x: Evaluated) -> bool:
    """Whether the secret's coefficients are: a wrong root or order would make them anything."""
    prime = x.primes[0]
    coefficients = _inverse(x.secret[0], prime, x.roots[0]).astype(object)
    return bool(np.all((coefficients + _SMALL) % prime <= 2 * _SMALL))


def _coefficients(x: Evaluated, limb: int, times: int) -> NDArray[Any]:
    """Of times * sum_i c_i s^i, modulo one prime."""
    prime, secret = x.primes[limb], x.secret[limb].astype(object)
    value = np.zeros(len(secret), dtype=object)
    for part in reversed(x.parts):
        value = (value * secret + part[limb].astype(object)) % prime
    return _inverse((value * times % prime).astype(np.uint64), prime, x.roots[limb]).astype(object)


def _inverse(values: Words, prime: int, root: int) -> Words:
    """The coefficients of the polynomial of these values, modulo X^n + 1: Gentleman and Sande's butterflies.

    The i-th block of 2 h values holds a remainder modulo X^(2 h) - z, where z = r^2 and r is the root's power
    in that place of the bit-reversed order: halves u, v are the remainders modulo X^h - r and X^h + r.
    """
    n, blocks, q = len(values), len(values), np.uint64(prime)
    powers = _powers_reversed(root, prime, n)
    x = values
    while blocks > 1:
        blocks //= 2
        x = x.reshape(blocks, 2, -1)
        u, v = x[:, 0], x[:, 1]
        inverse = powers[blocks : 2 * blocks, None]
        x = np.concatenate((_reduced(u + v, q), _times(u + q - v, inverse, prime)), axis=1)
    return _times(x.reshape(n), np.array([pow(n, -1, prime)], dtype=object), prime)


def _reduced(x: Words, q: np.uint64) -> Words:
    """From [0, 2 q) to [0, q)."""
    return np.where(x >= q, x - q, x)


def _times(x: Words, factor: NDArray[Any], prime: int) -> Words:
    """x * factor modulo the prime, by Shoup's quotient floor(factor 2^64 / prime): words alone."""
    quotient = ((factor << 64) // prime).astype(np.uint64)
    q = np.uint64(prime)
    return _reduced(x * factor.astype(np.uint64) - _high(x, quotient) * q, q)


def _high(x: Words, y: Words) -> Words:
    """The upper word of the products."""
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    x0, x1, y0, y1 = x & low, x >> half, y & low, y >> half
    middle = x1 * y0 + (x0 * y0 >> half)
    return x1 * y1 + (middle >> half) + (x0 * y1 + (middle & low) >> half)


@lru_cache(maxsize=64)
def _powers_reversed(root: int, prime: int, n: int) -> NDArray[Any]:
    """root^-b for every b < n, in bit-reversed order."""
    inverse = pow(root, -1, prime)
    found = np.ones(1, dtype=object)
    while len(found) < n:
        step = pow(inverse, n // (2 * len(found)), prime)
        found = np.concatenate((found, found * step % prime))
    return found


def least_root(prime: int, n: int) -> int:
    """The smallest root of X^n + 1 modulo the prime (SEAL's choice)."""
    candidates = (pow(g, (prime - 1) // (2 * n), prime) for g in range(2, prime))
    power = root = next(r for r in candidates if pow(r, n, prime) == prime - 1)
    least, square = root, root * root % prime
    for _ in range(n - 1):
        power = power * square % prime
        least = min(least, power)
    return least
