"""fheasible accuracy: predictions beside real runs that the calibration has not seen."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import StoreError, UsageError

if TYPE_CHECKING:
    from fheasible.accuracy.campaign import Campaign
    from fheasible.accuracy.compare import ComparedApplication
    from fheasible.accuracy.evaluation import Evaluation
    from fheasible.estimation.profile import Profile
    from fheasible.libraries.library import Library
    from fheasible.measurement.sampled import Record
    from fheasible.store.store import Store

WORST = 5  # operations that are named
_WRONG = 3  # the exit code of a wrong result


def accuracy(
    session: TerminalSession,
    library: options.Libraries = None,
    scheme: options.Scheme = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Run a third of the contexts, up to n = 2^14: two minutes with --operations."
        ),
    ] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Run nothing, and judge what earlier calls have stored.")
    ] = False,
    operations: Annotated[bool, typer.Option("--operations", help="Only single operations.")] = False,
    applications: Annotated[bool, typer.Option("--applications", help="Only whole applications.")] = False,
    app: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="An application; may be repeated. By default all numbered examples."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page with figures and all tables.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every predicted and measured figure as CSV.")
    ] = None,
    cluster: options.Cluster = None,
) -> int:
    """Compare predictions with real runs.

    Operations are run in contexts that the calibration has not seen, from n = 2^12 to 2^16. Whole
    applications are run with the parameters that explore chooses for each library, scheme and technique.
    Every run is stored, so that the next call continues an interrupted one. All of it takes about half an
    hour; an estimate is printed before it begins. The machine should be idle. With --cluster, the hosts of a
    Dask cluster share the runs; each is judged by its own profile, and the answer names every machine
    (docs/clusters.md).

    \b
    Example:
      fheasible accuracy --quick --operations
      fheasible accuracy --library seal --scheme bfv
      fheasible accuracy --stored --report accuracy.html --csv accuracy.csv
      fheasible accuracy --cluster tcp://scheduler:8786 --store postgresql://me@dbhost/results
    """
    from fheasible.accuracy.evaluation import evaluate
    from fheasible.cli.streams import check
    from fheasible.cli.which import installed_of, libraries_of

    _refuse(stored, {"--quick": quick, "--app": app, "--cluster": cluster})
    check(report, drawn=True)
    check(csv)
    both = operations == applications
    wanted = libraries_of(library, scheme)
    if cluster is not None:
        kinds = (both or operations, both or applications)
        found, lost = _on_cluster(session, cluster, wanted, kinds, quick, app)
        return max(_answer(session, found, report, csv, lost), int(bool(lost)))
    with session.store() as store:
        profiles = _profiles(store, wanted, named=library is not None)
        chosen = [lib for lib in wanted if lib.name in profiles]
        kinds = (both or operations, both or applications)
        if stored:
            records = _stored(store, chosen, kinds)
        else:
            here = installed_of(session, chosen, named=library is not None)
            records = _run(session, store, here, profiles, kinds, quick, app)
    return _answer(session, evaluate(*records, profiles), report, csv)


def _refuse(stored: bool, given: Mapping[str, Any]) -> None:
    """Raises UsageError where nothing is to be run, and an option says what or where."""
    name = next((name for name, value in given.items() if value), None)
    if stored and name:
        raise UsageError(
            f"--stored runs nothing, and {name} would choose {'where' if name == '--cluster' else 'what'} to "
            "run",
            "leave one of them out",
        )


def _profiles(store: "Store", libraries: Sequence["Library"], named: bool) -> Mapping[str, "Profile"]:
    """The profiles that were calibrated on this machine. StoreError where a named library has none, or where
    no library has one."""
    from fheasible.api.naming import title
    from fheasible.calibration.profiles import of_this_machine

    found = of_this_machine(store, [lib.name for lib in libraries])
    here = {name: profile for name, profile in found.items() if profile and not profile.origin}
    missing = [lib.name for lib in libraries if lib.name not in here]
    if missing and (named or not here):
        names = ", ".join(map(title, missing))
        flags = "".join(f" --library {name}" for name in missing) if named else ""
        raise StoreError(
            f"there is no profile of {names} on this machine to judge",
            f"fheasible calibrate{flags}, then fheasible accuracy",
        )
    return here


Records = tuple[list["Record"], list["Record"]]  # the runs of operations, and those of applications


def _stored(store: "Store", libraries: Sequence["Library"], kinds: tuple[bool, bool]) -> Records:
    from fheasible.accuracy.campaign import stored

    found = [
        stored(name, store, libraries) if asked else []
        for name, asked in zip(("operations", "applications"), kinds, strict=True)
    ]
    if not any(found):
        raise StoreError("no such runs are stored", "run fheasible accuracy without --stored")
    return found[0], found[1]


def _run(
    session: TerminalSession,
    store: "Store",
    libraries: Sequence["Library"],
    profiles: Mapping[str, "Profile"],
    kinds: tuple[bool, bool],
    quick: bool,
    files: Sequence[Path] | None,
) -> Records:
    """The records of the campaigns. It tells how long they will take, and runs them."""
    from fheasible.accuracy import campaign

    campaigns = [
        campaign.of_operations(libraries, quick) if kinds[0] else None,
        _applications(session, libraries, profiles, files) if kinds[1] else None,
    ]
    _announce(session, store, [c for c in campaigns if c], profiles)
    found: list[list[Record]] = []
    for kind, one in zip(("operations", "applications"), campaigns, strict=True):
        with session.progress(f"running {kind}") as step:
            found.append(campaign.run(one, store, profiles, step) if one else [])
    return found[0], found[1]


def _on_cluster(
    session: TerminalSession,
    address: str,
    libraries: Sequence["Library"],
    kinds: tuple[bool, bool],
    quick: bool,
    files: Sequence[Path] | None,
) -> tuple["Evaluation", list[str]]:
    """The evaluation of the campaigns on the hosts of a cluster, and which runs were given up, and why. The
    parameters of applications are chosen here, by the profiles that are at hand."""
    from fheasible.accuracy import campaign
    from fheasible.accuracy.clustered import AccuracyOnCluster, profiles_of
    from fheasible.accuracy.evaluation import evaluate_each
    from fheasible.calibration.profiles import at_hand
    from fheasible.measurement.cluster import connected
    from fheasible.measurement.shared_store import place_for_hosts

    names = tuple(lib.name for lib in libraries)
    with connected(address) as client, session.store() as store:
        hosts = AccuracyOnCluster(client, names, store, place_for_hosts(session.place), session.say)
        campaigns = [
            campaign.of_operations(libraries, quick) if kinds[0] else None,
            _applications(session, libraries, at_hand(store, names), files) if kinds[1] else None,
        ]
        found: list[list[Record]] = []
        for kind, one in zip(("operations", "applications"), campaigns, strict=True):
            with session.progress(f"running {kind}") as step:
                found.append(hosts.records(one, step) if one else [])
        profiles = profiles_of(store, [*found[0], *found[1]])
        return evaluate_each(found[0], found[1], profiles), hosts.lost


def _applications(
    session: TerminalSession,
    libraries: Sequence["Library"],
    profiles: Mapping[str, "Profile"],
    files: Sequence[Path] | None,
) -> "Campaign":
    from fheasible.accuracy.applications import choices, examples
    from fheasible.accuracy.campaign import of_applications

    with session.progress("exploring") as step, redirect_stdout(sys.stderr):
        return of_applications(choices(files or examples(), libraries, profiles, step))


def _announce(
    session: TerminalSession,
    store: "Store",
    campaigns: Sequence["Campaign"],
    profiles: Mapping[str, "Profile"],
) -> None:
    from fheasible import units
    from fheasible.accuracy.campaign import Outlook, outlook

    found = sum((outlook(c, store, profiles) for c in campaigns), start=Outlook(0, 0, 0.0))
    kept = f", of which {found.stored} are stored already" if found.stored else ""
    session.say(f"{found.runs} runs{kept}: about {units.seconds(found.seconds)}")
    if found.stored < found.runs:
        session.say(
            "The machine should be idle. You may interrupt this at any time: the next call continues it."
        )


def _answer(
    session: TerminalSession,
    found: "Evaluation",
    report: Path | None,
    csv: Path | None,
    lost: Sequence[str] = (),
) -> int:
    if csv:
        _write_csv(found, csv)
        session.say(f"written: {csv}")
    if report:
        from fheasible.reports import accuracy as page

        page.write(found, report)
        session.say(f"written: {report}")
    session.answer(found.to_json() | {"given_up": list(lost)}, _rendered(found, lost))
    if any(r.outcome == "wrong" for r in found.failures):
        return _WRONG
    return 1 if found.failures else 0


def _write_csv(found: "Evaluation", path: Path) -> None:
    from fheasible.accuracy.figures import COLUMNS, rows
    from fheasible.reports.tables import write_csv

    write_csv(path, COLUMNS, rows(found))


def _rendered(found: "Evaluation", lost: Sequence[str]) -> Iterator[Any]:
    from fheasible.accuracy.words import MACHINES, by_machine, circumstances, target
    from fheasible.cli.tables import paragraph, table

    if found.operations:
        yield from _operations(found)
    if found.applications:
        yield from _applied(found.applications)
    if found.machines:
        yield table(MACHINES, by_machine(found), left=("machine", "processor"))
        yield ""
    columns = ("error of", "statistic", "target", "found", "met")
    yield table(columns, map(target, found.verdicts), left=("error of", "statistic"))
    yield ""
    for r in found.failures:
        yield paragraph(f"{r.outcome}:", f"{r.label}: {r.message}")
    yield from (paragraph("given up:", said) for said in lost)
    yield from (paragraph("measured:", circumstances(m)) for m in found.each)


def _operations(found: "Evaluation") -> Iterator[Any]:
    from fheasible import units
    from fheasible.accuracy.errors import errors, worst
    from fheasible.accuracy.words import STATISTICS, cell, sentence, statistics
    from fheasible.cli.tables import paragraph, table

    yield paragraph(
        "CPU time of",
        sentence(errors(found.operations), "operations, all in contexts that were not calibrated"),
    )
    yield ""
    for names in (("library", "scheme"), ("action",)):
        groups = [(*map(cell, group), *statistics(e)) for group, e in found.by(*names).items()]
        yield table((*names, *STATISTICS), groups, left=names)
        yield ""
    for o in worst(found.operations, WORST):
        yield paragraph("worst:", f"{units.percent(o.error)} {o.label} ({units.seconds(o.cpu.measured)})")
    if found.key_generation:
        yield paragraph("apart:", sentence(errors(found.key_generation), "key generations"))
    yield ""


def _applied(rows: Sequence["ComparedApplication"]) -> Iterator[Any]:
    from fheasible.accuracy.errors import errors
    from fheasible.accuracy.words import sentence
    from fheasible.cli.tables import paragraph, table

    yield paragraph("CPU time of", sentence(errors(rows), "whole applications"))
    yield ""
    columns = ("application", "setting", "N", "predicted", "measured", "error", "memory", "sizes")
    yield table(columns, map(_application, rows), left=("application", "setting", "N"))
    yield ""


def _application(a: "ComparedApplication") -> tuple[str, ...]:
    from fheasible import units
    from fheasible.accuracy.words import share, title

    total = a.cpu["total"]
    sizes = max((abs(f.error) for f in a.sizes.values()), default=None)
    return (
        a.name,
        title(a.library, a.scheme, a.technique),
        units.power_of_two(a.n),
        units.seconds(total.predicted),
        units.seconds(total.measured),
        units.percent(total.error),
        units.percent(a.peak.error) if a.peak else units.ABSENT,
        share(sizes, 2),
    )
