"""How secure a set is that was found in a file: by the Guidelines, by the estimator, and by its library."""

from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.auditing.found import Found
from fheasible.libraries.catalogue import library
from fheasible.libraries.chain import SECRET
from fheasible.security.asked import AskedSecurity
from fheasible.security.lookup import RLWE, security_bits
from fheasible.security.tables import ENFORCED, GUIDELINES_2024, STANDARD, max_log_q, standard_bits

BINARY = "binary"


@dataclass(frozen=True, slots=True)
class Secure:
    """`limit` is the largest log2 QP that has `level` bits in the ring of n, `tabled` whether it is that of
    the Guidelines, and `ring` the smallest ring that would do; None where no ring does. `own_bits` is the
    level that the library's own table gives the set; None without a table, and below 128. `ternary_limit` is
    the Guidelines' limit for a ternary secret, whatever secret the set has."""

    asked: AskedSecurity
    level: int
    bits: float
    limit: float
    tabled: bool
    standard_bits: int | None
    own_bits: int | None
    ring: int | None
    ternary_limit: float | None

    @property
    def secure(self) -> bool:
        return self.asked.log_q <= self.limit

    def to_json(self) -> Json:
        return {
            "secret": self.asked.secret, "log_qp": self.asked.log_q, "level": self.level, "bits": self.bits,
            "limit": self.limit, "by_guidelines": self.tabled, "standard_bits": self.standard_bits,
            "library_bits": self.own_bits, "secure": self.secure, "ring_needed": self.ring,
            "guidelines_limit_for_ternary": self.ternary_limit,
        }  # fmt: skip


def secured(found: Found, n: int, log_qp: float, switches_keys: bool = True) -> Secure:
    """The verdict on a modulus in the ring of n, for the level that the file asks for, or 128 bits."""
    lib, level = library(found.library), found.security or STANDARD
    asked = AskedSecurity(
        RLWE, n, log_qp, secret_of(found, n), lib.narrowest_error(switches_keys), found.quantum
    )
    table = ENFORCED.get(lib.family)
    own = standard_bits(n, log_qp, found.secret, table, found.quantum) if table else None
    bits = float(security_bits(n, log_qp, asked.secret, asked.sigma, asked.quantum))
    tabled = asked.limit(level) is not None
    ternary = max_log_q(GUIDELINES_2024, n, SECRET, level, found.quantum)
    return Secure(
        asked,
        level,
        bits,
        asked.allowed(level),
        tabled,
        asked.standard_bits(),
        own,
        asked.ring(level),
        ternary,
    )


def secret_of(found: Found, n: int) -> str:
    """The secret by the estimator's words.

    With as many coefficients of 1 or -1 as the ring has, s = 2u - 1 for a binary u. A sample b = a s + e then
    is (2a) u + e - a, so that the secret is as hard to find as a binary one. At two thirds of the ring and
    above, a weight makes the secret at least as hard as a uniform ternary one, which it counts as.
    """
    weight = found.weight
    if weight is None or 2 * n / 3 <= weight < n:
        return found.secret
    return BINARY if weight >= n else f"sparse:{weight}"
