"""Primal attacks: reduce the lattice that samples and secret span, and read the secret off its basis.

`usvp` waits until the error itself appears as a shortest vector of the last block [ADPS16]; `bdd` reduces
less, and ends with one call in a larger block [LiuNgu13]. The costs are as in [LatticeEstimator,
lwe_primal.py], but the search is not. Block sizes and dimensions lie on grids that do not depend on the
problem, and an attack takes the least cost of a whole neighbourhood, so that a larger n, a smaller q or a
wider error never costs less.
"""

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import Cost, cheapest, flat, lesser
from fheasible.security.attacks.lattice import Lattice
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import LOG_DELTAS, MAX_BLOCK_SIZE, MIN_BLOCK_SIZE, Model
from fheasible.security.attacks.search import smallest

_USVP_SPAN = np.arange(12)[:, None]  # steps beyond the least size that succeeds: larger ones need a smaller d
_BDD_SPAN = np.arange(-3, 6)[:, None]  # around the block size where both halves cost the same
_LOG_STEP = float(np.log(1.016))  # step of the grid of dimensions
_SHRINKING = np.append(np.arange(12), np.arange(13, 57, 2))  # steps of the grid below the widest dimension


def usvp(problem: LweProblem, model: Model) -> Cost:
    """The cost of BKZ until the embedded target is the shortest vector, in the smallest possible dimension.

    A single call for the whole lattice is taken instead where it is cheaper, as in small dimensions.
    """
    lattice = _lattice(problem)
    least = smallest(lambda beta: np.isfinite(lattice.smallest_dimension(beta)), *_all_sizes(problem))
    beta = np.minimum(least + _USVP_SPAN, MAX_BLOCK_SIZE)
    found = lattice.smallest_dimension(beta)
    d = np.where(np.isfinite(found), found, np.maximum(lattice.n, beta) + 1).astype(np.int64)
    reduced = Cost(model.reduction(beta, d), beta, d, np.zeros_like(beta), model.memory(beta))
    return lesser(cheapest(flat(reduced)), _single_call(lattice, model))


def bdd(problem: LweProblem, model: Model) -> Cost:
    """The cost of BKZ, one call in the block where the error is as short as a shortest vector, and lifting.

    A single call is taken instead where it is cheaper, as in `usvp`. Lifting is assumed to succeed: from beta
    = 60 on it fails once in a thousand times at most; at beta = 40 the figure is up to one bit too low.
    """
    lattice = _lattice(problem)
    middle = smallest(lambda beta: _balanced(lattice, model, beta), *_all_sizes(problem))
    beta = np.clip(middle + _BDD_SPAN, MIN_BLOCK_SIZE, MAX_BLOCK_SIZE)
    top = np.ceil(np.log(lattice.widest(LOG_DELTAS[beta])) / _LOG_STEP)
    d = np.rint(np.exp(_LOG_STEP * (top - _SHRINKING)))
    d = (np.maximum(np.maximum(d, lattice.n), beta) + 1).astype(np.int64)
    reduced, last, eta = _halves(lattice, model, beta, d)
    memory = model.memory(np.maximum(beta, eta + 1))
    halves = Cost(np.logaddexp2(reduced, last), beta, d, np.zeros_like(d), memory)
    return lesser(cheapest(flat(halves)), _single_call(lattice, model))


def _single_call(lattice: Lattice, model: Model) -> Cost:
    """The cost of one sieve over the smallest lattice whose shortest vector is the embedded target."""
    d = lattice.whole().astype(np.int64)
    cost = Cost(model.reduction(d + 1, d + 1), d + 1, d, np.zeros_like(d), model.memory(d + 1))
    return cheapest(flat(cost))


def _balanced(lattice: Lattice, model: Model, beta: Ints) -> NDArray[np.bool_]:
    d = np.maximum(np.ceil(lattice.widest(LOG_DELTAS[beta])), beta + 1).astype(np.int64)
    reduced, last, _ = _halves(lattice, model, beta, d)
    return reduced >= last


def _halves(lattice: Lattice, model: Model, beta: Ints, d: Ints) -> tuple[Floats, Floats, Ints]:
    """(log2 of BKZ, log2 of the last call and the lifting, eta); the second is inf where eta exceeds d."""
    eta = lattice.last_block(LOG_DELTAS[beta], d)
    call = np.logaddexp2(model.reduction(eta + 1, eta + 1), 2 * np.log2(np.maximum(d - eta, 1)))
    return model.reduction(beta, d), np.where(eta > d, np.inf, call), eta


def _lattice(problem: LweProblem) -> Lattice:
    """The lattices of the problems; shapes are (problems, block sizes, dimensions)."""
    n, log_q, log_scale, sigma = (
        column[:, None, None] for column in (problem.n, problem.log_q, problem.log_scale, problem.sigma)
    )
    return Lattice(n, log_q * np.log(2), log_scale, np.log(sigma))


def _all_sizes(problem: LweProblem) -> tuple[Ints, Ints]:
    """(the smallest block size to try, the largest), for each problem."""
    low = np.full((len(problem), 1, 1), MIN_BLOCK_SIZE, dtype=np.int64)
    return low, np.full_like(low, MAX_BLOCK_SIZE)
