"""How far noise strays from its standard deviation: what is seen usually, and what is never seen.

A polynomial of noise is looked at in its embeddings, its values at the roots of X^n + 1. There products of
polynomials are products of numbers, and each factor (the secret, an error, a message) is a complex Gaussian,
independent of the other factors and, but for the conjugates, of other roots. The phases are uniform; so, the
absolute values given, a coefficient is a sum of independent symmetric terms that is no farther out than a
Gaussian of the same variance. The absolute values make its tail heavy: a secret that is large at one root
is large there in every factor.

Assumed are the Gaussians: sums of n independent bounded terms, whose even moments are not above a Gaussian's.
"""

from functools import lru_cache
from math import ceil, lgamma, log, pi
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FRACTIONS = tuple(k / 16 for k in range(1, 17))
_USUAL_SLOTS = tuple(1 << k for k in range(9, 17))  # of the rings that a search looks at, found together
_TOGETHER = 16  # moments, as rings differ in how many are looked at
_MOST_POWERS = 1 << 12  # of a product's factors: its tail reaches beyond every modulus, and no farther counts


class Shape(NamedTuple):
    """Of the square of an embedding: the power of the secret's square in it, and of every other factor's."""

    secret: int = 0
    others: tuple[int, ...] = ()

    def log_moment(self, p: float) -> float:
        """ln E Y^p, for the square Y divided by its mean: E |g|^(2k) = k! of a complex Gaussian."""
        return sum(lgamma(e * p + 1) - p * lgamma(e + 1) for e in (self.secret, *self.others))

    def repeated(self, times: int) -> "Shape":
        """With the last factor, which is one of the others, there for the second, third, ... time."""
        others = list(self.others[:-1])
        if times - 1 in others:
            others.remove(times - 1)
        return Shape(self.secret, (*others, times)).bounded()

    def bounded(self) -> "Shape":
        """Itself, or one heavy shape for all that have more factors than can matter: products of lost noise
        would have twice as many with each of a chain."""
        return self if self.secret + sum(self.others) <= _MOST_POWERS else _HEAVIEST


GAUSSIAN = Shape()
_HEAVIEST = Shape(_MOST_POWERS // 2, (_MOST_POWERS // 2,))  # one factor's power strays farther than several


@lru_cache(maxsize=4096)
def joined(x: Shape, y: Shape, same: bool = False) -> tuple[Shape, float]:
    """The shape of a product of both, and log2 of how often its mean is that of x times that of y: they share
    the secret, and where they are the `same`, everything."""
    others = tuple(2 * e for e in x.others) if same else x.others + y.others
    factor = _log2_binomial(x.secret + y.secret, x.secret)
    if same:
        factor += sum(_log2_binomial(2 * e, e) for e in x.others)
    return Shape(x.secret + y.secret, others).bounded(), factor


def _log2_binomial(n: int, k: int) -> float:
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2)


@lru_cache(maxsize=4096)
def deviation_bits(shape: Shape, slots: int, failure_bits: float) -> float:
    """log2 of how many standard deviations a coefficient exceeds with a probability below 2^-failure_bits.

    Markov's inequality for the moment that gives the least: E e^(2p) <= (2p-1)!! E W^p for the mean W of the
    squares of `slots` independent embeddings. A Gaussian's is that of p = ln(2) failure_bits; a heavier
    tail's is lower.
    """
    most = ceil(failure_bits * log(2)) + 1
    moments = _log_odd_factorials(most) + _log_moments(shape, slots, most)
    return float(np.min((moments + failure_bits * log(2)) / (2 * np.arange(1, most + 1)))) / log(2)


@lru_cache(maxsize=64)
def _log_odd_factorials(most: int) -> Floats:
    """ln (2p-1)!! for p = 1, ..., most."""
    return np.array([lgamma(p + 0.5) + p * log(2) - log(pi) / 2 for p in range(1, most + 1)])


def _log_moments(shape: Shape, slots: int, most: int) -> Floats:
    """ln E W^p for p = 1, ..., most; W the mean of `slots` independent Y.

    E (sum of Y)^p is a sum over the partitions of p things; as many things as there are blocks may be picked
    from all slots, not only from those left: above by a little, but for few slots. There one Y's moment is
    nearer, which no mean's exceeds.
    """
    rounded = -(-most // _TOGETHER) * _TOGETHER
    single = _log_moments_of_one(shape, rounded)
    if slots <= 1:
        return single[:most]
    together = _USUAL_SLOTS if slots in _USUAL_SLOTS else (slots,)
    sums = _log_sums(shape, together, rounded)[together.index(slots)]
    return np.asarray(np.minimum(sums - np.arange(1, rounded + 1) * log(slots), single)[:most])


@lru_cache(maxsize=1024)
def _log_moments_of_one(shape: Shape, most: int) -> Floats:
    """ln E Y^p for p = 1, ..., most."""
    return np.asarray(np.sum([_log_factorials(e, most) for e in (shape.secret, *shape.others)], axis=0))


@lru_cache(maxsize=256)
def _log_factorials(e: int, most: int) -> Floats:
    """ln((e p)! / e!^p) for p = 1, ..., most: of the power e of one factor's square."""
    return np.array([lgamma(e * p + 1) - p * lgamma(e + 1) for p in range(1, most + 1)])


@lru_cache(maxsize=1024)
def _log_sums(shape: Shape, slots: tuple[int, ...], most: int) -> Floats:
    """ln E (sum of Y)^p of so many Y, by how many, and by p = 1, ..., most."""
    block = np.log(slots)[:, None] + _log_moments_of_one(shape, most)
    sums, chosen = np.zeros((len(slots), most + 1)), _log_choices(most)
    for p in range(1, most + 1):
        terms = chosen[p, :p] + block[:, :p] + sums[:, p - 1 :: -1]  # by the size of the first thing's block
        top = terms.max(axis=1)
        sums[:, p] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return sums[:, 1:]


@lru_cache(maxsize=16)
def _log_choices(most: int) -> Floats:
    """[p, b - 1]: ln of how many blocks of b things hold the first of p."""
    found, factorials = np.zeros((most + 1, most)), np.array([lgamma(k + 1) for k in range(most + 1)])
    for p in range(1, most + 1):
        b = np.arange(1, p + 1)
        found[p, :p] = factorials[p - 1] - factorials[b - 1] - factorials[p - b]
    return found


@lru_cache(maxsize=4096)
def usual_share_bits(shape: Shape, slots: int) -> float:
    """log2 of what W usually is of its mean, which rare large embeddings make: at least E log2 W, by Jensen's
    inequality for (sum of Y)^f <= sum of Y^f, f <= 1."""
    spread = log(max(slots, 1))
    return (min((shape.log_moment(f) + spread) / f for f in _FRACTIONS) - spread) / log(2)


@lru_cache(maxsize=4096)
def largest_of(count: int) -> float:
    """Which absolute value the largest of so many independent standard Gaussians exceeds every other time."""
    return NormalDist().inv_cdf((1 + 0.5 ** (1 / max(count, 1))) / 2)
