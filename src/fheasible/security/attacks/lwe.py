"""The problem that an attacker has to solve: LWE. RLWE of degree n is taken to be as hard.

Many problems are treated at once: n, log2 q and sigma are arrays of one length. Samples are unlimited.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats
from fheasible.errors import InfeasibleParameters, UnknownName
from fheasible.security.tables import SIGMA

OPENFHE_WEIGHT = 192  # non-zeros of SPARSE_TERNARY and SPARSE_ENCAPSULATED keys [OpenFHE, base-pke.cpp]
_TERNARY, _BINARY, _GAUSSIAN, _SPARSE = "ternary", "binary", "gaussian", "sparse"
_KINDS = {
    "ternary": _TERNARY,
    "uniform_ternary": _TERNARY,
    "binary": _BINARY,
    "gaussian": _GAUSSIAN,
    "sparse_ternary": _SPARSE,
    "sparse_encapsulated": _SPARSE,
}
_DEVIATIONS = {_TERNARY: np.sqrt(2 / 3), _BINARY: 0.5}
SECRETS = ("ternary", "gaussian", "binary", "sparse:WEIGHT")


@dataclass(frozen=True, slots=True)
class Secret:
    """How a secret's coefficients are drawn.

    `kind` is "ternary" (uniform in -1, 0, 1), "binary" (uniform in 0, 1), "gaussian" (as wide as the error)
    or "sparse": `weight` coefficients 1 or -1, balanced, at random places, and 0 elsewhere.
    """

    kind: str
    weight: int | None = None

    def __str__(self) -> str:
        return self.kind if self.weight is None else f"{self.kind}:{self.weight}"


def secret_named(name: str) -> Secret:
    """The secret of a name in `SECRETS` or a library's word for it.

    Raises UnknownName with the choices, and InfeasibleParameters for a weight that is no positive integer.
    """
    word, colon, weight = name.lower().partition(":")
    if word == _SPARSE and colon:
        return Secret(_SPARSE, _weight(weight))
    kind = _KINDS.get(name.lower())
    if kind is None:
        raise UnknownName(f"there is no estimate for a secret '{name}'", f"use one of {', '.join(SECRETS)}")
    return Secret(kind, OPENFHE_WEIGHT if kind == _SPARSE else None)


def _weight(typed: str) -> int:
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 10 and int(typed) > 0):
        raise InfeasibleParameters(
            f"a sparse secret cannot have the weight '{typed}'",
            "give how many of its coefficients are not 0, from 1 to n: sparse:192",
        )
    return int(typed)


@dataclass(frozen=True, slots=True, eq=False)
class LweProblem:
    """Checked LWE problems: n, log2 q and the error's standard deviation sigma as arrays of one length."""

    n: Floats
    log_q: Floats
    sigma: Floats
    secret: Secret

    @property
    def secret_sigma(self) -> Floats:
        """Standard deviation of a secret coefficient, at most sigma.

        Where the secret is wider than the error, the two are exchanged.
        """
        return np.minimum(self._own_sigma(), self.sigma)

    @property
    def log_scale(self) -> Floats:
        """ln of the factor that makes the secret as wide as the error [BaiGal14]; at least 0."""
        return np.log(self.sigma / self.secret_sigma)

    def __len__(self) -> int:
        return len(self.n)

    def part(self, chosen: slice | np.ndarray) -> "LweProblem":
        """The problems that an index or a mask chooses."""
        return LweProblem(self.n[chosen], self.log_q[chosen], self.sigma[chosen], self.secret)

    def _own_sigma(self) -> Floats:
        if self.secret.weight is not None:
            return np.sqrt(self.secret.weight / self.n)
        return (
            np.full_like(self.n, _DEVIATIONS[self.secret.kind])
            if self.secret.kind in _DEVIATIONS
            else self.sigma
        )


def problem(
    n: ArrayLike, log_q: ArrayLike, secret: str = _TERNARY, sigma: ArrayLike = SIGMA
) -> tuple[LweProblem, tuple[int, ...]]:
    """(the problems in one row, the shape that n, log_q and sigma broadcast to).

    Raises InfeasibleParameters for what is not a problem: n not a positive integer, log_q or sigma not
    positive, or a weight beyond n.
    """
    drawn = secret_named(secret)
    arrays = np.broadcast_arrays(*(np.asarray(given, dtype=np.float64) for given in (n, log_q, sigma)))
    dimensions, moduli, widths = (np.ascontiguousarray(array).ravel() for array in arrays)
    _check(dimensions, moduli, widths, drawn)
    return LweProblem(dimensions, moduli, widths, drawn), arrays[0].shape


def _check(n: Floats, log_q: Floats, sigma: Floats, secret: Secret) -> None:
    _refuse("n", n, ~((n >= 1) & (n == np.floor(n)) & np.isfinite(n)), "a positive integer")
    _refuse("log2 q", log_q, ~((log_q > 0) & np.isfinite(log_q)), "a positive number of bits")
    _refuse("sigma", sigma, ~((sigma > 0) & np.isfinite(sigma)), "a positive standard deviation")
    if secret.weight is not None and (n < secret.weight).any():
        least = int(n.min())
        raise InfeasibleParameters(
            f"a secret of n = {least} coefficients cannot have weight {secret.weight}",
            f"give a weight of 1 to {least}, or n >= {secret.weight}",
        )


def _refuse(name: str, given: Floats, wrong: np.ndarray, wanted: str) -> None:
    if wrong.any():
        raise InfeasibleParameters(
            f"{name} = {given[wrong][0]:g} is not possible in an LWE problem", f"give {wanted}"
        )
