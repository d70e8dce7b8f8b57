"""What a real run of a ring scheme on the exact ring shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import busy, proving
from fheasible.api.layout import Listing, Part, paragraph, share
from fheasible.api.text import TextPage
from fheasible.errors import StoreError
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.rings.proof import RingProof


@dataclass(frozen=True, slots=True)
class _RingRun:
    """What every run of a ring scheme has."""

    problem: Problem
    proof: RingProof
    exit_code: int = field(default=0, init=False)

    @property
    def unstored(self) -> StoreError | None:
        return self.proof.unstored


class PlainRingRun(_RingRun):
    """A run of a ring scheme, with every time and size."""

    __slots__ = ()

    @property
    def document(self) -> Json:
        told = _document(self.problem, self.proof)
        return {k: v for k, v in told.items() if k not in ("pareto", "compromise")}  # no sets were compared

    def lines(self, page: TextPage) -> Iterator[Part]:
        return _run_rendered(self.problem, self.proof, page.width)


class VerifiedRingRun(_RingRun):
    """A run of the ring scheme's set that was recommended, beside its prediction."""

    __slots__ = ()

    @property
    def document(self) -> Json:
        return _document(self.problem, self.proof) | {"relative_error": self.proof.relative_error()}

    def lines(self, page: TextPage) -> Iterator[Part]:
        return _verify_rendered(self.problem, self.proof, page.width)


def _document(problem: Problem, proof: RingProof) -> Json:
    return {
        "app": problem.circuit.name,
        "data": problem.source,
        **proof.candidate.to_json(),
        "warnings": [*problem.warnings, *proof.warnings],
        "as_written": not proof.minimised,
        "depth_needed": proof.depth,
        "promised": proof.promised,
        "expected": proof.expected,
        "measurement": proof.measured_json(),
        "result": proof.result,
        "cleartext": proof.truth,
        "environment": proof.environment,
        "number": proof.number,
        "unstored": None if proof.unstored is None else proof.unstored.message,
    }


def _run_rendered(problem: Problem, proof: RingProof, width: int) -> Iterator[Part]:
    estimate, measured = proof.candidate.to_json()["estimate"], proof.measured_json()
    yield from _headline(problem, proof, width)
    yield ""
    yield _phases(estimate, measured)
    yield ""
    sizes = [
        (label, units.size(estimate[name]), units.size(measured[name]))
        for name, label in proving.SIZES.items()
    ]
    yield Listing(("size", "predicted", "measured"), sizes, left=("size",))
    yield ""
    yield Listing(("machine", "during the run"), list(busy.rows(busy.beside(proof))), left=("machine",))
    yield from _end(proof, width)


def _phases(estimate: Json, measured: Json) -> Listing:
    """A table of the times of each phase, with the predicted ones where there is a profile."""
    known = estimate["calibrated"]
    cpu, wall = measured["cpu_seconds"], measured["wall_seconds"]
    rows = []
    for phase, predicted in estimate["cpu_seconds"].items():
        figures = [*([predicted] if known else []), *(cpu[phase][k] for k in ("min", "median", "mad"))]
        rows.append((phase, *map(units.seconds, [*figures, wall[phase]["median"]])))
    columns = ("CPU least", "CPU median", "deviation", "wall median")
    return Listing(("phase", *(["CPU predicted"] if known else []), *columns), rows, left=("phase",))


def _verify_rendered(problem: Problem, proof: RingProof, width: int) -> Iterator[Part]:
    yield from _headline(problem, proof, width)
    yield ""
    estimate = proof.candidate.to_json()["estimate"]
    figures = list(proving.compared(estimate, proof.measured_json(), proof.relative_error()))
    figures += [(what, "", value, "") for what, value in busy.rows(busy.beside(proof))]
    yield Listing(("figure", "predicted", "measured", "error"), figures, left=("figure",))
    yield from _end(proof, width)


def _headline(problem: Problem, proof: RingProof, width: int) -> Iterator[str]:
    """What was run, what is known of its security, and what its noise had promised."""
    c, worker = proof.candidate, proof.measurement.hello
    p, bits = c.parameters, c.verdict.bits
    where = f"the exact ring ({LIBRARY} {worker.version})"
    yield f"{problem.circuit.name} with {c.kind.title}, run on {where}"
    yield (
        f"n = {units.power_of_two(p.n)}, log q = {p.log_q}, log w = {p.log_w}, t = {units.number(p.t)}; "
        f"evaluated {'with least depth' if proof.minimised else 'as written'}"
    )
    said = "unknown" if bits is None else f"about {int(bits)} bits by today's estimate"
    yield f"security: {said} ({c.kind.title} rests on {c.kind.problem.upper()})"
    yield f"depth: {proof.bound}"
    yield f"noise: {proof.promise}"
    yield f"data: {problem.source}"
    yield from (paragraph("warning:", line, width) for line in (*problem.warnings, *proof.warnings))


def _end(proof: RingProof, width: int) -> Iterator[str]:
    yield ""
    band = proof.candidate.error_band
    if band is None:
        yield f"no times were predicted without a profile. Remedy: fheasible calibrate --library {LIBRARY}"
    else:
        yield f"nine of ten predicted times are within {share(band)}"
    yield from busy.said(busy.beside(proof), width)
    yield from proving.outcome(proof)
