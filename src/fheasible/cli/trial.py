"""fheasible trial: random applications, explored and really run, to find what is wrong with Fheasible."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.cli.trial_report import failing_json, rendered, source
from fheasible.errors import UsageError
from fheasible.units import GIB, listing

if TYPE_CHECKING:
    from fheasible.store.store import Store
    from fheasible.trial.campaign import Report
    from fheasible.trial.found import TrialOutcome
    from fheasible.trial.runner import Scope

_MOST_APPLICATIONS = 1_000_000  # years of work: a larger number is a typing error


def trial(
    session: TerminalSession,
    count: Annotated[
        int, typer.Option(min=1, max=_MOST_APPLICATIONS, metavar="N", help="Number of applications.")
    ] = 50,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Seed of everything random; it gives the same applications on every machine.",
        ),
    ] = 0,
    only: Annotated[
        list[int] | None,
        typer.Option(min=0, metavar="I", help="Only the application with this number; may be repeated."),
    ] = None,
    library: options.Libraries = None,
    scheme: options.Scheme = None,
    runners_up: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Also run this many other sets of each library and scheme."),
    ] = 0,
    doubts: Annotated[
        bool,
        typer.Option(
            "--doubts/--no-doubts",
            help="Where nothing fits, run a set with larger parameters to test that claim.",
        ),
    ] = True,
    most_seconds: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Leave out sets that are predicted to run longer.")
    ] = 60.0,
    most_memory: Annotated[
        float,
        typer.Option(min=0, metavar="GIB", help="Leave out sets that are predicted to take more memory."),
    ] = 8.0,
    shrink: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Time to spend on making each failing application small; 0 turns this off.",
        ),
    ] = 60.0,
    save: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write failing applications into this folder, as Python files."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every run with its predicted and measured figures."),
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the applications, and run nothing.")
    ] = False,
    cluster: options.Cluster = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Run again what an earlier trial with the same options has stored.")
    ] = False,
) -> int:
    """Test Fheasible with random applications.

    It explores applications such as users write, and runs the best set of every library and scheme to see
    whether the result is right and as fast as predicted. Those on integers are also run by libraries of
    table look-ups: those that are installed, or that are named. Failing applications are made as small as
    possible, and shown with the command that repeats them. Every application is stored as soon as it is done,
    so that the next call continues an interrupted trial; with --cluster, the hosts of a Dask cluster share
    the applications (docs/clusters.md). The exit code is 3 if a result was wrong, and 1 if a library refused
    or died, if something crashed, or if a set fits where the search said that nothing fits.

    \b
    Example:
      fheasible trial --count 20
      fheasible trial --count 500 --seed 7 --library seal --scheme ckks --save failing
      fheasible trial --count 2000 --cluster tcp://scheduler:8786 --store postgresql://me@dbhost/results
      fheasible trial --seed 7 --only 42 --list
    """
    from fheasible.cli.streams import check
    from fheasible.cli.which import installed_of, libraries_of
    from fheasible.trial.campaign import trial as tried
    from fheasible.trial.runner import Scope

    numbers = sorted(set(only)) if only else list(range(count))
    if list_only:
        return _listed(session, seed, numbers)
    if save is not None and save.exists() and not save.is_dir():
        raise UsageError(f"--save {save} is not a folder", "name a folder that exists, or one to be made")
    check(csv)
    lookups = _lookups(library, here=cluster is None and scheme is None)
    library = [name for name in library if name not in lookups] if library else None
    wanted = libraries_of(library, scheme)
    of_hosts = cluster is not None and library is not None  # which need not be installed here
    here = wanted if of_hosts else installed_of(session, wanted, named=library is not None)
    scope = Scope(
        tuple(lib.name for lib in here), scheme, runners_up, doubts, most_seconds, most_memory * GIB,
        session.place, lookups,
    )  # fmt: skip
    found: list[TrialOutcome] = []
    with session.store() as store, session.progress("trial") as step:
        if cluster is None:
            outcomes = tried(seed, numbers, scope, store, step, shrink, anew)
        else:
            outcomes = _on_cluster(session, cluster, seed, numbers, scope, store, step, shrink, anew)
        for one in outcomes:
            found.append(one)
            for fault in one.faults:
                session.say(f"application {one.number}: {fault}")
            if one.faults and save is not None:
                _save(one, save)
    found.sort(key=lambda one: one.number)
    if csv is not None:
        _write(csv, found)
    return _answer(session, found, scope, seed)


def _lookups(library: Sequence[str] | None, here: bool) -> tuple[str, ...]:
    """The libraries of table look-ups that are asked for: those that are named; where none is named, those
    that are installed `here`, or none."""
    from fheasible.api.installed import installed
    from fheasible.libraries.catalogue import CATALOGUE
    from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE

    if library is None:
        found = [lib for lib in LOOKUP_CATALOGUE.values() if here and installed(lib.worker_of)]
        return tuple(lib.name for lib in found)
    named = tuple(name for name in library if name in LOOKUP_CATALOGUE)
    if len(named) == len(library) and named:
        raise UsageError(
            f"{listing(named)} is run beside a library of vectors, but none is named",
            f"add one: --library {named[0]} --library {next(iter(CATALOGUE))}",
        )
    return named


def _on_cluster(
    session: TerminalSession, address: str, seed: int, numbers: Sequence[int], scope: "Scope", store: "Store",
    report: "Report", shrink: float, anew: bool,
) -> "Iterator[TrialOutcome]":  # fmt: skip
    from fheasible.measurement.cluster import connected
    from fheasible.measurement.shared_store import place_for_hosts
    from fheasible.trial.clustered import TrialOnCluster

    place = place_for_hosts(session.place)
    with connected(address) as client:
        on = TrialOnCluster(client, seed, scope, store, place, session.say, shrink, anew)
        yield from on.outcomes(numbers, report)


def _listed(session: TerminalSession, seed: int, numbers: Sequence[int]) -> int:
    from fheasible.trial.generator import application

    apps = [application(seed, number) for number in numbers]
    documents = [{"source": app.source, "options": app.options} | app.to_json() for app in apps]
    session.answer(documents, (line for app in apps for line in source(app)))
    return 0


def _save(one: "TrialOutcome", folder: Path) -> None:
    from fheasible.trial.application import Application
    from fheasible.trial.files import write

    folder.mkdir(parents=True, exist_ok=True)
    write(Application.from_json(one.shrunk or one.app), folder)


def _write(path: Path, found: Sequence["TrialOutcome"]) -> None:
    from fheasible.cli.streams import CsvRows, appearing
    from fheasible.trial.table import COLUMNS, rows

    with appearing(path) as stream:
        CsvRows(stream, COLUMNS).write(rows(found))


def _answer(session: TerminalSession, found: Sequence["TrialOutcome"], scope: "Scope", seed: int) -> int:
    from fheasible.measurement.environment import observe
    from fheasible.trial.generator import VERSION
    from fheasible.trial.summary import exit_code, summary

    made, failing = summary(found), [f for f in found if f.faults]
    document = {
        "seed": seed,
        "generator": VERSION,
        "libraries": {name: _version(name) for name in (*scope.libraries, *scope.lookups)},
        "summary": made.to_json(),
        "failing": [failing_json(f) for f in failing],
        "environment": observe("trial", 1, seed).to_json(),
    }
    session.answer(document, rendered(made, failing, seed))
    return exit_code(found)


def _version(name: str) -> str:
    from fheasible.libraries.catalogue import library
    from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE

    return LOOKUP_CATALOGUE[name].version if name in LOOKUP_CATALOGUE else library(name).version
