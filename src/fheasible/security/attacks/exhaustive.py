"""Trying every secret: what bounds the security of toys, where lattice attacks are not made for so little."""

import numpy as np

from fheasible.security.attacks.cost import Cost
from fheasible.security.attacks.guessing import log_binomial
from fheasible.security.attacks.lwe import Problem
from fheasible.security.attacks.reduction import Floats, Model

_LN2 = float(np.log(2))


def exhaustive(problem: Problem, model: Model) -> Cost:
    """One operation for each secret; no block size, no lattice, no memory, whatever the model."""
    none = np.zeros(len(problem), dtype=np.int64)
    return Cost(_log_secrets(problem), none, none, problem.n.astype(np.int64), np.zeros(len(problem)))


def _log_secrets(problem: Problem) -> Floats:
    """log2 of how many secrets there are; for a Gaussian, of how many likely ones: its entropy."""
    secret = problem.secret
    if secret.weight is not None:
        return log_binomial(problem.n, np.full_like(problem.n, secret.weight)) / _LN2 + secret.weight
    if secret.kind == "gaussian":
        return np.asarray(problem.n * np.maximum(np.log2(np.sqrt(2 * np.pi * np.e) * problem.sigma), 0))
    return np.asarray(problem.n * np.log2(3 if secret.kind == "ternary" else 2))
