"""How far noise strays from its standard deviation: its usual size, and a limit for rare failures.

A polynomial of noise is looked at in its embeddings, its values at the roots of X^n + 1. There products of
polynomials are products of numbers, and each factor (the secret, an error, a message) is a complex Gaussian.
It is independent of the other factors, and its values at different roots are independent, except at conjugate
ones. The phases are uniform. For given absolute values, a coefficient is therefore a sum of independent
symmetric terms that is no farther out than a Gaussian of the same variance. The absolute values make its tail
heavy: a secret that is large at one root is large there in every factor.

It is an assumption that the factors are Gaussian: they are sums of n independent bounded terms, whose even
moments are not above those of a Gaussian.
"""

from functools import lru_cache
from math import ceil, lgamma, log, pi
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from fheasible.aliases import Floats

_FRACTIONS = tuple(k / 16 for k in range(1, 17))
_USUAL_SLOTS = tuple(1 << k for k in range(9, 17))  # slots of usual rings, computed together
_FIRST = 8  # moments, which are enough for most shapes; where they are not, twice as many are asked for
_MOST_POWERS = 1 << 12  # powers of a product's factors: with as many, its tail reaches beyond every modulus


class SquareShape(NamedTuple):
    """The factors of the square of an embedding: the power of the secret's square in it (`secret`), and the
    power of the square of every other factor (`others`)."""

    secret: int = 0
    others: tuple[int, ...] = ()

    def log_moment(self, p: float) -> float:
        """ln E Y^p, where Y is the square divided by its mean; a complex Gaussian g with E |g|^2 = 1 has
        E |g|^(2k) = k!."""
        return sum(lgamma(e * p + 1) - p * lgamma(e + 1) for e in (self.secret, *self.others))

    def repeated(self, times: int) -> "SquareShape":
        """The shape whose last factor, which is one of the others, was multiplied in for the second, third,
        ... time (`times`)."""
        others = list(self.others[:-1])
        if times - 1 in others:
            others.remove(times - 1)
        return SquareShape(self.secret, (*others, times)).bounded()

    def bounded(self) -> "SquareShape":
        """The shape itself, or one heavy shape that stands for all that have more factors than can matter: in
        a chain of products of lost noise, each product would double the number of factors."""
        return self if self.secret + sum(self.others) <= _MOST_POWERS else _HEAVIEST


GAUSSIAN = SquareShape()
_HEAVIEST = SquareShape(_MOST_POWERS // 2, (_MOST_POWERS // 2,))  # a power strays farther than a product


@lru_cache(maxsize=4096)
def joined(x: SquareShape, y: SquareShape, same: bool = False) -> tuple[SquareShape, float]:
    """The shape of the product of x and y, and log2 of the factor by which its mean exceeds the product of
    their means. They share the secret and, where they are the `same`, everything."""
    others = tuple(2 * e for e in x.others) if same else x.others + y.others
    factor = _log2_binomial(x.secret + y.secret, x.secret)
    if same:
        factor += sum(_log2_binomial(2 * e, e) for e in x.others)
    return SquareShape(x.secret + y.secret, others).bounded(), factor


def _log2_binomial(n: int, k: int) -> float:
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


@lru_cache(maxsize=4096)
def deviation_bits(shape: SquareShape, slots: int, failure_bits: float) -> float:
    """log2 of the number of standard deviations that a coefficient exceeds with a probability below
    2^-failure_bits.

    The bound is Markov's inequality for the moment p that gives the least: E e^(2p) <= (2p-1)!! E W^p, where
    W is the mean of the squares of `slots` independent embeddings. For a Gaussian it is the moment
    p = ln(2) failure_bits; for a heavier tail it is lower. Moments are worked out until no later one can
    give less: the p-th root of the p-th moment never falls as p grows.
    """
    rare, asked = failure_bits * log(2), _FIRST
    most = ceil(rare) + 1
    while True:
        asked = min(asked, most)
        p = np.arange(1, asked + 1)
        moments = _log_odd_factorials(most)[:asked] + _log_moments(shape, slots, asked)
        least = float(np.min((moments + rare) / (2 * p)))
        if asked == most or moments[-1] / (2 * asked) + rare / (2 * most) >= least:
            return least / log(2)
        asked *= 2


@lru_cache(maxsize=64)
def _log_odd_factorials(most: int) -> Floats:
    """ln (2p-1)!! for p = 1, ..., most."""
    return np.array([lgamma(p + 0.5) + p * log(2) - log(pi) / 2 for p in range(1, most + 1)])


def _log_moments(shape: SquareShape, slots: int, most: int) -> Floats:
    """ln E W^p for p = 1, ..., most, where W is the mean of `slots` independent Y.

    E (sum of Y)^p is a sum over the partitions of p things into blocks, one slot for each block. Here each
    block may pick any slot, not only one that is left, so that the result is an upper bound: the moment of a
    sum of as many Y as a Poisson number with the mean `slots`. It is close unless there are few slots. For
    few slots the moment of a single Y is closer; the moment of a mean never exceeds it.
    """
    single = _log_moments_of_one(shape, most)
    if slots <= 1:
        return single
    together = _USUAL_SLOTS if slots in _USUAL_SLOTS else (slots,)
    sums = _log_sums(shape, together).first(most)[together.index(slots)]
    return np.asarray(np.minimum(sums - np.arange(1, most + 1) * log(slots), single))


@lru_cache(maxsize=1024)
def _log_moments_of_one(shape: SquareShape, most: int) -> Floats:
    """ln E Y^p for p = 1, ..., most."""
    return np.asarray(np.sum([_log_factorials(e, most) for e in (shape.secret, *shape.others)], axis=0))


@lru_cache(maxsize=256)
def _log_factorials(e: int, most: int) -> Floats:
    """ln((e p)! / e!^p) for p = 1, ..., most: the moments of one factor's square to the power e, over its
    mean."""
    return np.array([lgamma(e * p + 1) - p * lgamma(e + 1) for p in range(1, most + 1)])


class _LogSums:
    """ln E (sum of Y)^p, for each number of independent Y in the sum (`slots`) and p = 1, 2, ..., as far as
    it was asked for."""

    def __init__(self, shape: SquareShape, slots: tuple[int, ...]) -> None:
        self._shape, self._slots = shape, np.log(slots)[:, None]
        self._sums = np.zeros((len(slots), 1))  # from p = 0 on

    def first(self, most: int) -> Floats:
        """Up to p = most: (slots, p)."""
        known = self._sums.shape[1]
        if known <= most:
            block, chosen = self._slots + _log_moments_of_one(self._shape, most), _log_choices(most)
            sums = np.pad(self._sums, ((0, 0), (0, most + 1 - known)))
            for p in range(known, most + 1):  # a term for each size of the first thing's block
                terms = chosen[p, :p] + block[:, :p] + sums[:, p - 1 :: -1]
                top = terms.max(axis=1)
                sums[:, p] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
            self._sums = sums
        return self._sums[:, 1 : most + 1]


_log_sums = lru_cache(maxsize=1024)(_LogSums)


@lru_cache(maxsize=16)
def _log_choices(most: int) -> Floats:
    """ln of the number of blocks of b things that hold the first of p things, at [p, b - 1]."""
    found, factorials = np.zeros((most + 1, most)), np.array([lgamma(k + 1) for k in range(most + 1)])
    for p in range(1, most + 1):
        b = np.arange(1, p + 1)
        found[p, :p] = factorials[p - 1] - factorials[b - 1] - factorials[p - b]
    return found


@lru_cache(maxsize=4096)
def usual_share_bits(shape: SquareShape, slots: int) -> float:
    """log2 of the usual size of W over its mean, which is dominated by rare large embeddings. The result is
    an upper bound of E log2 W, by Jensen's inequality and (sum of Y)^f <= sum of Y^f for f <= 1."""
    spread = log(max(slots, 1))
    return (min((shape.log_moment(f) + spread) / f for f in _FRACTIONS) - spread) / log(2)


@lru_cache(maxsize=4096)
def largest_of(count: int) -> float:
    """The median of the largest absolute value among `count` independent standard Gaussians."""
    return NormalDist().inv_cdf((1 + 0.5 ** (1 / max(count, 1))) / 2)
