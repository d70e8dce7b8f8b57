"""What a real run of table look-ups shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import busy, proving
from fheasible.api.counted import counted as counters
from fheasible.api.headline import counted
from fheasible.api.layout import Listing, Part, paragraph, share
from fheasible.api.limited import limited
from fheasible.api.lookup_answer import settings
from fheasible.api.text import TextPage
from fheasible.errors import FheasibleError, StoreError
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.proof import LookupProof
from fheasible.exploration.lookups.search import LookupExploration, once
from fheasible.exploration.problem.problem import Problem


@dataclass(frozen=True, slots=True)
class Failed:
    """A better set that was refused or wrong when it was run, or whose worker did not answer."""

    candidate: LookupCandidate
    error: FheasibleError

    def __str__(self) -> str:
        return f"{self.candidate.title}: {self.error.message}"


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
        candidate = self.proof.candidate.to_json(pareto=False)
        del candidate["pareto"]  # no sets were compared
        told = {"app": self.problem.circuit.name, "data": self.problem.source}
        return told | candidate | _document(self.proof)

    def lines(self, page: TextPage) -> Iterator[Part]:
        measured = self.proof.measured_json()
        yield from _headline(self.problem, self.proof, page.width)
        yield ""
        yield _phases(measured)
        yield ""
        sizes = [(label, units.size(measured[name])) for name, label in proving.SIZES.items()]
        yield Listing(("size", "bytes"), sizes, left=("size",))
        yield ""
        around = busy.beside(self.proof)
        yield Listing(("machine", "during the run"), list(busy.rows(around)), left=("machine",))
        yield ""
        yield from _end(self.proof, page.width, self.counters)


@dataclass(frozen=True, slots=True)
class VerifiedLookupRun:
    """A run of what was recommended, beside its prediction; `failures`: better sets that failed before."""

    problem: Problem
    proof: LookupProof
    found: LookupExploration
    failures: tuple[Failed, ...]
    counters: bool = False

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored

    @property
    def exit_code(self) -> int:
        """3 where a better set was refused or wrong before, 1 where one could not be run; else 0."""
        from fheasible.errors import LibraryMissing, WrongResult

        codes = (1 if isinstance(f.error, LibraryMissing) else WrongResult.exit_code for f in self.failures)
        return max(codes, default=0)

    @property
    def document(self) -> Json:
        proof = self.proof
        return {
            "app": self.problem.circuit.name,
            "data": self.problem.source,
            **proof.candidate.to_json(proof.candidate in self.found.front),
            **_document(proof),
            "relative_error": proof.relative_error(),
            "failed": [
                {
                    "library": f.candidate.library.name,
                    "scheme": f.candidate.scheme,
                    "request": f.candidate.settings,
                    "message": f.error.message,
                }
                for f in self.failures
            ],
        }

    def lines(self, page: TextPage) -> Iterator[Part]:
        proof, width = self.proof, page.width
        yield from (paragraph("failed:", str(failure), width) for failure in self.failures)
        yield from _headline(self.problem, proof, width)
        yield ""
        estimate, measured = proof.candidate.estimate.to_json(), proof.measured_json()
        known = measured | {"precision_bits": None}  # no precision was predicted: it follows from the data
        figures = list(proving.compared(estimate, known, proof.relative_error()))
        figures += [(what, "", value, "") for what, value in busy.rows(busy.beside(proof))]
        yield Listing(("figure", "predicted", "measured", "error"), figures, left=("figure",))
        yield ""
        if proof.candidate.estimate.error_band is None:
            of = proof.candidate.library
            yield f"no times were predicted, because {of.title} has no profile here. Remedy: "
            yield f"fheasible calibrate --library {of.name}"
        else:
            yield f"nine of ten predicted times are within {share(proof.candidate.estimate.error_band)}"
        yield from _end(proof, width, self.counters)


def _document(proof: LookupProof) -> Json:
    around = busy.beside(proof)
    return {
        "measurement": proof.measured_json(),
        "result": proof.result,
        "cleartext": proof.truth,
        "environment": proof.environment.to_json(),
        "number": proof.number,
        "slowed": proof.slowed,
        "cpu_utilisation": around.utilisation,
        "busy": around.busy,
        "warnings": list(proof.warnings),
        "unstored": None if proof.unstored is None else proof.unstored.message,
    }


def _headline(problem: Problem, proof: LookupProof, width: int) -> Iterator[str]:
    c, worker = proof.candidate, proof.measurement.hello
    p, often = c.parameters, once(c.estimate.log2_failure)
    yield f"{problem.circuit.name}, run on {c.title} {worker.version}"
    yield (
        f"n = {p.lwe_dimension}, N = {units.power_of_two(p.polynomial_size)}, k = {p.glwe_dimension}, "
        f"security {units.security(c.estimate.security_bits)}, wrong once in {often} runs"
    )
    yield from paragraph("", settings(c), width).strip().splitlines()
    yield f"{counted(c.encoded.lookups, 'look-up')}, {c.encoded.depth} in succession"
    yield f"data: {problem.source}"
    if c.estimate.threads != 1:
        yield f"executed by {c.estimate.threads} threads"
    yield from (paragraph("warning:", line, width) for line in proof.warnings)


def _phases(measured: Json) -> Listing:
    cpu, wall = measured["cpu_seconds"], measured["wall_seconds"]
    figures = (
        (name, *(cpu[name][k] for k in ("min", "median", "mad")), wall[name]["median"]) for name in cpu
    )
    rows = [(name, *map(units.seconds, seconds)) for name, *seconds in figures]
    return Listing(("phase", "CPU least", "CPU median", "deviation", "wall median"), rows, left=("phase",))


def _end(proof: LookupProof, width: int, with_counters: bool) -> Iterator[Part]:
    if with_counters:
        yield from counters(proof.measurement.counters, width)
        yield ""
    yield from limited(proof.measurement.limited, None)
    yield from busy.said(busy.beside(proof), width)
    yield from proving.outcome(proof)
