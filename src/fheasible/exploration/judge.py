"""One choice, judged: a candidate with its estimate, or the reason why not."""

from dataclasses import dataclass, replace

from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.estimation.estimate import Estimate, estimate
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.problem import Problem
from fheasible.exploration.space import LARGEST_RING, Choice, request
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Parameters, Request
from fheasible.lowering.plan import plan
from fheasible.noise.ckks import Precision, precision
from fheasible.noise.exact import budget_bits
from fheasible.noise.headroom import headroom_bits
from fheasible.program.types import Program
from fheasible.security.tables import (
    GUIDELINES_2024,
    OPENFHE,
    STANDARD_2018,
    max_log_q,
    security_bits,
    standard_bits,
)

LIBRARY_TABLES = {"openfhe": OPENFHE, "seal": STANDARD_2018}
HALF = 0.5  # what an integer's error must stay below
STAGES = ("expression", "parameters", "security", "overflow", "correctness", "precision", "memory", "time")


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a choice is out. A later stage, then a smaller `miss`, was nearer to being feasible."""

    stage: str
    reason: str
    miss: float = 0.0

    @property
    def distance(self) -> tuple[int, float]:
        return (-STAGES.index(self.stage), self.miss)


class Judge:
    """Judges choices for one library, scheme, wish and profile."""

    def __init__(
        self, problem: Problem, library: Library, scheme: str, wish: Wish, profile: Profile | None
    ) -> None:
        self.problem, self.library, self.scheme, self.wish = problem, library, scheme, wish
        self.profile = profile if profile and profile.covers(scheme) else None

    def __call__(self, choice: Choice) -> Candidate | Rejection:
        hopeless = self._too_large(choice)
        if hopeless:
            return hopeless
        try:
            program, parameters = self._plan(choice)
        except InfeasibleParameters as error:
            return Rejection("parameters", error.message)
        except UnsupportedOperation as error:
            return Rejection("expression", error.message)
        return (
            self._insecure(parameters)
            or wrong(self.problem, program, parameters)
            or self._accept(program, parameters)
        )

    # -- parameters ------------------------------------------------------------------------------

    def _too_large(self, choice: Choice) -> Rejection | None:
        """A chain whose size alone breaks the limit of its ring: no program need be made for it."""
        if choice.limbs is None or choice.level_bits is None or choice.ring_dimension is None:
            return None
        log_qp = choice.level_bits * (choice.limbs + (choice.special or 1)) - 1.0
        return self._insecure_at(choice.ring_dimension, log_qp, "uniform_ternary")

    def _plan(self, choice: Choice) -> tuple[Program, Parameters]:
        """The smallest ring that is secure by the Guidelines too, where a library's own table is older."""
        program, parameters = self._at(choice, choice.ring_dimension)
        while choice.ring_dimension is None and self._insecure(parameters):
            if parameters.ring_dimension >= LARGEST_RING[self.library.name]:
                break
            program, parameters = self._at(choice, 2 * parameters.ring_dimension)
        return program, parameters

    def _at(self, choice: Choice, ring: int | None) -> tuple[Program, Parameters]:
        def ask(depth: int, n: int | None) -> Parameters:
            t = self.problem.plain_modulus(n or 1 << 16) if choice.style.exact else None
            return self.library.parameters(_with_ring(self._request(choice, depth, t), n))

        return plan(self.problem.lowerings, choice.style, ask, ring)

    def _request(self, choice: Choice, depth: int, t: int | None) -> Request:
        return request(choice, self.library, self.wish.security, self.wish.quantum, depth, t)

    # -- constraints -----------------------------------------------------------------------------

    def _insecure(self, p: Parameters) -> Rejection | None:
        return self._insecure_at(p.ring_dimension, p.log_qp, p.secret)

    def _insecure_at(self, n: int, log_qp: float, secret: str) -> Rejection | None:
        limit = max_log_q(GUIDELINES_2024, n, secret, self.wish.security, self.wish.quantum)
        if limit is not None and log_qp <= limit:
            return None
        allowed = "no modulus" if limit is None else f"{limit:.0f} bits"
        return Rejection(
            "security",
            f"log2 QP = {log_qp:.0f} at N = {n}, where {self.wish.security}-bit security allows {allowed}",
            log_qp / (limit or 1.0),
        )

    def _accept(self, program: Program, p: Parameters) -> Candidate | Rejection:
        found = self._precision(program, p)
        if found is not None and self._too_coarse(found):
            return self._imprecise(found)
        judged = judged_estimate(program, p, self.profile, found.bits if found else None, self.wish.quantum)
        assert p.request is not None
        candidate = Candidate(self.library.name, self.scheme, p.request, p, program, judged)
        return self._too_dear(judged) or candidate

    def _precision(self, program: Program, p: Parameters) -> Precision | None:
        if p.scheme != "ckks":
            return None
        return precision(program, p, self.problem.gains(program), self.problem.truth)

    def _too_coarse(self, found: Precision) -> bool:
        """Integers in CKKS must come out right when they are rounded, whatever precision is asked beside."""
        if not self.problem.real and found.worst_error >= HALF:
            return True
        asked = self.wish.least_bits if self.problem.real else self.wish.precision_bits or 0.0
        return found.assured_bits < asked

    def _imprecise(self, found: Precision) -> Rejection:
        if not self.problem.real and found.worst_error >= HALF:
            reason = f"an error of up to {found.worst_error:.2g} rounds some integer to another"
            return Rejection("precision", reason, found.worst_error)
        bits, asked = found.assured_bits, self.wish.least_bits
        reason = (
            f"{bits:.1f} bits of precision can be relied on, {found.bits:.1f} on average; {asked:g} are asked"
        )
        return Rejection("precision", reason, -bits)

    def _too_dear(self, e: Estimate) -> Rejection | None:
        seconds, most = self.wish.max_seconds, self.wish.max_bytes
        if most is not None and e.peak_bytes is not None and e.peak_bytes > most:
            reason = f"{e.peak_bytes / 2**20:.0f} MiB at the peak, and {most / 2**20:.0f} MiB are allowed"
            return Rejection("memory", reason, float(e.peak_bytes))
        if seconds is not None and e.cpu_seconds and e.cpu_seconds["total"] > seconds:
            reason = f"{e.cpu_seconds['total']:.2g} s, and {seconds:g} s are allowed"
            return Rejection("time", reason, e.cpu_seconds["total"])
        return None


def wrong(problem: Problem, program: Program, p: Parameters) -> Rejection | None:
    """Values that overflow, or noise that reaches the plaintext of an exact scheme."""
    if p.scheme == "ckks":
        room = headroom_bits(program, p, problem.gains(program))
        reason = f"values outgrow the modulus by {1 - room:.0f} bits"
        return Rejection("overflow", reason, -room) if room < 1 else None
    budget = budget_bits(program, p)
    reason = f"the noise exceeds what {p.log_q:.0f} bits of modulus can hold, by {-budget:.0f} bits"
    return Rejection("correctness", reason, -budget) if budget < 0 else None


def judged_estimate(
    program: Program, p: Parameters, profile: Profile | None, bits: float | None, quantum: bool
) -> Estimate:
    """The estimate with both verdicts on security: of the Guidelines, and of the library's own table."""
    n, log_qp = p.ring_dimension, p.log_qp
    table = LIBRARY_TABLES.get(p.library)
    return estimate(
        program,
        p,
        profile,
        precision_bits=bits,
        security_bits=security_bits(n, log_qp, p.secret, quantum),
        standard_bits=standard_bits(n, log_qp, p.secret, GUIDELINES_2024, quantum),
        library_bits=standard_bits(n, log_qp, p.secret, table, quantum) if table else None,
    )


def _with_ring(r: Request, n: int | None) -> Request:
    return r if n is None else replace(r, ring_dimension=n)
