"""Dual hybrid attacks on sparse secrets: short vectors of the dual lattice leave a smaller problem to guess.

The attack sets zeta of the n coordinates aside and takes them to hold h1 of the non-zeros. Short dual vectors
turn samples in n coordinates into samples in these zeta, with a larger error. The smaller problem is solved
by trying all its secrets [EspJouKha20] or by meeting in the middle [CHHS19], and everything is repeated with
other coordinates until they hold h1 non-zeros. The formulas are as in [LatticeEstimator, lwe_dual.py]; the
search differs.
"""

from functools import cache

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import Cost, cheapest
from fheasible.security.attacks.guessing import GuessedWeights, log2_drop, log2_repetitions
from fheasible.security.attacks.hybrid_search import (
    LARGEST_BLOCK,
    blocks_nearby,
    guesses_nearby,
    least,
    least_block,
    least_guessed,
    never,
    owners,
    regrouped,
)
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import LOG_DELTAS, Model
from fheasible.security.attacks.small_secrets import Small, Solver, enumerated, met_in_the_middle, share

_LN2 = float(np.log(2))
_OTHERS = np.arange(-1, 2)  # values of h1 to try, relative to the best one


def dual_enumeration_hybrid(problem: LweProblem, model: Model) -> Cost:
    """The cost when the smaller problem is solved by exhaustive search [EspJouKha20].

    It is inf for a secret without a fixed weight.
    """
    return _cheapest(problem, model, enumerated)


def dual_mitm_hybrid(problem: LweProblem, model: Model) -> Cost:
    """The cost when the smaller problem is solved by meeting in the middle [CHHS19].

    It is inf for a secret without a fixed weight.
    """
    return _cheapest(problem, model, met_in_the_middle)


def _cheapest(problem: LweProblem, model: Model, solver: Solver) -> Cost:
    """The least cost over the coordinates set aside, their non-zeros and the block size."""
    if problem.secret.weight is None or not len(problem):
        return never(len(problem))

    def by_zeta(zeta: Ints) -> Floats:
        part = problem.part(owners(zeta))
        return _best_weight(part, zeta.ravel(), model, solver)[1].reshape(zeta.shape)

    zeta, _ = least_guessed(by_zeta, problem.n)
    weight, _ = _best_weight(problem, zeta, model, solver)
    beta, _ = _best_block(problem, zeta, weight, model, solver)
    return _refined(problem, zeta, weight, beta, model, solver)


def _refined(problem: LweProblem, zeta: Ints, weight: Ints, beta: Ints, model: Model, solver: Solver) -> Cost:
    """The least cost near a choice that is nearly best: rounding makes the costs ripple there."""
    near = np.repeat(guesses_nearby(zeta, problem.n), len(_OTHERS), axis=1)
    rows = owners(near)
    part, chosen = problem.part(rows), near.ravel()
    weights = np.clip(weight[rows] + np.resize(_OTHERS, len(rows)), *_weights(part, chosen))
    costs = _cost(part, chosen[:, None], weights[:, None], blocks_nearby(beta)[rows], model, solver)
    return cheapest(regrouped(costs, len(problem)))


def _best_weight(problem: LweProblem, zeta: Ints, model: Model, solver: Solver) -> tuple[Ints, Floats]:
    """(h1, bits) of the cheapest attack that sets zeta coordinates aside."""

    def by_weight(weight: Ints) -> Floats:
        owner = owners(weight)
        part = problem.part(owner)
        return _best_block(part, zeta[owner], weight.ravel(), model, solver)[1].reshape(weight.shape)

    return least(by_weight, *_weights(problem, zeta))


def _weights(problem: LweProblem, zeta: Ints) -> tuple[Ints, Ints]:
    """(the smallest h1 that zeta coordinates can hold, the largest worth trying: not far above the mean)."""
    n, total = problem.n.astype(np.int64), _weight(problem)
    low = np.maximum(0, total - (n - zeta))
    return low, np.maximum(low, np.minimum(np.minimum(zeta, total - 1), 3 * zeta * total // (2 * n) + 8))


def _best_block(
    problem: LweProblem, zeta: Ints, weight: Ints, model: Model, solver: Solver
) -> tuple[Ints, Floats]:
    columns = zeta[:, None], weight[:, None]
    return least_block(lambda beta: _cost(problem, *columns, beta, model, solver).bits, len(problem))


def _cost(problem: LweProblem, zeta: Ints, weight: Ints, beta: Ints, model: Model, solver: Solver) -> Cost:
    """The cost of the attack with these choices; all of them broadcast against columns of the problems."""
    total, n, left = _weight(problem), problem.n[:, None], problem.n[:, None] - zeta
    log_delta, secret_sigma = LOG_DELTAS[beta], np.sqrt((total - weight) / left)
    log_ratio = problem.log_q[:, None] * _LN2 + np.log(secret_sigma / problem.sigma[:, None])
    d = np.maximum(np.ceil(np.sqrt(left * np.maximum(log_ratio, 0) / log_delta)), left + 1)
    log_noise = (
        _log_stretches(model)[beta] + np.log(secret_sigma) + d * log_delta - (d - left) / d * log_ratio
    )
    plus = share(weight * (total // 2), total)
    solved = solver(Small(zeta, weight, plus, np.exp(np.minimum(log_noise, 5.0)), problem.log_q[:, None]))
    found = model.short_vectors(beta, d, solved.samples)
    drop = log2_drop(GuessedWeights(n, np.full_like(n, total), 2), zeta, weight)
    bits = np.logaddexp2(solved.bits, found.log_cost) + log2_repetitions(drop)
    return Cost(bits, beta, d.astype(np.int64), zeta, np.maximum(solved.memory, found.log_count))


def _weight(problem: LweProblem) -> int:
    assert problem.secret.weight is not None
    return problem.secret.weight


@cache
def _log_stretches(model: Model) -> Floats:
    """ln of how much longer the many vectors are than the first of the basis, by block size.

    This depends on the sieve's dimension, which is taken to be that of a basis of dimension 2 beta.
    """
    beta = np.arange(1, LARGEST_BLOCK + 1)
    stretches = model.short_vectors(beta, 2 * beta, np.zeros(1)).log_stretch * _LN2
    return np.concatenate([[0.0], stretches])
