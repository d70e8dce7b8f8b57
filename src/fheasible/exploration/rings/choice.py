"""One recommended parameter set of a ring scheme, with all that is predicted of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.exploration.rings.wish import SECRET, RingWish
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.rings.sizes import ceil_div
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.scheme import RingScheme
from fheasible.security import published
from fheasible.security.verdict import Verdict, verdict


@dataclass(frozen=True, slots=True)
class RingCandidate:
    """A parameter set of a ring scheme with what is predicted of it for the whole application.

    `multiplications` are of integers, and `words` are 32-bit integers in memory at most. Seconds and peak are
    None without a profile; `stored_bytes`, which needs none, is what the exact ring keeps at most.
    `compromise` is the geometric mean of complexity and memory, each relative to the least that any feasible
    set has. `depth` is the number of products in succession that the formula promises, whatever their
    factors.
    """

    kind: type[RingScheme]
    parameters: RingParameters
    depth: int
    multiplications: int
    words: int
    stored_bytes: int
    sizes: Mapping[str, int]
    cpu_seconds: Mapping[str, float] | None
    wall_factor: float | None
    error_band: float | None
    peak_bytes: int | None
    compromise: float
    verdict: Verdict
    warnings: tuple[str, ...]
    pareto: bool

    @property
    def scheme(self) -> str:
        return self.kind.name

    @property
    def seconds(self) -> float | None:
        """The CPU seconds to encrypt, evaluate and decrypt; None without a profile."""
        return self.cpu_seconds["total"] if self.cpu_seconds else None

    @property
    def complexity(self) -> float:
        """Predicted seconds; integer multiplications where there is no profile."""
        return float(self.multiplications) if self.seconds is None else self.seconds

    @property
    def memory(self) -> float:
        """Predicted bytes; 32-bit integers where there is no profile."""
        return float(self.words if self.peak_bytes is None else self.peak_bytes)

    def cost(self, objective: str) -> float:
        """The value of the objective, which is to be small."""
        return {"complexity": self.complexity, "memory": self.memory}.get(objective, self.compromise)

    def to_json(self) -> Json:
        p = self.parameters
        return {
            "library": LIBRARY,
            "scheme": self.scheme,
            "request": {"n": p.n, "log_q": p.log_q, "log_w": p.log_w, "t": p.t},
            "parameters": self._parameters(),
            "estimate": self._estimate(),
            "pareto": self.pareto,
            "integer_multiplications": self.multiplications,
            "memory_integers": self.words,
            "compromise": self.compromise,
            "depth": self.depth,
            "warnings": list(self.warnings),
        }

    def _parameters(self) -> Json:
        p = self.parameters
        return {
            "ring_dimension": p.n,
            "log_q": p.log_q,
            "log_p": 0,
            "log_qp": p.log_q,
            "log_w": p.log_w,
            "digits": ceil_div(p.log_q, p.log_w),
            "secret": SECRET,
            "plain_modulus": p.t,
            "sigma": p.sigma,
        }

    def _estimate(self) -> Json:
        absent: Mapping[str, float | None] = dict.fromkeys(PHASES_AND_TOTAL)
        cpu, factor = self.cpu_seconds, self.wall_factor
        wall = {name: s * factor for name, s in cpu.items()} if cpu and factor else None
        return {
            "cpu_seconds": cpu or absent,
            "wall_seconds": wall or absent,
            "peak_bytes": self.peak_bytes,
            "stored_bytes": self.stored_bytes,
            **self.sizes,
            "evaluation_keys": int(self.sizes["evaluation_key_bytes"] > 0),
            "precision_bits": None,
            "security_bits": self.verdict.bits,
            "standard_bits": self.verdict.standard_bits,
            "library_bits": None,
            "overstretched": self.verdict.overstretched,
            "calibrated": cpu is not None,
            "error_band": self.error_band,
        }


def judged(kind: type[RingScheme], p: RingParameters, wish: RingWish) -> tuple[Verdict, tuple[str, ...]]:
    """Today's verdict on the set's security, and every reason for caution."""
    found = verdict(kind.problem, p.n, p.log_q, SECRET, wish.quantum)
    if not wish.published:
        return found, found.warnings
    old = f"n = {p.n} follows a rule of {published.YEAR}, which is historical and not a current estimate"
    return found, (old, *found.warnings)
