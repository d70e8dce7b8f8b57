"""run and verify --library reference: a ring scheme really run on the exact ring."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fheasible import units
from fheasible.api.asking import named
from fheasible.api.command import wrapped
from fheasible.cli import proving
from fheasible.cli.asking import problem_of
from fheasible.cli.explore_reference import INTEGERS, REMEDY, check_alone
from fheasible.cli.run import settings_of
from fheasible.cli.session import Session
from fheasible.cli.tables import paragraph, share, table
from fheasible.cli.which import REFERENCE
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.problem import Problem
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.chosen import chosen, parameters_from
from fheasible.exploration.rings.proof import RingProof, prove
from fheasible.exploration.rings.search import RingExploration, explore_rings
from fheasible.exploration.rings.wish import RingWish
from fheasible.schemes import catalogue
from fheasible.schemes.plan import Plan, plan

if TYPE_CHECKING:
    from fheasible.estimation.ring_profile import RingProfile

Json = dict[str, Any]
USUAL_SECURITY = 128
OWN = "make the computation less deep, or run parameters of your own: --param n=4096 --param log_q=..."


def refuse_others(
    libraries: Sequence[str], composites: bool, precision: str | None, threads: int,
    param: Sequence[str] | None, security: int,
) -> None:  # fmt: skip
    """Raises UsageError where an option of `run` is given that ring schemes do not have."""
    check_alone(named(libraries), precision)
    if composites:
        raise UsageError("ring schemes have no --composites", "leave it out")
    if threads != 1:
        raise UsageError(f"ring schemes run in one thread, not in {threads}", "leave --threads out")
    if param and security != USUAL_SECURITY:
        raise UsageError(
            "--security chooses among parameters, and --param gives them",
            "leave either out; the security of what you give is reported",
        )


def run(
    session: Session, app: str, scheme: str | None, params: Sequence[str] | None, security: int,
    data: Path | None, seed: int, repetitions: int, timeout: float | None, as_written: bool,
) -> int:  # fmt: skip
    """The exit code, after the given set, or the best set of an exploration, has been run and shown."""
    problem, profile = problem_of(app, data, seed), _profile(session)
    steps = plan(problem.circuit, not as_written)
    if params:
        kind = catalogue.scheme(scheme or "fv")
        candidate = chosen(kind, parameters_from(settings_of(params), kind, steps), steps, profile)
    else:
        wish = RingWish(security, as_written=as_written)
        candidate = _best(_explored(problem, wish, scheme, profile), OWN)
    proof = _proof(session, problem, candidate, steps, repetitions, seed, timeout)
    document = {k: v for k, v in _document(problem, proof).items() if k not in ("pareto", "compromise")}
    session.answer(document, _run_rendered(problem, proof))  # no sets were compared
    return proving.ended(session, proof)


def verify(
    session: Session, app: str, wish: RingWish, scheme: str | None, data: Path | None, seed: int,
    repetitions: int, timeout: float | None,
) -> int:  # fmt: skip
    """The exit code, after the best set of the exploration has been run and its predicted and measured
    figures shown."""
    problem, profile = problem_of(app, data, seed), _profile(session)
    steps = plan(problem.circuit, not wish.as_written)
    candidate = _best(_explored(problem, wish, scheme, profile), REMEDY)
    proof = _proof(session, problem, candidate, steps, repetitions, seed, timeout)
    document = _document(problem, proof) | {"relative_error": proof.relative_error()}
    session.answer(document, _verify_rendered(problem, proof))
    return proving.ended(session, proof)


def command(app: str, c: RingCandidate, as_written: bool) -> list[str]:
    """The command that runs exactly this set, in lines that a shell takes as one."""
    p = c.parameters
    words = [f"fheasible run {app}", f"--library {REFERENCE}", f"--scheme {c.scheme}"]
    words += [f"--param n={p.n}", f"--param log_q={p.log_q}", f"--param log_w={p.log_w}"]
    return wrapped([*words, "--as-written"] if as_written else words)


def _profile(session: Session) -> "RingProfile | None":
    from fheasible.calibration.ring_profile import of_this_machine

    with session.store(reading=True) as store:
        return of_this_machine(store)


def _explored(
    problem: Problem, wish: RingWish, scheme: str | None, profile: "RingProfile | None"
) -> RingExploration:
    kinds = list(catalogue.SCHEMES.values()) if scheme is None else [catalogue.scheme(scheme)]
    return explore_rings(problem.circuit, wish, kinds, profile)


def _best(found: RingExploration, remedy: str) -> RingCandidate:
    """The best candidate. InfeasibleParameters, with every reason, where nothing fits."""
    if found.best is not None:
        return found.best
    reasons = [f"  {r.kind.title}: {r.reason}" for r in found.rejected]
    raise InfeasibleParameters(
        "\n".join([f"no parameters of a ring scheme fit {found.app}", *reasons]),
        remedy if found.explored else INTEGERS,
    )


def _proof(
    session: Session, problem: Problem, c: RingCandidate, steps: Plan, repetitions: int, seed: int,
    timeout: float | None,
) -> RingProof:  # fmt: skip
    for line in c.warnings:
        session.say(f"warning: {line}")
    what = f"running {c.kind.title} on the exact ring"
    wall = c.to_json()["estimate"]["wall_seconds"]
    with session.store() as store, session.progress(what + proving.predicted(wall)):
        return prove(problem, c, steps, repetitions, seed, store, timeout)


def _document(problem: Problem, proof: RingProof) -> Json:
    return {
        "app": problem.circuit.name,
        "data": problem.source,
        **proof.candidate.to_json(),
        "warnings": list(proof.warnings),
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


def _run_rendered(problem: Problem, proof: RingProof) -> Iterator[Any]:
    estimate, measured = proof.candidate.to_json()["estimate"], proof.measured_json()
    yield from _headline(problem, proof)
    yield ""
    yield _phases(estimate, measured)
    yield ""
    rows = [
        (label, units.size(estimate[name]), units.size(measured[name]))
        for name, label in proving.SIZES.items()
    ]
    yield table(("size", "predicted", "measured"), rows, left=("size",))
    yield from _end(proof)


def _phases(estimate: Json, measured: Json) -> Any:
    """A table of the times of each phase, with the predicted ones where there is a profile."""
    known = estimate["calibrated"]
    cpu, wall = measured["cpu_seconds"], measured["wall_seconds"]
    rows = []
    for phase, predicted in estimate["cpu_seconds"].items():
        figures = [*([predicted] if known else []), *(cpu[phase][k] for k in ("min", "median", "mad"))]
        rows.append((phase, *map(units.seconds, [*figures, wall[phase]["median"]])))
    columns = ("CPU least", "CPU median", "deviation", "wall median")
    return table(("phase", *(["CPU predicted"] if known else []), *columns), rows, left=("phase",))


def _verify_rendered(problem: Problem, proof: RingProof) -> Iterator[Any]:
    yield from _headline(problem, proof)
    yield ""
    estimate = proof.candidate.to_json()["estimate"]
    rows = proving.compared(estimate, proof.measured_json(), proof.relative_error())
    yield table(("figure", "predicted", "measured", "error"), rows, left=("figure",))
    yield from _end(proof)


def _headline(problem: Problem, proof: RingProof) -> Iterator[str]:
    """What was run, what is known of its security, and what its noise had promised."""
    c, worker = proof.candidate, proof.measurement.hello
    p, bits = c.parameters, c.verdict.bits
    where = f"the exact ring ({REFERENCE} {worker.version})"
    yield f"{problem.circuit.name} with {c.kind.title} on {where}, really run"
    yield (
        f"n = {units.power_of_two(p.n)}, log q = {p.log_q}, log w = {p.log_w}, t = {units.number(p.t)}; "
        f"evaluated {'with least depth' if proof.minimised else 'as written'}"
    )
    said = "unknown" if bits is None else f"about {int(bits)} bits by today's estimate"
    yield f"security: {said} ({c.kind.title} rests on {c.kind.problem.upper()})"
    yield f"depth: {proof.bound}"
    yield f"noise: {proof.promise}"
    yield f"data: {problem.source}"
    yield from (paragraph("warning:", line) for line in proof.warnings)


def _end(proof: RingProof) -> Iterator[str]:
    yield ""
    band = proof.candidate.error_band
    if band is None:
        yield f"no times were predicted: there is no profile here: fheasible calibrate --library {REFERENCE}"
    else:
        yield f"nine of ten predicted times are within {share(band)}"
    yield from proving.outcome(proof)
