"""What a real run of a library of residue number systems shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import proving
from fheasible.api.headline import counted
from fheasible.api.layout import WIDTH, Part, paragraph
from fheasible.api.naming import setting
from fheasible.api.text import TextPage
from fheasible.errors import StoreError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.proof.failures import Failure, exit_code
from fheasible.exploration.proof.proof import Proof
from fheasible.exploration.search.search import Exploration
from fheasible.noise.ckks.flooding import QUERIES, QUERY_BITS


@dataclass(frozen=True, slots=True)
class PlainRun:
    """A run, with every time and size."""

    problem: Problem
    proof: Proof
    counters: bool = False  # whether they are shown
    exit_code: int = field(default=0, init=False)

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored

    @property
    def document(self) -> Json:
        told = proving.plain_document(self.problem, self.proof)
        return told | {"noise_bits": self.proof.noise_bits}

    def lines(self, page: TextPage) -> Iterator[Part]:
        yield from headline(self.problem, self.proof, page.width)
        yield ""
        swap = self.proof.candidate.estimate.swap
        yield from proving.figures(self.proof, self.counters, page.width, swap)


@dataclass(frozen=True, slots=True)
class VerifiedRun:
    """A run of what was recommended, beside its prediction; `failures`: better sets that failed before."""

    problem: Problem
    proof: Proof
    found: Exploration
    failures: tuple[Failure[Candidate], ...]
    counters: bool = False  # whether they are shown

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored

    @property
    def exit_code(self) -> int:
        return exit_code(self.failures)

    @property
    def document(self) -> Json:
        told = proving.verified_document(self.problem, self.proof, self.found.front, self.failures)
        return told | {"noise_bits": self.proof.noise_bits}

    def lines(self, page: TextPage) -> Iterator[Part]:
        proof, c = self.proof, self.proof.candidate
        yield from (paragraph(f"{failure.kind}:", str(failure), page.width) for failure in self.failures)
        yield from headline(self.problem, proof, page.width)
        yield from self._better()
        yield ""
        measured = proof.measured_json()
        yield from proving.comparison(proof, measured, c.library, self.counters, page.width, c.estimate.swap)

    def _better(self) -> Iterator[str]:
        """What would have been better, where its library is not installed."""
        best, chosen = self.found.best, self.proof.candidate
        if best is not None and best.library != chosen.library and not self.failures:
            name = setting(best.library, best.scheme)
            remedy = f"fheasible libraries install {best.library}"
            yield f"{name} would be better, but is not installed: {remedy}"


def headline(problem: Problem, proof: Proof, width: int = WIDTH) -> Iterator[str]:
    c, worker = proof.candidate, proof.measurement.hello
    p = c.parameters
    yield f"{problem.circuit.name}, run on {setting(c.library, c.scheme)} {worker.version}"
    technique = f", {p.technique}" if p.technique else ""
    yield (
        f"N = {units.power_of_two(p.ring_dimension)}, log QP = {p.log_qp:.0f}, {p.limbs} + {len(p.p)} primes"
        f"{technique}, security {units.security(c.estimate.security_bits)}"
    )
    if c.program.bootstraps:
        many = counted(c.program.bootstrap_count, "bootstrap")
        begins = f"; fresh inputs have up to {c.program.fresh_levels}" * (c.program.fresh_levels > p.levels)
        yield f"{many}, with {counted(p.levels, 'level')} left after each{begins}"
    estimate = c.request.noise_estimate if c.request.scheme == "ckks" else None
    if proof.noise_bits is not None and estimate is not None:
        drowned = estimate - QUERY_BITS
        seen = f"noise: {proof.noise_bits:.1f} bits in a trial run"
        yield f"{seen}; decryption drowns {drowned:.1f} bits in each of {QUERIES:,} results"
    yield f"data: {problem.source}"
    if c.walls or c.threads != 1:
        one = "one thread" if c.estimate.threads == 1 else f"{c.estimate.threads} threads"
        yield f"executed by {one}{', which is the default of the library' * (c.threads is None)}"
    yield from (paragraph("warning:", line, width) for line in proof.warnings)
