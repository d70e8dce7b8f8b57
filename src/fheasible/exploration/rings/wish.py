"""What the user wants of a ring scheme's parameters."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.schemes.noise import (
    AVERAGE,
    FAILURE_BITS,
    PANTHERS,
    WORST_CASE,
    Bounds,
    average_case,
    panthers_bounds,
    worst_case,
)
from fheasible.schemes.parameters import LARGEST_LOG_Q, LARGEST_N
from fheasible.schemes.spec import SIGMA
from fheasible.security import published
from fheasible.security.lookup import RINGS, allowed_log_q
from fheasible.security.tables import GUIDELINES_2024, min_ring_dimension
from fheasible.security.tables import LEVELS as TABLED

OBJECTIVES = ("complexity", "memory", "compromise")
NOISES = (WORST_CASE, AVERAGE, PANTHERS)
PUBLISHED = 80  # bits that today's tables do not offer; the estimate and the rule of 2017 do
LEVELS = (PUBLISHED, *TABLED)
SECRET = "ternary"  # the key of every ring scheme


@dataclass(frozen=True, slots=True)
class RingWish:
    """Constraints and the objective. Security is by today's estimates; 80 bits with `ignore_security` is the
    rule of 2017. With average noise, a decryption may be wrong once in 2^failure_bits."""

    security: int = 128
    quantum: bool = False
    objective: str = "complexity"
    noise: str = WORST_CASE
    as_written: bool = False
    ignore_security: bool = False
    max_seconds: float | None = None
    max_bytes: int | None = None
    failure_bits: float = FAILURE_BITS

    def __post_init__(self) -> None:
        _check("security", self.security, LEVELS)
        _check("objective", self.objective, OBJECTIVES)
        _check("noise", self.noise, NOISES)
        if self.quantum and self.published:
            raise UsageError(
                f"the rule of {published.YEAR} does not cover quantum attackers", "ask for 128 bits"
            )

    @property
    def published(self) -> bool:
        """Whether rings are chosen by the rule of 2017."""
        return self.security == PUBLISHED and self.ignore_security

    @property
    def rule(self) -> str:
        """The name, in reports, of the rule that chooses the ring."""
        if self.published:
            return published.label(self.security)
        attackers = " against quantum attackers" if self.quantum else ""
        source = "the Security Guidelines 2024" if self.security in TABLED else "today's estimate"
        return f"{self.security} bits{attackers} by {source}"

    @property
    def least_bits(self) -> int:
        """The least bits of security, by today's estimate, of a recommended set."""
        return self.security

    def bounds(self, n: NDArray[np.int64] | int) -> Bounds:
        """The constants of the formulas of noise."""
        if self.noise == AVERAGE:
            return average_case(n, SIGMA, self.failure_bits)
        return panthers_bounds(n) if self.noise == PANTHERS else worst_case(n, SIGMA)

    def smallest_rings(self, log_q: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least n that the rule allows for each log2 q <= 1200; 0 where it allows none up to 2^15."""
        table = np.array([_within(self._smallest_ring(k)) for k in range(LARGEST_LOG_Q + 1)])
        return table[log_q]

    @property
    def _estimated(self) -> list[tuple[int, float]]:
        """The rings, each with the largest log2 q that the estimate allows there."""
        return [(n, allowed_log_q(n, SECRET, self.security, self.quantum)) for n in RINGS]

    def _smallest_ring(self, log_q: int) -> int | None:
        if self.security in TABLED:
            return min_ring_dimension(GUIDELINES_2024, log_q, SECRET, self.security, self.quantum)
        if not self.published:
            return next((n for n, most in self._estimated if log_q <= most), None)
        try:
            return published.smallest_ring(log_q, self.security)
        except InfeasibleParameters:
            return None


def _within(n: int | None) -> int:
    return n if n is not None and n <= LARGEST_N else 0


def _check(what: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise UsageError(
            f"ring schemes have no {what} {value!r}", f"choose one of {', '.join(map(str, known))}"
        )
