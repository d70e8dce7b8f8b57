"""The security of the paper's sets, by its own rule of 2017 and by today's estimates."""

from dataclasses import dataclass

from fheasible.errors import InfeasibleParameters
from fheasible.schemes.catalogue import scheme
from fheasible.security import published
from fheasible.security.verdict import Verdict, verdict
from fheasible.units import bits, power_of_two

LEVEL = 80  # the bits that the paper asks for in its choice
SECRET = "ternary"
CAUTION = (
    "These sets are run to reproduce figures; none is recommended. By today's estimates, YASHE is "
    "overstretched NTRU at all of them and F-NTRU at most of them, and FV's ring is too small for every "
    "set with ten products."
)


@dataclass(frozen=True, slots=True)
class JudgedSecurity:
    """Both verdicts on one set.

    `by_rule`: whether the rule of 2017 gives the set 80 bits; None where the rule has no row for n.
    """

    title: str
    n: int
    log_q: int
    by_rule: bool | None
    today: Verdict

    @property
    def said_by_rule(self) -> str:
        if self.by_rule is None:
            return f"no row for n = {power_of_two(self.n)}"
        return "yes" if self.by_rule else "no"

    @property
    def said_today(self) -> str:
        """Today's verdict as text: '51.2 bit', '39.3 bit: overstretched NTRU'."""
        figure = bits(self.today.bits)
        return f"{figure}: overstretched NTRU" if self.today.overstretched else figure


def judged(name: str, n: int, log_q: int) -> JudgedSecurity:
    """Both verdicts on a set of that scheme."""
    kind = scheme(name)
    limit = published.allowed_log_q(n, LEVEL)
    today = verdict(kind.problem, n, log_q, SECRET)
    return JudgedSecurity(kind.title, n, log_q, None if limit is None else log_q <= limit, today)


def ring_by_rule(log_q: int) -> int | None:
    """The smallest n for which the rule of 2017 gives 80 bits at log q; None beyond its table."""
    try:
        return published.smallest_ring(log_q, LEVEL)
    except InfeasibleParameters:
        return None
