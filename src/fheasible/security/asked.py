"""One parameter set that somebody asks about, with what the tables and the lookup say of it."""

from dataclasses import dataclass

from fheasible.security.lookup import NTRU, RLWE, allowed_log_q, smallest_ring
from fheasible.security.ntru import fatigue_log_q, key_variance
from fheasible.security.tables import (
    ENFORCED,
    GUIDELINES_2024,
    SIGMA,
    USUAL_SIGMA,
    SecurityTable,
    max_log_q,
    standard_bits,
)
from fheasible.units import power_of_two


@dataclass(frozen=True, slots=True)
class AskedSecurity:
    """RLWE of degree n (or LWE), or an NTRU key; `log_q` is log2 of the whole modulus."""

    problem: str
    n: int
    log_q: float
    secret: str = "ternary"
    sigma: float = SIGMA
    quantum: bool = False

    def __str__(self) -> str:
        return f"n = {power_of_two(self.n)}, log2 q = {self.log_q:g}"

    def allowed(self, level: int) -> float:
        """The largest log2 q that reaches the level at this n; 0 where no modulus does."""
        return allowed_log_q(self.n, self.secret, level, self.quantum, self.sigma, self.problem)

    def ring(self, level: int) -> int | None:
        """The smallest n that reaches the level at this log2 q; None where no ring does."""
        return smallest_ring(self.log_q, self.secret, level, self.quantum, self.sigma, self.problem)

    def limit(self, level: int, table: SecurityTable = GUIDELINES_2024) -> float | None:
        """The table's own limit on log2 q; None where it has no row, as for NTRU and for narrow errors.

        Where a set with wider errors exceeds the Guidelines' limit, the result is None too, because that
        limit says nothing about wider errors. A library enforces its limit whatever the width.
        """
        if self.problem != RLWE or self.sigma < SIGMA:
            return None
        limit = max_log_q(table, self.n, self.secret, level, self.quantum)
        exceeded = limit is not None and self.log_q > limit
        silent = exceeded and table is GUIDELINES_2024 and self.sigma > USUAL_SIGMA
        return None if silent else limit

    def standard_bits(self, table: SecurityTable = GUIDELINES_2024) -> int | None:
        """The highest level at which the table allows the set; None below its least or without a row."""
        if self.problem != RLWE or self.sigma < SIGMA:
            return None
        return standard_bits(self.n, self.log_q, self.secret, table, self.quantum)

    def library_bits(self) -> dict[str, int | None]:
        """The level that each library which enforces a table gives the set, by library."""
        return {library: self.standard_bits(table) for library, table in ENFORCED.items()}

    @property
    def fatigue(self) -> float:
        """log2 of the q from which NTRU of this n is overstretched."""
        return fatigue_log_q(self.n, key_variance(self.secret, self.n))

    @property
    def overstretched(self) -> bool:
        return self.problem == NTRU and self.log_q >= self.fatigue
