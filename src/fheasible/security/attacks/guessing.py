"""Guessing coordinates of a sparse secret: how many guesses there are, and how often one of them is right.

An attack that guesses zeta coordinates tries every vector with a few non-zeros. The guessed coordinates of a
sparse secret seldom hold many of its non-zeros, so that a small set of guesses is right far more often than
its share of all guesses.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import gammaln

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.lwe import LweProblem

MOST_NON_ZEROS = 384  # more than 2^600 guesses: no attack of interest goes so far
SUCCESS = 0.99  # the probability with which a repeated attack shall succeed [LatticeEstimator]
_RARE = -40.0  # log2 of the probability p below which -log(1 - p) is p to a double's precision


@dataclass(frozen=True, slots=True, eq=False)
class GuessedWeights:
    """Secrets as a guesser sees them: `weight` of n coordinates are not 0, each one of `values` values."""

    n: Floats
    weight: Floats
    values: int

    def part(self, chosen: slice | Ints) -> "GuessedWeights":
        """The secrets that an index chooses."""
        return GuessedWeights(self.n[chosen], self.weight[chosen], self.values)


def weights(problem: LweProblem) -> GuessedWeights | None:
    """What can be guessed in a problem's secrets; None where a coordinate has too many values to guess."""
    secret, n = problem.secret, problem.n
    if secret.kind == "gaussian":
        return None
    if secret.weight is not None:
        return GuessedWeights(n, np.full_like(n, secret.weight), 2)
    return (
        GuessedWeights(n, np.round(n * 2 / 3), 2)
        if secret.kind == "ternary"
        else GuessedWeights(n, np.round(n / 2), 1)
    )


def log_binomial(n: Floats | Ints, k: Floats | Ints) -> Floats:
    """Natural logarithm of n choose k, for whole numbers; -inf for k outside 0 ... n."""
    above, below = np.asarray(n).astype(np.int64), np.asarray(k).astype(np.int64)
    rest = above - below
    inside = (below >= 0) & (rest >= 0)
    first, second = np.where(inside, below, 0), np.where(inside, rest, 0)
    log_value = _log_factorial(first + second) - _log_factorial(first) - _log_factorial(second)
    return np.where(inside, log_value, -np.inf)


def _log_factorial(k: Ints) -> Floats:
    known = _log_factorials()
    return np.asarray(known[k] if np.max(k, initial=0) < len(known) else gammaln(k + 1.0))


@cache
def _log_factorials() -> Floats:
    return np.asarray(gammaln(np.arange(1.0, 2**18)))  # a look-up is quicker than the function


def log2_drop(secret: GuessedWeights, zeta: Floats | Ints, non_zeros: Floats | Ints) -> Floats:
    """log2 of the hypergeometric probability that zeta random coordinates hold exactly so many non-zeros."""
    zeros = secret.n - secret.weight
    log_value = (
        log_binomial(zeros, zeta - non_zeros)
        + log_binomial(secret.weight, non_zeros)
        - log_binomial(secret.n, zeta)
    )
    return np.asarray(log_value / np.log(2))


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Sets of guesses of zeta coordinates, a row for each secret; column w allows up to first + w non-zeros.

    `log_size` is log2 of the number of guesses, `log_hit` log2 of the probability that the right one is among
    them. Both rise along a row up to its last possible weight, and stay constant from there on.
    """

    first: Floats  # the fewest non-zeros that zeta coordinates can hold
    log_size: Floats
    log_hit: Floats


def guesses(secret: GuessedWeights, zeta: Floats) -> Guesses:
    """Every set of guesses of zeta coordinates of the secrets, by the number of non-zeros that it allows."""
    first = np.maximum(0, zeta - (secret.n - secret.weight))
    last = np.minimum(np.minimum(secret.weight, zeta), first + MOST_NON_ZEROS)
    w = first[:, None] + np.arange(int(np.max(last - first)))
    left, room = np.maximum(zeta[:, None] - w, 0), (secret.n - secret.weight - zeta)[:, None] + w + 1
    more = secret.values * left / (w + 1)  # vectors of weight w + 1 for each one of weight w
    likelier = left * np.maximum(secret.weight[:, None] - w, 0) / ((w + 1) * room)
    log_first = log_binomial(zeta, first) + first * np.log(secret.values)
    return Guesses(
        first,
        _log2_sums(log_first, more, w < last[:, None]),
        np.minimum(_log2_sums(log2_drop(secret, zeta, first) * np.log(2), likelier, w < last[:, None]), 0.0),
    )


def _log2_sums(log_first: Floats, ratios: Floats, possible: np.ndarray) -> Floats:
    """log2 of the partial sums of series, from their first terms and each term's ratio to the one before."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        log_terms = np.cumsum(np.where(possible, np.log(ratios), -np.inf), axis=1) + log_first[:, None]
        terms = np.exp(np.concatenate([log_first[:, None], log_terms], axis=1))
        return np.asarray(np.log2(np.cumsum(terms, axis=1)))


def log2_repetitions(log_probability: Floats) -> Floats:
    """log2 of the repetitions by which what succeeds with probability 2^x succeeds with `SUCCESS`."""
    probability = np.exp2(np.clip(log_probability, _RARE, 0.0))
    with np.errstate(divide="ignore"):
        trials = np.ceil(np.log(1 - SUCCESS) / np.log1p(-probability))
    often = np.log2(np.maximum(trials, 1.0))
    seldom = np.log2(-np.log(1 - SUCCESS)) - log_probability
    return np.asarray(np.where(log_probability < _RARE, seldom, often))
