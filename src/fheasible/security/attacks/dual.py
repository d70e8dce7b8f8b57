"""The dual hybrid attack of MATZOV: short vectors of the dual lattice tell a right guess from a wrong one.

The attack enumerates k_enum of the secret's n coordinates and guesses k_fft modulo p by one fast Fourier
transform; short dual vectors deal with the rest. The formulas are those of [MATZOV22, Theorem 7.6] as
[LatticeEstimator, lwe_dual.py] has them, with n samples: whatever the secret's distribution, a guess costs
what it would for a Gaussian secret of the same standard deviation.

`dual_hybrid` searches as far as the estimator does, which does not come to a p above 5. For Gaussian secrets
a larger p helps: `dual_hybrid_wide` tries it too, and needs up to 13 bits less at n = 2^10. It undercuts the
other attacks only at n <= 2^11 and 250 bits or more under the model of MATZOV, by up to 2.7 bits, and from
128 bits on under core-SVP models.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import Cost, cheapest, flat, lesser
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import LIST_RATE, LOG_DELTAS, MAX_BLOCK_SIZE, MIN_BLOCK_SIZE, Model
from fheasible.security.attacks.search import smallest

_LN2 = float(np.log(2))
_MULTIPLICATION = 32**2  # operations of a multiplication in a transform [MATZOV22, p. 37]
_ADDITION = 5 * 32  # operations of an addition in a table [MATZOV22, p. 37]
_GRAIN = 10  # k_enum and k_fft are multiples of it [LatticeEstimator]
# Rounds of search: the k_enum to try, and how far k_fft stays below what the best cost so far pays for.
_ROUNDS = tuple((np.arange(k_enum) * _GRAIN, np.arange(below) * _GRAIN) for k_enum, below in ((1, 6), (7, 3)))
_MODULI = np.arange(2.0, 6.0)
_WIDE_MODULI = np.unique(np.rint(np.append([2, 3, 4], 5 * 1.2 ** np.arange(99))))
_WIDE_CHOICES = np.arange(6)  # of the wide moduli, counted from _WIDE_FROM on
_WIDE_FROM = 2.4  # standard deviations of the secret
_LARGER = np.arange(3)  # steps past the first block size with enough vectors: larger ones need smaller tables
_DEEPEST = 255  # how far guessing may push the block size down


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """How the secrets are split. The arrays broadcast, and their logarithms are natural."""

    n: Floats
    log_q: Floats
    log_sigma: Floats
    secret_sigma: Floats
    enumerated: Floats
    transformed: Floats
    modulus: Floats

    @property
    def dimension(self) -> Ints:
        """The dimension of the reduced lattice: the n samples and the coordinates that are not guessed."""
        return np.asarray(2 * self.n - self.enumerated - self.transformed).astype(np.int64)

    def log_count(self, beta: Ints) -> Floats:
        """log2 of the short vectors that tell a right guess from a wrong one after BKZ-beta."""
        inflation = self.transformed / 3 * (self.secret_sigma * np.pi / self.modulus) ** 2
        guesses = self.enumerated * _entropy(self.secret_sigma) + self.transformed * np.log(self.modulus)
        noise = np.exp(np.minimum(2 * self._log_noise(beta), 300))
        return np.asarray((4 * np.pi**2 * noise + inflation + np.log(guesses + _LN2)) / _LN2)

    def _log_noise(self, beta: Ints) -> Floats:
        """Natural logarithm of the deviation, over q, of a short vector's product with the error."""
        d = self.dimension
        mean = (self.n * self.log_sigma + (d - self.n) * (np.log(self.secret_sigma) + self.log_q)) / d
        length = np.log(4 / 3 * beta / (2 * np.pi * np.e)) / 2 + LOG_DELTAS[beta] * (d - beta)
        return np.asarray(mean - self.log_q + length)

    @property
    def log_transforms(self) -> Floats:
        """log2 of the operations of the transforms, one for each enumerated guess."""
        with np.errstate(divide="ignore"):
            products = np.log2(_MULTIPLICATION * self.transformed)
        return self._log_guesses + products + (self.transformed + 1) * np.log2(self.modulus)

    def log_tables(self, log_count: Floats) -> Floats:
        """log2 of the operations that fill the transforms' tables with 2^log_count vectors."""
        return np.asarray(self._log_guesses + np.log2(4 * _ADDITION) + log_count)

    @property
    def _log_guesses(self) -> Floats:
        first = -np.log2(-np.expm1(-1 / (2 * self.secret_sigma**2)))
        return np.asarray(first + self.enumerated * _log_growth(self.secret_sigma))


def dual_hybrid(problem: LweProblem, model: Model) -> Cost:
    """The least cost over k_enum, k_fft, p <= 5 and beta; `guessed` is k_enum + k_fft."""
    return _least(problem, model, np.broadcast_to(_MODULI, (len(problem), len(_MODULI))))


def dual_hybrid_wide(problem: LweProblem, model: Model) -> Cost:
    """The least cost over k_enum, k_fft and beta, with p of the size that suits the secret."""
    first = np.searchsorted(_WIDE_MODULI, _WIDE_FROM * problem.secret_sigma)
    return _least(
        problem, model, _WIDE_MODULI[np.minimum(first[:, None] + _WIDE_CHOICES, len(_WIDE_MODULI) - 1)]
    )


def _least(problem: LweProblem, model: Model, moduli: Floats) -> Cost:
    """The least cost with moduli of shape (problems, choices).

    The attack's cost without guessing bounds what a transform may cost; its cost without enumeration is a
    closer bound.
    """
    low = np.full((len(problem), 1, 1), MIN_BLOCK_SIZE, dtype=np.int64)
    without = _split(problem, np.zeros(1), np.zeros(1), np.full(1, 2.0))
    highest = smallest(partial(_enough, without, model), low, np.full_like(low, MAX_BLOCK_SIZE))
    cost = cheapest(flat(_cost(without, model, highest)))
    for enumerated, transformed in _ROUNDS:
        split = _split(problem, *_guesses(problem, cost.bits, moduli, enumerated, transformed))
        high = np.broadcast_to(highest, np.broadcast_shapes(split.enumerated.shape, highest.shape))
        least = smallest(partial(_enough, split, model), np.maximum(high - _DEEPEST, low), high)
        beta = np.minimum(least + _LARGER, MAX_BLOCK_SIZE)
        cost = lesser(cost, cheapest(flat(_cost(split, model, beta))))
    return cost


def _split(problem: LweProblem, enumerated: Floats, transformed: Floats, modulus: Floats) -> _Split:
    """The split of choices given as (problems, choices); a last axis is added for block sizes."""
    columns = (problem.n, problem.log_q * _LN2, np.log(problem.sigma), problem.secret_sigma)
    given = (np.atleast_2d(choice)[..., None] for choice in (enumerated, transformed, modulus))
    return _Split(*(column[:, None, None] for column in columns), *given)


def _guesses(
    problem: LweProblem, log_budget: Floats, moduli: Floats, enumerated: Ints, transformed: Ints
) -> tuple[Floats, Floats, Floats]:
    """Worthwhile (k_enum, k_fft, p), each (problems, choices), where everything may cost 2^log_budget.

    For each p and k_enum, the values of k_fft are the largest that the budget pays for, less each of
    `transformed`. For each k_enum, k_fft = 0 is a choice too.
    """
    modulus = moduli[:, :, None, None]
    n, budget, sigma = (given[:, None, None, None] for given in (problem.n, log_budget, problem.secret_sigma))
    k_enum = np.minimum(enumerated[:, None], _grains(n - 1))
    left = budget - np.log2(_MULTIPLICATION * _GRAIN) - k_enum * _log_growth(sigma)
    most = np.minimum(left / np.log2(modulus) - 1, n - 1 - k_enum)
    k_fft = np.maximum(_grains(most) - transformed, 0)
    some = [choice.reshape(len(problem), -1) for choice in np.broadcast_arrays(k_enum, k_fft, modulus)]
    none = np.broadcast_arrays(k_enum[:, 0, :, 0], 0.0, 2.0)
    k_enum, k_fft, modulus = (np.hstack(pair) for pair in zip(some, none, strict=True))
    return k_enum, k_fft, modulus


def _grains(value: Floats) -> Floats:
    return np.asarray(np.floor(value / _GRAIN) * _GRAIN)


def _enough(split: _Split, model: Model, beta: Ints) -> NDArray[np.bool_]:
    """Whether one sieve after BKZ-beta yields all vectors that are needed.

    The vectors' tables must also cost no more than the reduction.
    """
    d = np.maximum(split.dimension, beta + 1)
    log_count = split.log_count(beta)
    cheap = split.log_tables(log_count) <= model.reduction(beta, d)
    return np.asarray(cheap & (log_count <= LIST_RATE * model.sieve_dimension(beta, d)))


def _cost(split: _Split, model: Model, beta: Ints) -> Cost:
    log_count = split.log_count(beta)
    found = model.short_vectors(beta, np.maximum(split.dimension, beta + 1), log_count)
    bits = np.logaddexp2(found.log_cost, np.logaddexp2(split.log_transforms, split.log_tables(log_count)))
    memory = np.maximum(found.log_count, split.transformed * np.log2(split.modulus))
    guessed = np.asarray(split.enumerated + split.transformed).astype(np.int64)
    return Cost(bits, beta, split.dimension, guessed, memory)


def _entropy(sigma: Floats) -> Floats:
    """Bits in a Gaussian coefficient: log2(sqrt(2 pi e) sigma coth(pi^2 sigma^2)) [MATZOV22]."""
    tail = -np.log(np.tanh(np.pi**2 * sigma**2))
    return np.asarray((0.5 + np.log(np.sqrt(2 * np.pi) * sigma) + tail) / _LN2)


def _log_growth(sigma: Floats) -> Floats:
    """log2 of the factor by which one more enumerated coordinate multiplies the guesses, likeliest first."""
    width = np.pi**2 * sigma**2
    spread = 8 * width * np.exp(-2 * width) * np.tanh(width)
    return np.asarray(_entropy(sigma) + 1 + (spread - 0.5) / _LN2)
