"""Solves a small LWE problem with a sparse secret by guessing all of it: the end of dual hybrid attacks."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.guessing import SUCCESS, log2_repetitions, log_binomial

_LN2 = float(np.log(2))
_TAIL = 2 * np.exp(-4 * np.pi)  # what the tables take for a Gaussian beyond 2 sqrt(2 pi) standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """LWE problems of zeta coordinates, `weight` of which are not 0; `plus` of those are 1.

    `noise` is the error over q.
    """

    zeta: Ints
    weight: Ints
    plus: Floats
    noise: Floats
    log_q: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """log2 of the operations, of the samples and of the memory that a solver takes."""

    bits: Floats
    samples: Floats
    memory: Floats


Solver = Callable[[Small], Solved]


def enumerated(small: Small) -> Solved:
    """The cost of trying every secret at once, on enough samples to tell it from the others [EspJouKha20]."""
    half = np.sqrt(SUCCESS)  # half of the allowed failures happens here, half elsewhere
    log_size = np.maximum(_log_secrets(small) + np.log(half), 0.0)
    exponent = (2 * np.pi * small.noise) ** 2
    samples = 3 + exponent / _LN2 + np.log2(log_size - np.log(-np.log(half)))
    bits = 1 + log_size / _LN2 + samples
    return Solved(bits, samples, bits - 1)


def met_in_the_middle(small: Small) -> Solved:
    """The cost of looking up half of each secret among the other halves, sorted by their samples [CHHS19].

    The size of their table and the way it is split are the approximations of [LatticeEstimator,
    lwe_guess.py].
    """
    width = 8 * np.sqrt(2 * np.pi) * small.noise + 3 * np.exp2(-small.log_q)
    tables = 2 - np.minimum(width, 1.0)  # the secret's length over a table's: nearly 2 for small errors
    zeta, weight = np.maximum(small.zeta, 1), np.maximum(small.weight, 1)
    entropy = weight * (np.log2(zeta / weight) + (weight > 1) + 1 / _LN2) / tables
    log_table = entropy - np.log2(weight) / 2 - weight**2 / (_LN2 * 2 * zeta * tables**2)
    log_table = np.maximum(log_table, 1.0)
    samples = np.maximum(np.rint(log_table + np.log2(log_table)), 1)
    halved = log2_split(small, np.rint(zeta / tables))
    repeats = log2_repetitions(halved + samples * np.log1p(-_TAIL) / _LN2)
    solvable = (small.weight > 0) & (width < 1)
    bits = np.where(solvable, samples + repeats, np.inf)
    return Solved(bits, np.log2(samples) + repeats, log_table + np.log2(samples))


def log2_split(small: Small, first: Floats) -> Floats:
    """log2 of the probability that the first `first` coordinates hold their share of each sign."""
    weight = share(small.weight * first, np.maximum(small.zeta, 1))
    plus = share(weight * small.plus, np.maximum(small.weight, 1))
    other_weight, other_plus = small.weight - weight, small.plus - plus
    ways = log_binomial(first, weight) + log_binomial(weight, plus)
    other_ways = log_binomial(small.zeta - first, other_weight) + log_binomial(other_weight, other_plus)
    return np.asarray((ways + other_ways - _log_secrets(small)) / _LN2)


def share(whole: Floats | Ints, parts: Floats | Ints | int) -> Floats:
    """The quotient `whole` / `parts`, rounded to the nearest integer; a half is rounded down."""
    return np.asarray(np.ceil(whole / parts - 0.5))


def _log_secrets(small: Small) -> Floats:
    return log_binomial(small.zeta, small.weight) + log_binomial(small.weight, small.plus)
