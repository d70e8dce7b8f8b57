"""RLWE in a few lines of whole numbers: real ciphertexts, whose noise can be looked at.

A modulus need not be prime here, for nothing is transformed; moduli that are multiplied are coprime.
"""

from functools import cached_property
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

Poly = NDArray[np.object_]

SIGMA = 3.19


class InsecureRing:
    """Z[X]/(X^n + 1) with a ternary secret. INSECURE: n is far too small."""

    def __init__(self, n: int, seed: int) -> None:
        self.n = n
        self.draw = np.random.default_rng(seed)

    @cached_property
    def secret(self) -> Poly:
        return self.ternary()

    def mul(self, x: Poly, y: Poly) -> Poly:
        """By Kronecker's substitution: one product of two very long numbers."""
        width = (_bits(x) + _bits(y) + self.n.bit_length()) // 8 + 1
        product = _written(x, width) * _written(y, width)
        half = 1 << (8 * width - 1)
        lifted = product + _written(np.full(2 * self.n, half, dtype=object), width)
        digits = lifted.to_bytes(2 * self.n * width, "little")
        found = np.array(
            [int.from_bytes(digits[i : i + width], "little") - half for i in range(0, len(digits), width)],
            dtype=object,
        )
        return np.asarray(found[: self.n] - found[self.n :])

    def ternary(self) -> Poly:
        return self.draw.integers(-1, 2, self.n).astype(object)

    def error(self) -> Poly:
        return np.rint(self.draw.normal(0, SIGMA, self.n)).astype(np.int64).astype(object)

    def uniform(self, q: int) -> Poly:
        """Modulo q, around 0."""
        words = self.draw.integers(0, 2**62, (q.bit_length() // 62 + 2, self.n)).astype(object)
        return centred(sum(w << 62 * i for i, w in enumerate(words)), q)

    def public_key(self, q: int) -> tuple[Poly, Poly]:
        a = self.uniform(q)
        return centred(self.error() - self.mul(a, self.secret), q), a

    def encrypt(self, message: Poly, q: int, *, p: int = 1) -> tuple[Poly, Poly]:
        """Encrypted modulo q p, then divided by p, the message added."""
        b, a = self.public_key(q * p)
        v = self.ternary()
        c0 = self.mul(b, v) + self.error()
        c1 = self.mul(a, v) + self.error()
        if p > 1:
            c0, c1 = divided(centred(c0, q * p), p), divided(centred(c1, q * p), p)
        return centred(c0 + message, q), centred(c1, q)

    def phase(self, c: tuple[Poly, ...], q: int) -> Poly:
        """c_0 + c_1 s + c_2 s^2, around 0 modulo q."""
        total = c[-1]
        for part in c[-2::-1]:
            total = part + self.mul(total, self.secret)
        return centred(total, q)


def _bits(x: Poly) -> int:
    return max(int(abs(v)).bit_length() for v in x)


def _written(x: Poly, width: int) -> int:
    """The number whose digits, of `width` bytes each, are the coefficients."""

    def of(digits: Poly) -> int:
        return int.from_bytes(b"".join(int(d).to_bytes(width, "little") for d in digits), "little")

    return of(np.maximum(x, 0)) - of(np.maximum(-x, 0))


def centred(x: Poly, q: int) -> Poly:
    residues = x % q
    return np.where(residues > q // 2, residues - q, residues)


def divided(x: Poly, by: int) -> Poly:
    """The nearest whole numbers to x / by."""
    return np.asarray((2 * x + by) // (2 * by))


def variance(samples: list[Poly]) -> float:
    """The mean square."""
    return float(np.mean(np.concatenate(samples).astype(np.float64) ** 2))


def moduli(*bits: int) -> tuple[int, ...]:
    """Coprime odd numbers just below those powers of two."""
    found: list[int] = []
    for b in bits:
        candidate = 2**b - 1
        while gcd(candidate, prod(found)) > 1:
            candidate -= 2
        found.append(candidate)
    return tuple(found)
