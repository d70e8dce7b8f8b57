"""What a real run of table look-ups shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import proving
from fheasible.api.headline import counted
from fheasible.api.layout import Part, paragraph
from fheasible.api.lookup_answer import settings
from fheasible.api.text import TextPage
from fheasible.errors import StoreError
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import wrong_in
from fheasible.exploration.lookups.proof import LookupProof
from fheasible.exploration.lookups.search import LookupExploration
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.proof.failures import Failure, exit_code


@dataclass(frozen=True, slots=True)
class PlainLookupRun:
    """A run, with every time and size."""

    problem: Problem
    proof: LookupProof
    counters: bool = False
    exit_code: int = field(default=0, init=False)

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored

    @property
    def document(self) -> Json:
        return proving.plain_document(self.problem, self.proof)

    def lines(self, page: TextPage) -> Iterator[Part]:
        yield from _headline(self.problem, self.proof, page.width)
        yield ""
        yield from proving.figures(self.proof, self.counters, page.width)


@dataclass(frozen=True, slots=True)
class VerifiedLookupRun:
    """A run of what was recommended, beside its prediction; `failures`: better sets that failed before."""

    problem: Problem
    proof: LookupProof
    found: LookupExploration
    failures: tuple[Failure[LookupCandidate], ...]
    counters: bool = False

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored

    @property
    def exit_code(self) -> int:
        return exit_code(self.failures)

    @property
    def document(self) -> Json:
        return proving.verified_document(self.problem, self.proof, self.found.front, self.failures)

    def lines(self, page: TextPage) -> Iterator[Part]:
        proof, name = self.proof, self.proof.candidate.library.name
        yield from (paragraph(f"{failure.kind}:", str(failure), page.width) for failure in self.failures)
        yield from _headline(self.problem, proof, page.width)
        yield ""
        # no precision was predicted: it follows from the data
        measured = proof.measured_json() | {"precision_bits": None}
        yield from proving.comparison(proof, measured, name, self.counters, page.width)


def _headline(problem: Problem, proof: LookupProof, width: int) -> Iterator[str]:
    c, worker = proof.candidate, proof.measurement.hello
    p = c.parameters
    yield f"{problem.circuit.name}, run on {c.title} {worker.version}"
    yield (
        f"n = {p.lwe_dimension}, N = {units.power_of_two(p.polynomial_size)}, k = {p.glwe_dimension}, "
        f"security {units.security(c.estimate.security_bits)}, {wrong_in(c.estimate.log2_failure)}"
    )
    yield from paragraph("", settings(c), width).strip().splitlines()
    count = c.encoded.lookups
    yield f"{counted(count, 'look-up')}, {c.encoded.depth} in succession" if count else "no look-ups"
    yield f"data: {problem.source}"
    if c.estimate.threads != 1:
        yield f"executed by {c.estimate.threads} threads"
    yield from (paragraph("warning:", line, width) for line in proof.warnings)
