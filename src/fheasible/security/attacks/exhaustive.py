"""The attack that tries every secret.

It bounds the security of toy parameters: lattice attacks are not made for problems that small.
"""

import numpy as np

from fheasible.aliases import Floats
from fheasible.security.attacks.cost import Cost
from fheasible.security.attacks.guessing import log_binomial
from fheasible.security.attacks.lwe import LweProblem
from fheasible.security.attacks.reduction import Model

_LN2 = float(np.log(2))


def exhaustive(problem: LweProblem, model: Model) -> Cost:
    """The cost of one operation for each secret; no block size, lattice or memory, whatever the model."""
    none = np.zeros(len(problem), dtype=np.int64)
    return Cost(_log_secrets(problem), none, none, problem.n.astype(np.int64), np.zeros(len(problem)))


def _log_secrets(problem: LweProblem) -> Floats:
    """log2 of the number of secrets; for a Gaussian secret, of the number of likely ones: its entropy."""
    secret = problem.secret
    if secret.weight is not None:
        return log_binomial(problem.n, np.full_like(problem.n, secret.weight)) / _LN2 + secret.weight
    if secret.kind == "gaussian":
        return np.asarray(problem.n * np.maximum(np.log2(np.sqrt(2 * np.pi * np.e) * problem.sigma), 0))
    return np.asarray(problem.n * np.log2(3 if secret.kind == "ternary" else 2))
