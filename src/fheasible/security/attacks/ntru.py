"""Attacks on NTRU keys: h = g / f modulo q, where f and g are equally narrow.

The NTRU lattice, of dimension 2n and volume q^n, holds the key (f, g) and its n rotations. An attacker looks
for the key like the error of an LWE problem whose secret and error are both that narrow (`primal.py`), or
waits until lattice reduction meets the dense sublattice that the rotations span [KirFou17]. From the fatigue
point on (`ntru.py`) the second way is cheaper by far [DucWoe21], and no figure of RLWE bounds its cost.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtr, digamma

from fheasible.aliases import Floats, Ints
from fheasible.security.attacks.cost import Cost
from fheasible.security.attacks.lwe import LweProblem, problem
from fheasible.security.attacks.reduction import (
    DEFAULT,
    Model,
    log_delta,
    log_gaussian_heuristic,
    model_named,
)
from fheasible.security.attacks.search import smallest
from fheasible.security.estimator import ATTACKS, Estimates, attacks_on, estimate_by
from fheasible.security.tables import SIGMA

DENSE = "dsd"  # dense-sublattice discovery, as [LatticeEstimator] calls it
_SMALLEST_BLOCK = 20  # smaller blocks meet vectors that they cannot pull forward, and cost no less
_POSITIONS = 96  # positions of a sublattice vector that are tried, spread geometrically over all n
_LIKELY = float(np.log(2))  # what the attempts must add up to, so that success is more likely than not
_CERTAIN = 1 - 1e-12
_LN2 = float(np.log(2))


def estimate_key(
    n: ArrayLike,
    log_q: ArrayLike,
    secret: str = "ternary",
    sigma: ArrayLike = SIGMA,
    model: str | Model = DEFAULT,
) -> Estimates:
    """The cost of the cheapest attack on NTRU keys whose f and g are drawn as `secret`; arrays broadcast.

    The keys are taken to be as narrow as the errors of ciphertexts (sigma) where those are narrower. A key t
    f' + 1 is one multiple of t farther from 0, which is not counted. Raises the same errors as `estimate`.
    """
    given, shape = problem(n, log_q, secret, sigma)
    key = replace(given, sigma=given.secret_sigma)
    primal = {name: ATTACKS[name] for name in attacks_on(given.secret.kind) if not name.startswith("dual")}
    priced = model_named(model)
    return estimate_by(primal | {DENSE: dense_sublattice}, key, shape, priced)


def dense_sublattice(key: LweProblem, model: Model) -> Cost:
    """The cost of BKZ with the least block that more likely than not meets a vector of the dense sublattice.

    `key` has the key's standard deviation as its sigma. At position s = n + i of the basis, the sublattice
    has a part that is an i-dimensional lattice. At some position this part must be so dense that its shortest
    vector, projected to the block that ends there, is shorter than the basis vector at that position, in one
    of n^2 / beta^2 + 3 tours [DucWoe21, Sec. 4]. The cost is inf where no block below n achieves this.
    """
    n = key.n.astype(np.int64)
    least = np.full_like(n, _SMALLEST_BLOCK)
    beta = smallest(lambda size: _attempts(key, size) >= _LIKELY, least, np.maximum(n, least + 1))
    bits = np.where(beta < n, model.reduction(beta, 2 * n), np.inf)
    return Cost(bits, beta, 2 * n, np.zeros_like(n), model.memory(beta))


def _attempts(key: LweProblem, beta: Ints) -> Floats:
    """-ln of the probability that no tour of BKZ-beta meets the sublattice at any position."""
    part, weights = _positions(key.n)
    likely = np.minimum(_met(key, beta, part), _CERTAIN)
    tours = np.floor(key.n**2 / beta**2) + 3
    return np.asarray(-tours * np.sum(weights * np.log1p(-likely), axis=1))


def _positions(n: Floats) -> tuple[Floats, Floats]:
    """(i = 1 ... n, thinned out; how many positions each i stands for), with a row for each key."""
    part = np.rint(n[:, None] ** np.linspace(0, 1, _POSITIONS))
    return part, np.diff(part, axis=1, append=n[:, None] + 1)


def _met(key: LweProblem, beta: Ints, part: Floats) -> Floats:
    """The probability that one call at position n + i meets the sublattice, over (problems, i).

    The vector's projection to beta of its n + i dimensions must be shorter than the basis vector there, whose
    length follows the geometric series assumption.
    """
    n, size = key.n[:, None], beta[:, None].astype(np.float64)
    slope, level = log_delta(size), key.log_q[:, None] * _LN2 / 2  # in ln of lengths; `level` is their mean
    there = (2 * size - 2 * part - 1) * slope + level
    removed = (n - part) * (level - (n + part) * slope)  # the basis vectors behind position n + i
    volume = _log_volume(key)[:, None] - removed + _narrowing(n, part)
    shortest = log_gaussian_heuristic(part, volume)
    ratio = 2 * (there - shortest) + np.log(n + part)
    return np.asarray(chdtr(size, np.exp(np.minimum(ratio, 100.0))))


def _log_volume(key: LweProblem) -> Floats:
    """Expected ln of the dense sublattice's volume in Z[X]/(X^n + 1): a product over embeddings.

    In each embedding, |f|^2 + |g|^2 is n sigma^2 times a Gamma(2) variable, whose logarithm is 1 - gamma on
    average [DucWoe21, Sec. 4.1, there for circulant keys].
    """
    return key.n / 2 * (np.log(key.n * key.sigma**2) + 1 - np.euler_gamma)


def _narrowing(n: Floats, part: Floats) -> Floats:
    """ln of the factor by which the volume shrinks when it is cut down to i dimensions by random projections.

    For each position j = n + i ... 2n - 1, the dual vector leaves a part of length sqrt(chi2(j + 1 - n) /
    chi2(j + 1)).
    """
    sums = _digamma_sums(1 << int(2 * n.max()).bit_length())
    first, last = part.astype(np.int64), np.broadcast_to(n, part.shape).astype(np.int64)
    own = sums[last] - sums[first]
    whole = sums[2 * last] - sums[last + first]
    return np.asarray((own - whole) / 2)


@lru_cache(maxsize=8)
def _digamma_sums(length: int) -> Floats:
    """An array that holds at index m the sum of digamma(j / 2) over j = 1 ... m."""
    halves = np.arange(1, length + 1) / 2
    return np.concatenate([[0.0], np.cumsum(digamma(halves))])
