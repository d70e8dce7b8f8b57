"""fheasible run: one library's real run of an application."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.session import Session
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.exploration.candidate import Candidate
    from fheasible.exploration.problem import Problem
    from fheasible.exploration.proof import Proof
    from fheasible.exploration.wish import Wish
    from fheasible.libraries.library import Library
    from fheasible.libraries.parameters import Request

Json = dict[str, Any]


def run(
    session: Session,
    app: options.App,
    library: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A library, as `fheasible libraries list` names it; or reference: ring schemes.",
        ),
    ],
    scheme: options.AnyScheme = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="KEY=VALUE",
            help="A parameter, as scale_bits=50; may be repeated. slots=1024: no vector fills more slots of "
            "a ciphertext; spare_levels=1: results keep a level; as_written=true: products in the order "
            "written. Of ring schemes: n, log_q, log_w and t.",
        ),
    ] = None,
    composites: Annotated[
        bool,
        typer.Option(
            "--composites",
            help="With --param: sums and series by the library's own functions, where it has them.",
        ),
    ] = False,
    security: options.AnySecurity = 128,
    precision: options.Precision = None,
    failure: options.Failure = None,
    shared_results: options.SharedResults = False,
    trust_data: options.TrustData = False,
    data: options.Data = None,
    seed: options.Seed = 0,
    repetitions: options.Repetitions = 3,
    threads: options.Threads = 1,
    timeout: options.Timeout = None,
    as_written: options.AsWritten = False,
) -> int | None:
    """One library's real run.

    Shown are every time and size, and the result beside the cleartext one.

    Without --param it takes the best candidate of an exploration of that library. With --param it takes
    what you say and the library's defaults (scheme: ckks for real numbers, else bgv); security=none
    allows toy parameters. Ring schemes (--library reference; scheme: fv) take n, log_q and log_w, however
    small; t follows from the application.

    \b
    Example:
      fheasible run examples/4_inner_product.py --library seal
      fheasible run examples/4_inner_product.py --library openfhe --scheme ckks --param scale_bits=40
      fheasible run examples/7_ten_products.py --library reference --as-written \\
        --param n=4096 --param log_q=281 --param log_w=28
    """
    from fheasible.api.asking import named
    from fheasible.api.installed import best_installed
    from fheasible.cli import asking, proving, which
    from fheasible.exploration.classes import resolved

    if which.REFERENCE in named(library):
        from fheasible.cli import run_reference

        run_reference.refuse_others([library], composites, precision, threads, param, security)
        return run_reference.run(
            session, app, scheme, param, security, data, seed, repetitions, timeout, as_written
        )
    which.refuse_ring_options(as_written=as_written)
    wish = asking.wish_of(security, precision, failure=failure, shared_results=shared_results)
    libraries = which.libraries_of([library], scheme)
    problem = asking.problem_of(app, data, seed, trust_data)
    profiles = which.profiles_of(session, libraries, threads)
    if composites and not param:
        raise UsageError(
            "--composites needs --param", "add --param technique=flexibleauto --param scale_bits=45"
        )
    if param:
        told = _told(libraries[0].name, scheme, param, security, problem.real)
        candidate, least = (
            _as_told(problem, *told, profiles, composites, wish),
            resolved(wish.precision, problem.truth),
        )
    else:
        found = asking.exploration_of(session, problem, wish, libraries, profiles)
        candidate, least = best_installed(found), found.wish.least
    proof = proving.proof_of(
        session, problem, candidate, least, repetitions, threads, timeout, None if data else seed
    )
    session.answer(_document(problem, proof), _rendered(problem, proof))
    return proving.ended(session, proof)


def _told(
    name: str, scheme: str | None, params: Sequence[str], security: int, real: bool
) -> tuple["Library", "Request", dict[str, str]]:
    """The library, the request that the settings make, and the settings that the library is not asked for."""
    from fheasible.exploration.chosen import OURS, request_from
    from fheasible.libraries.catalogue import library, scheme_of

    lib, settings = library(name), {key.replace("-", "_"): v for key, v in settings_of(params).items()}
    ours = {name: settings.pop(name) for name in list(settings) if name in ("depth", *OURS)}
    return lib, request_from(scheme_of(lib, scheme or ("ckks" if real else "bgv")), settings, security), ours


def _as_told(
    problem: "Problem",
    lib: "Library",
    request: "Request",
    ours: dict[str, str],
    profiles: Any,
    composites: bool,
    wish: "Wish",
) -> "Candidate":
    """The candidate of the request. UsageError where a depth is given that is not the application's own."""
    from fheasible.exploration.chosen import chosen, shape_from

    shape = shape_from(problem, ours, wish.least, request.scheme, composites)
    candidate = chosen(problem, lib, request, profiles.get(lib.name), shape, wish.shared_results)
    depth = ours.get("depth")
    if depth not in (None, str(candidate.request.depth)):
        raise UsageError(
            f"depth={depth} was given, and {problem.circuit.name} needs {candidate.request.depth} here",
            "leave depth out: it follows from the application",
        )
    return candidate


def settings_of(params: Sequence[str]) -> dict[str, str]:
    """The settings as they were typed. UsageError for one without a value."""
    wrong = [word for word in params if "=" not in word]
    if wrong:
        raise UsageError(f"--param {wrong[0]} has no value", "write --param key=value, as scale_bits=50")
    pairs = (word.partition("=") for word in params)
    return {key.strip(): value.strip() for key, _, value in pairs}


def _document(problem: "Problem", proof: "Proof") -> Json:
    from fheasible.cli import proving

    candidate = proof.candidate.to_json(pareto=False)
    del candidate["pareto"]  # no sets were compared
    return {"app": problem.circuit.name, "data": problem.source} | candidate | proving.document(proof)


def _rendered(problem: "Problem", proof: "Proof") -> Iterator[Any]:
    from fheasible.cli import proving, tables
    from fheasible.units import seconds, size

    measured = proof.measured_json()
    yield from proving.headline(problem, proof)
    yield ""
    cpu, wall = measured["cpu_seconds"], measured["wall_seconds"]
    yield tables.table(
        ("phase", "CPU least", "CPU median", "deviation", "wall median"),
        [
            (name, *(seconds(cpu[name][k]) for k in ("min", "median", "mad")), seconds(wall[name]["median"]))
            for name in cpu
        ],
        left=("phase",),
    )
    yield ""
    rows = [(label, size(measured[name])) for name, label in proving.SIZES.items()]
    yield tables.table(("size", "bytes"), rows, left=("size",))
    yield ""
    yield from proving.outcome(proof)
