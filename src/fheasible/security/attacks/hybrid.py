"""The hybrid attack on small secrets: guess a few coordinates, find the others by lattice reduction.

The smaller lattice is reduced once; then every guess costs one call that looks for the error. The call is a
shortest-vector call in few dimensions [AlbCurWun19], or only Babai's rounding. With rounding, two halves of a
guess meet in the middle, at the square root of the number of guesses [HowGra07]. A guess allows few
non-zeros, and everything is repeated with other coordinates until they hold no more. The formulas are as in
[LatticeEstimator, lwe_primal.py]; the search differs. Meeting by representations [HKLS22] may cost still less
for sparse secrets; neither the estimator nor this file prices it.
"""

from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import Cost, cheapest
from fheasible.security.attacks.guessing import Guesses, guesses, log2_repetitions, weights
from fheasible.security.attacks.hybrid_rounding import log2_babai, log2_collision
from fheasible.security.attacks.hybrid_search import (
    blocks_nearby,
    guesses_nearby,
    least_block,
    least_guessed,
    never,
    owners,
    regrouped,
)
from fheasible.security.attacks.lattice import Lattice
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import LOG_DELTAS, Model


def bdd_hybrid(problem: LweProblem, model: Model) -> Cost:
    """The cost with a shortest-vector call for each guess [AlbCurWun19]; inf for a Gaussian secret."""
    return _cheapest(problem, model, meet=False)


def bdd_mitm_hybrid(problem: LweProblem, model: Model) -> Cost:
    """The cost with Babai's rounding, meeting in the middle [HowGra07, SonChe19].

    It is inf for a Gaussian secret.
    """
    return _cheapest(problem, model, meet=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Reduced:
    """The result of lattice reduction.

    `reduction` is log2 of its price, `call` log2 of the price of a call on its basis, and `success` log2 of
    the probability that the call succeeds.
    """

    dimension: Floats
    last_block: Ints
    reduction: Floats
    call: Floats
    success: Floats


def _cheapest(problem: LweProblem, model: Model, meet: bool) -> Cost:
    """The least cost over the guessed coordinates, the block size and the number of guesses."""
    if weights(problem) is None or not len(problem):
        return never(len(problem))

    def by_zeta(zeta: Ints) -> Floats:
        return _best_block(problem.part(owners(zeta)), zeta.ravel(), model, meet)[1].reshape(zeta.shape)

    zeta, _ = least_guessed(by_zeta, problem.n)
    beta, _ = _best_block(problem, zeta, model, meet)
    return _refined(problem, zeta, beta, model, meet)


def _refined(problem: LweProblem, zeta: Ints, beta: Ints, model: Model, meet: bool) -> Cost:
    """The least cost near a choice that is nearly best: rounding makes the costs ripple there."""
    near = guesses_nearby(zeta, problem.n)
    rows = owners(near)
    blocks, chosen = blocks_nearby(beta)[rows], near.reshape(-1, 1)
    part = problem.part(rows)
    reduced = _reduced(part, blocks, chosen, model, meet)
    bits = _search(part, near.ravel(), meet).bits(reduced)
    memory = model.memory(np.maximum(blocks, reduced.last_block))
    costs = Cost(bits, blocks, reduced.dimension.astype(np.int64), chosen, memory)
    return cheapest(regrouped(costs, len(problem)))


def _best_block(problem: LweProblem, zeta: Ints, model: Model, meet: bool) -> tuple[Ints, Floats]:
    """(beta, bits) of the cheapest attack that guesses zeta coordinates."""
    search = _search(problem, zeta, meet)
    return least_block(
        lambda beta: search.bits(_reduced(problem, beta, zeta[:, None], model, meet)), len(problem)
    )


def _reduced(problem: LweProblem, beta: Ints, zeta: Ints, model: Model, meet: bool) -> _Reduced:
    """The result of BKZ-beta on all but zeta coordinates; beta and zeta are (problems, choices)."""
    log_delta, lattice = LOG_DELTAS[beta], _lattice(problem, zeta)
    d = np.maximum(np.ceil(lattice.widest(log_delta)), beta)
    reduction = model.reduction(beta, d)
    # ln(norm / sigma) of the basis is `last` at its last vector, and rises by `step` with each one before it
    last, step = lattice.log_root(d) - lattice.log_sigma - (d - 1) * log_delta, 2 * log_delta
    if meet:
        halves = np.where(zeta > 0, log2_collision(last, step, d), 0.0)
        return _Reduced(d, np.ones_like(beta), reduction, 2 * np.log2(d), log2_babai(last, step, d) + halves)
    eta = lattice.last_block(log_delta, d)
    lifted = np.maximum(d - eta, 1)
    call = np.logaddexp2(model.reduction(eta + 1, eta + 1), 2 * np.log2(lifted))
    success = log2_babai(last + eta * step, step, lifted)
    return _Reduced(d, eta, np.where(eta > d, np.inf, reduction), call, success)


def _lattice(problem: LweProblem, zeta: Ints) -> Lattice:
    """The lattice of the coordinates that are not guessed, scaled as if no coordinate were guessed."""
    n, log_q, log_scale, sigma = (
        column[:, None] for column in (problem.n, problem.log_q, problem.log_scale, problem.sigma)
    )
    return Lattice(n - zeta, log_q * np.log(2), log_scale, np.log(sigma))


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The choice of how many guesses to make.

    `work` is log2 of the calls for each set of `guesses`; `turns` say which set to take. A turn is the price
    of reduction, in calls, from which one more non-zero is worth allowing. There are two rows of turns: for
    attacks that are repeated often, and for those where a call never fails.
    """

    guesses: Guesses
    work: Floats
    turns: tuple[Floats, Floats]

    def bits(self, reduced: _Reduced) -> Floats:
        """log2 of the cost of the whole attack with the best number of guesses."""
        return np.minimum(*(self._bits(reduced, turns) for turns in self.turns))

    def _bits(self, reduced: _Reduced, turns: Floats) -> Floats:
        allowed = _count_up_to(turns, reduced.reduction - reduced.call)
        work, hit = (np.take_along_axis(rows, allowed, 1) for rows in (self.work, self.guesses.log_hit))
        once = np.logaddexp2(reduced.reduction, reduced.call + work)
        return once + log2_repetitions(hit + reduced.success)


def _search(problem: LweProblem, zeta: Ints, meet: bool) -> _Search:
    """The search over guesses of zeta coordinates.

    Every guess costs a call. With `meet` every guess at a half does, and the halves are as many as the square
    root of the guesses.
    """
    secrets = weights(problem)
    assert secrets is not None
    tried = guesses(secrets, zeta.astype(np.float64))
    work = tried.log_size * (0.5 if meet else 1.0)
    with np.errstate(divide="ignore"):
        trials = np.log2(-np.log1p(-np.exp2(tried.log_hit)))  # trials are inverse in number to this, not to p
    return _Search(tried, work, (_turns(work, tried.log_hit), _turns(work, trials)))


def _turns(work: Floats, log_chance: Floats) -> Floats:
    """log2 of the price r from which (r + 2^work) / 2^chance is less in the next column, along each row."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        dearer, likelier = np.exp2(np.diff(work)), np.exp2(np.diff(log_chance))
        turns = work[:, :-1] + np.log2(np.maximum(dearer - likelier, 0.0) / (likelier - 1))
    turns = np.where(np.isnan(turns), np.inf, turns)  # the last weight is reached
    return np.maximum.accumulate(np.where(np.isneginf(log_chance[:, :-1]), -np.inf, turns), axis=1)


def _count_up_to(rows: Floats, wanted: Floats) -> Ints:
    """How many entries of each rising row are at most as large as each of the row's values in `wanted`."""
    low, high = np.zeros(wanted.shape, dtype=np.int64), np.full(wanted.shape, rows.shape[1])
    while np.any(low < high):
        middle = (low + high) // 2
        passed = np.take_along_axis(rows, np.minimum(middle, rows.shape[1] - 1), 1) <= wanted
        low, high = np.where(passed, np.minimum(middle + 1, high), low), np.where(passed, high, middle)
    return low
