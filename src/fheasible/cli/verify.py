"""fheasible verify: run what explore recommends, and set it beside what was predicted."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fheasible.cli import options
from fheasible.cli.session import Session

if TYPE_CHECKING:
    from fheasible.exploration.candidate import Candidate
    from fheasible.exploration.problem import Problem
    from fheasible.exploration.proof import Proof
    from fheasible.exploration.search import Exploration
    from fheasible.exploration.verifying import Failure

Json = dict[str, Any]


def verify(
    session: Session,
    app: options.App,
    security: options.AnySecurity = 128,
    quantum: options.Quantum = False,
    precision: options.Precision = None,
    failure: options.Failure = None,
    shared_results: options.SharedResults = False,
    worst_case: options.WorstCase = False,
    trust_data: options.TrustData = False,
    max_time: options.MaxTime = None,
    max_memory: options.MaxMemory = None,
    max_ciphertext: options.MaxCiphertext = None,
    max_keys: options.MaxKeys = None,
    objective: options.AnyObjective = None,
    requests: options.Requests = 1,
    price_core_hour: options.PriceCoreHour = None,
    price_gib: options.PriceGib = None,
    library: options.AnyLibraries = None,
    scheme: options.AnyScheme = None,
    data: options.Data = None,
    seed: options.Seed = 0,
    repetitions: options.Repetitions = 3,
    timeout: options.Timeout = None,
    noise: options.RingNoise = None,
    as_written: options.AsWritten = False,
    ignore_security: options.IgnoreSecurity = False,
) -> int | None:
    """Really run what explore recommends.

    It is the best candidate whose library is installed. Each figure is shown as predicted, as
    measured, and with its relative error (CPU time: the least of the repetitions; wall time: their
    median), and the decrypted result beside the cleartext one. Where a set is refused, or its result is
    not as precise as asked, that is said and stored, and the next of another kind is run: the exit code
    is 3 then, whatever comes of that. Where a library's worker is out of date or does not answer, that is
    said with the remedy, and the best set of another library is run: the exit code is 1 then. With
    --library reference the best set of the ring schemes is run.

    \b
    Example:
      fheasible verify examples/2_std_dev.py --precision 15 --data examples/data/day_length.csv
      fheasible verify examples/3_depth_ten.py --library lattigo --json
      fheasible verify examples/7_ten_products.py --library reference
    """
    from fheasible.api.asking import named
    from fheasible.api.installed import all_installed
    from fheasible.cli import asking, proving, which
    from fheasible.exploration.verifying import exit_code, until_right

    if which.REFERENCE in named(library):
        from fheasible.cli import explore_reference, run_reference

        explore_reference.check_alone(named(library), precision)
        which.refuse_library_options(
            worst_case=worst_case, trust_data=trust_data, max_ciphertext=max_ciphertext, max_keys=max_keys,
            requests=requests != 1,
            price_core_hour=price_core_hour, price_gib=price_gib,
        )  # fmt: skip
        ring_wish = explore_reference.wish_of(
            security, quantum, max_time, max_memory, objective, noise, as_written, ignore_security
        )
        return run_reference.verify(session, app, ring_wish, scheme, data, seed, repetitions, timeout)
    which.refuse_ring_options(noise=noise, as_written=as_written, ignore_security=ignore_security)
    wish = asking.wish_of(
        security, precision, max_memory, max_ciphertext, max_keys, quantum=quantum, max_seconds=max_time,
        objective=objective or "time", failure=failure, shared_results=shared_results,
        worst_case=worst_case, requests=requests,
        price_core_hour=price_core_hour, price_gib=price_gib,
    )  # fmt: skip
    libraries = which.libraries_of(library, scheme)
    with session.patience(f"reading {app}"):
        problem = asking.problem_of(app, data, seed, trust_data)
    profiles = which.profiles_of(session, libraries)
    found = asking.exploration_of(session, problem, wish, libraries, profiles)
    used_seed = None if data else seed

    def run(candidate: "Candidate") -> "Proof":
        return proving.proof_of(
            session, problem, candidate, found.wish.least, repetitions, 1, timeout, used_seed
        )

    proof, failures = until_right(all_installed(found), run, lambda f: session.say(f"{f.kind}: {f}"))
    session.answer(_document(found, proof, failures), _rendered(found, proof, failures))
    return proving.ended(session, proof) or exit_code(failures)


def _document(found: "Exploration", proof: "Proof", failures: Sequence["Failure"]) -> Json:
    from fheasible.cli import proving

    return {
        "app": found.problem.circuit.name,
        "data": found.problem.source,
        **proof.candidate.to_json(proof.candidate in found.front),
        **proving.document(proof),
        "relative_error": proof.relative_error(),
        "failed": [
            {
                "library": f.candidate.library,
                "scheme": f.candidate.scheme,
                "request": f.candidate.settings,
                "message": f.error.message,
                "number": f.number,
                "report": f.report,
            }
            for f in failures
        ],
    }


def _rendered(found: "Exploration", proof: "Proof", failures: Sequence["Failure"]) -> Iterator[Any]:
    from fheasible.cli import proving, tables
    from fheasible.cli.names import setting

    yield from (tables.paragraph(f"{failure.kind}:", str(failure)) for failure in failures)
    yield from proving.headline(found.problem, proof)
    best, chosen = found.best, proof.candidate
    if best is not None and best.library != chosen.library and not failures:
        name = setting(best.library, best.scheme)
        yield f"better would be {name}, which is not installed: fheasible libraries install {best.library}"
    yield ""
    estimate = proof.candidate.estimate.to_json()
    rows = proving.compared(estimate, proof.measured_json(), proof.relative_error())
    yield tables.table(("figure", "predicted", "measured", "error"), rows, left=("figure",))
    yield ""
    yield from _band(found.problem, proof)
    yield from proving.busy(proof)
    yield from proving.outcome(proof)


def _band(problem: "Problem", proof: "Proof") -> Iterator[str]:
    """How far the predicted times can be trusted."""
    from fheasible.cli import tables
    from fheasible.cli.names import title

    estimate, name = proof.candidate.estimate, title(proof.candidate.library)
    if estimate.cpu_seconds is None:
        yield f"no times were predicted: {name} has no profile here: fheasible calibrate"
    elif estimate.error_band is not None:
        yield f"nine of ten predicted times are within {tables.share(estimate.error_band)}"
