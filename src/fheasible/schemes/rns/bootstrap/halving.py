"""Polynomials by halving: p = q·T_(2^i) + r again and again, down to short sums of T_1, T_2, ... [BMTH21].

The same division serves polynomials in x, x², ... The scale of every coefficient is chosen so that all sums
are of equal scales, and the result has the scale that is asked for.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fheasible.schemes.rns.bootstrap.scaling import (
    added,
    doubled,
    matched,
    offset,
    prime,
    product,
    relinearized,
    subtracted,
    transparent,
    weighted,
)
from fheasible.schemes.rns.bootstrap.series import is_zero
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.ckks import CKKS

Coefficients = NDArray[np.float64]


@dataclass(slots=True)
class Powers:
    """T_1, T_2, ... of a ciphertext, or its powers, made when they are asked for."""

    scheme: CKKS
    keys: RnsKeys
    chebyshev: bool
    known: dict[int, Ciphertext] = field(default_factory=dict)

    def of(self, n: int) -> Ciphertext:
        """T_n (or x^n), rescaled."""
        if n not in self.known:
            self.known[n] = self._made(n)
        return self.known[n]

    def _made(self, n: int) -> Ciphertext:
        """2·T_a·T_b - T_|a-b|, for a + b = n of which as many as possible are odd [BMTH21]."""
        scheme = self.scheme
        a, b = split_degree(n)
        x, y = self.of(a), self.of(b)
        made = relinearized(scheme, self.keys, product(scheme, x, y))
        made = replace(made, scale=x.scale * y.scale)
        if self.chebyshev:
            made = doubled(scheme, made)
            if a == b:
                made = offset(scheme, made, -1.0)
            else:
                made = subtracted(scheme, made, matched(scheme, self.of(abs(a - b)), made.scale))
        return scheme.rescale(made)


def split_degree(n: int) -> tuple[int, int]:
    """a and b with a + b = n: halves of a power of two, otherwise 2^k - 1 and the rest."""
    if n & (n - 1) == 0:
        return n // 2, n // 2
    k = (n - 1).bit_length() - 1
    return (1 << k) - 1, n + 1 - (1 << k)


def depth(degree: int) -> int:
    """The levels that a polynomial of this degree takes."""
    return degree.bit_length()


def best_split(log_degree: int) -> int:
    """log2 of the number of powers whose sums are taken directly, with the fewest products."""
    half = log_degree >> 1
    low = (1 << half) + (1 << log_degree - half) + log_degree - half - 3
    high = (1 << half + 1) + (1 << log_degree - half - 1) + log_degree - half - 4
    return half + (low > high)


def evaluated(
    scheme: CKKS,
    keys: RnsKeys,
    x: Ciphertext,
    coefficients: Coefficients,
    scale: float,
    chebyshev: bool = True,
) -> Ciphertext:
    """The polynomial of x, at this scale, `depth` levels below x. Coefficients c_0, c_1, ... as floats."""
    degree = len(coefficients) - 1
    log_degree = degree.bit_length()
    split = best_split(log_degree)
    parity = _parity(coefficients)
    powers = Powers(scheme, keys, chebyshev, {1: x})
    powers.of(1 << log_degree - 1)
    for i in range((1 << split) - 1, 2, -1):
        if parity is None or i % 2 == parity:
            powers.of(i)
    level = x.level - log_degree + 1
    made = _Halving(scheme, keys, powers, degree).run(coefficients, split, level, scale, True, degree)
    return scheme.rescale(relinearized(scheme, keys, made))


def _parity(coefficients: Coefficients) -> int | None:
    """0 where only even terms are left, 1 where only odd ones, else None."""
    for parity in (0, 1):
        if all(is_zero(float(c)) for c in coefficients[1 - parity :: 2]):
            return parity
    return None


@dataclass(slots=True)
class _Halving:
    scheme: CKKS
    keys: RnsKeys
    powers: Powers
    degree: int

    def run(
        self, c: Coefficients, split: int, level: int, scale: float, lead: bool, largest: int
    ) -> Ciphertext:
        """The polynomial at this level, not yet rescaled if it is the leading part.

        Its scale is `scale`, of the leading part after it has been rescaled.
        """
        scheme = self.scheme
        degree = len(c) - 1
        if degree < 1 << split:
            full = 1 << largest.bit_length()
            if lead and split > 1 and largest > full - (1 << split - 1):
                return self.run(c, best_split(degree.bit_length()), level, scale, lead, largest)
            return self._sum(c, level, scale * prime(scheme, level) if lead else scale)
        power = 1 << split
        while power < (degree >> 1) + 1:
            power <<= 1
        quotient, rest = divided(c, power, self.powers.chebyshev)
        x = self.powers.of(power)
        above = prime(scheme, level if lead else level + 1)
        high = self.run(quotient, split, level + 1, scale * above / x.scale, lead, largest)
        high = scheme.rescale(relinearized(scheme, self.keys, high))
        made = product(scheme, high, x)
        made = replace(made, scale=high.scale * x.scale)
        below = largest - (degree - power + 1) if largest != degree else power - 1
        low = self.run(rest, split, level, made.scale, False, below)
        return added(scheme, made, low)

    def _sum(self, c: Coefficients, level: int, scale: float) -> Ciphertext:
        """c_0 + c_1·T_1 + ..., at this level and scale."""
        weights = {i: float(c[i]) for i in range(len(c) - 1, 0, -1)}
        needed = {i: self.powers.of(i) for i, weight in weights.items() if not is_zero(weight)}
        total = weighted(self.scheme, needed, weights, level, scale)
        total = transparent(self.scheme, level, scale) if total is None else total
        return total if is_zero(float(c[0])) else offset(self.scheme, total, float(c[0]))


def divided(c: Coefficients, power: int, chebyshev: bool) -> tuple[Coefficients, Coefficients]:
    """Quotient and rest by T_power (or x^power), for a degree below twice the power."""
    quotient, rest = np.array(c[power:]), np.array(c[:power])
    if chebyshev:
        quotient[1:] *= 2
        for j in range(1, len(quotient)):
            rest[power - j] -= c[power + j]
    return quotient, rest
