"""fheasible explore: what could run the application, best first, and why."""

import sys
import traceback
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli import options
from fheasible.cli.session import Session
from fheasible.errors import FheasibleError

if TYPE_CHECKING:
    from fheasible.api.answer import Answer


def explore(
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
    show_all: Annotated[
        bool,
        typer.Option("--all", help="Show the best of every kind and the whole front; explore everything."),
    ] = False,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="FILE|-",
            help="Explore everything, and write a line for every feasible set as it is found; -: to stdout, "
            "the answer to stderr. Which are on the Pareto front is known at the end: --json says it.",
        ),
    ] = None,
    noise: options.RingNoise = None,
    as_written: options.AsWritten = False,
    ignore_security: options.IgnoreSecurity = False,
) -> int:
    """What could run it, best first, and why.

    Nothing is executed.

    All libraries are explored, whether they are installed or not. The exit code is 1 where nothing fits;
    the reasons are then the answer. With --library reference the ring schemes are explored instead.

    \b
    Example:
      fheasible explore examples/2_std_dev.py --security 128 --precision 15
      fheasible explore examples/1_sum_of_products.py --precision absolute:1e-3
      fheasible explore examples/4_inner_product.py --scheme bfv --objective memory --json
      fheasible explore examples/2_std_dev.py --objective communication --csv sets.csv
      fheasible explore examples/7_ten_products.py --library reference --objective compromise
    """
    from fheasible.api.answer import Answer
    from fheasible.api.asking import named
    from fheasible.cli import asking, which
    from fheasible.cli.sets import writing

    if which.REFERENCE in named(library):
        from fheasible.cli import explore_reference

        explore_reference.check_alone(named(library), precision)
        which.refuse_library_options(
            worst_case=worst_case, trust_data=trust_data, max_ciphertext=max_ciphertext, max_keys=max_keys,
            requests=requests != 1,
            price_core_hour=price_core_hour, price_gib=price_gib, csv=csv,
        )  # fmt: skip
        ring_wish = explore_reference.wish_of(
            security, quantum, max_time, max_memory, objective, noise, as_written, ignore_security
        )
        return explore_reference.answer(session, app, ring_wish, scheme, data, seed, show_all)
    which.refuse_ring_options(noise=noise, as_written=as_written, ignore_security=ignore_security)
    wish = asking.wish_of(
        security, precision, max_memory, max_ciphertext, max_keys, quantum=quantum, max_seconds=max_time,
        objective=objective or "time", failure=failure, shared_results=shared_results,
        worst_case=worst_case, requests=requests,
        price_core_hour=price_core_hour, price_gib=price_gib,
    )  # fmt: skip
    libraries = which.libraries_of(library, scheme)
    with writing(csv, session.as_json) as each:
        with session.patience(f"reading {app}"):
            problem = asking.problem_of(app, data, seed, trust_data)
        profiles = which.profiles_of(session, libraries)
        everything = show_all or each is not None
        found = asking.exploration_of(session, problem, wish, libraries, profiles, everything, each)
    answer = Answer(found, libraries, profiles, app)
    with session.progress("explaining"):
        _ = answer.why  # this searches again, with less asked
    try:
        _show(session, answer, show_all, on_stderr=csv == "-")
        if csv not in (None, "-"):
            session.say(f"{csv}: {found.feasible:,} sets, a line each")
    finally:  # the answer is stored even if its reader stops after a line
        _keep(session, answer)
    return 0 if found.candidates else 1


def _show(session: Session, answer: "Answer", show_all: bool, on_stderr: bool) -> None:
    from fheasible.api.text import Page
    from fheasible.cli.tables import painter, width

    if on_stderr:
        for line in answer.lines(Page(width(), everything=show_all)):
            session.say(line)
        return
    page = Page(width(), painter(), show_all)
    session.answer(answer.document, answer.lines(page))
    sys.stdout.flush()


def _keep(session: Session, answer: "Answer") -> None:
    """Stores the answer for reports. The answer has been given already, so a failure here is only a
    warning."""
    from fheasible.api.command import command
    from fheasible.exploration.recorded import record

    best = answer.exploration.best
    call = command(answer.called, best) if best else []
    try:
        with session.store() as store:
            record(store, answer.exploration, answer.why, answer.profiles, call)
    except Exception as error:  # the answer is out, and stdout takes no second document
        if session.debug:
            traceback.print_exception(error, file=sys.stderr)
        said = error.message if isinstance(error, FheasibleError) else f"{type(error).__name__}: {error}"
        session.say(f"warning: no report can show this answer: {said}")
