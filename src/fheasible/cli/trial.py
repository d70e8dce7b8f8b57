"""fheasible trial: random applications, explored and really run, to find what is wrong with Fheasible."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.session import Session
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.trial.application import Application
    from fheasible.trial.found import Found
    from fheasible.trial.runner import Scope
    from fheasible.trial.summary import Errors, Group, Summary

Json = dict[str, Any]
_SHOWN = 10  # failing applications whose source is printed
_MOST_APPLICATIONS = 1_000_000  # years of work: more is a slip of the hand
_GIB = 2**30


def trial(
    session: Session,
    count: Annotated[
        int, typer.Option(min=1, max=_MOST_APPLICATIONS, metavar="N", help="How many applications.")
    ] = 50,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Of all that is random: the same applications everywhere.")
    ] = 0,
    only: Annotated[
        list[int] | None,
        typer.Option(min=0, metavar="I", help="Only the application of that number; may be repeated."),
    ] = None,
    library: options.Libraries = None,
    scheme: options.Scheme = None,
    runners_up: Annotated[
        int, typer.Option(min=0, metavar="N", help="Run so many others of each library and scheme, too.")
    ] = 0,
    doubts: Annotated[
        bool,
        typer.Option(
            "--doubts/--no-doubts", help="Where nothing fits, run a richer set to see whether that is so."
        ),
    ] = True,
    most_seconds: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Leave out sets that are predicted to run longer.")
    ] = 60.0,
    most_memory: Annotated[
        float, typer.Option(min=0, metavar="GIB", help="Leave out sets that are predicted to take more.")
    ] = 8.0,
    shrink: Annotated[
        float,
        typer.Option(
            min=0, metavar="SECONDS", help="Spent on making each failing application small; 0: none."
        ),
    ] = 60.0,
    save: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write failing applications there, as Python files.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every run, predicted beside measured.")
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the applications, and run nothing.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Run what is stored of an earlier, equal trial again.")
    ] = False,
) -> int:
    """Try Fheasible with random applications.

    Applications as users write them are explored, and the best set of every library and scheme is really
    run: is the result right, and as fast as was said? Failing ones are made as small as they can be, and
    shown with the command that repeats them. Every application is stored as soon as it is done: an
    interrupted trial goes on where it stopped. The exit code is 3 where a result was wrong, 1 where a
    library refused or died, something crashed, or what was said not to fit fits.

    \b
    Example:
      fheasible trial --count 20
      fheasible trial --count 500 --seed 7 --library seal --scheme ckks --save failing
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
        raise UsageError(f"--save {save} is no folder", "name a folder, or one that is not there yet")
    check(csv)
    here = installed_of(session, libraries_of(library, scheme), named=library is not None)
    scope = Scope(
        tuple(lib.name for lib in here), scheme, runners_up, doubts, most_seconds, most_memory * _GIB,
        session.place,
    )  # fmt: skip
    found: list[Found] = []
    with session.store() as store, session.progress("trial") as step:
        for one in tried(seed, numbers, scope, store, step, shrink, anew):
            found.append(one)
            for fault in one.faults:
                session.say(f"application {one.number}: {fault}")
            if one.faults and save is not None:
                _save(one, save)
    if csv is not None:
        _write(csv, found)
    return _answer(session, found, scope, seed)


def _listed(session: Session, seed: int, numbers: Sequence[int]) -> int:
    from fheasible.trial.generator import application

    apps = [application(seed, number) for number in numbers]
    documents = [{"source": app.source, "options": app.options} | app.to_json() for app in apps]
    session.answer(documents, (line for app in apps for line in _shown(app)))
    return 0


def _shown(app: "Application") -> Iterator[str]:
    yield f"# fheasible verify {app.name}.py {' '.join(app.options)}".rstrip()
    yield app.source


def _save(one: "Found", folder: Path) -> None:
    from fheasible.trial.application import Application
    from fheasible.trial.files import write

    folder.mkdir(parents=True, exist_ok=True)
    write(Application.from_json(one.shrunk or one.app), folder)


def _write(path: Path, found: Sequence["Found"]) -> None:
    from fheasible.cli.streams import CsvRows, appearing
    from fheasible.trial.table import COLUMNS, rows

    with appearing(path) as stream:
        CsvRows(stream, COLUMNS).write(rows(found))


def _answer(session: Session, found: Sequence["Found"], scope: "Scope", seed: int) -> int:
    from fheasible.libraries.catalogue import library
    from fheasible.measurement.environment import observe
    from fheasible.trial.generator import VERSION
    from fheasible.trial.summary import exit_code, summary

    made, failing = summary(found), [f for f in found if f.faults]
    document = {
        "seed": seed,
        "generator": VERSION,
        "libraries": {name: library(name).version for name in scope.libraries},
        "summary": made.to_json(),
        "failing": [_document(f) for f in failing],
        "environment": observe("trial", 1, seed).to_json(),
    }
    session.answer(document, _rendered(made, failing, seed))
    return exit_code(found)


def _document(f: "Found") -> Json:
    from fheasible.trial.application import Application

    app = Application.from_json(f.shrunk or f.app)
    return {
        "number": f.number,
        "faults": [str(fault) for fault in f.faults],
        "source": app.source,
        "options": app.options,
        "trace": f.trace,
    }


def _rendered(made: "Summary", failing: Sequence["Found"], seed: int) -> Iterator[Any]:
    from fheasible.trial.application import Application

    for f in failing[:_SHOWN]:
        yield f"application {f.number}"
        yield from (f"  {fault}" for fault in f.faults)
        yield f"  again: fheasible trial --seed {seed} --only {f.number} --anew"
        yield ""
        yield from _shown(Application.from_json(f.shrunk or f.app))
    if len(failing) > _SHOWN:
        yield f"... and {len(failing) - _SHOWN} more: --save DIR, or --json"
        yield ""
    yield from _tables(made)
    yield from _sentences(made)


def _tables(made: "Summary") -> Iterator[Any]:
    from fheasible.cli.tables import table
    from fheasible.trial.found import FAULTS, LEFT_OUT, RIGHT

    names = [o for o in (RIGHT, *FAULTS, LEFT_OUT) if any(o in g.outcomes for g in made.groups)]
    columns = ("set", *names, "nothing fits", "tested", "untrue")
    yield table(columns, ([g.name, *_outcomes(g, names)] for g in made.groups), left=("set",))
    yield ""
    columns = (
        "set",
        "runs",
        "busy",
        "time off",
        "95 %",
        "bias",
        "in band",
        "memory off",
        "precision",
        "missed",
    )
    yield table(columns, (_figures(g) for g in made.groups), left=("set",))
    yield ""


def _outcomes(g: "Group", names: Sequence[str]) -> list[str]:
    return [*(str(g.outcomes.get(name, 0)) for name in names), str(g.unfit), str(g.doubted), str(g.refuted)]


def _figures(g: "Group") -> list[str]:
    from fheasible.cli.tables import share

    def said(ratio: float | None) -> str:
        return "" if ratio is None else share(ratio)

    p, time = g.precision, g.time
    off = "" if p.median_difference is None else f"{p.median_difference:+.1f} bit"
    missed = f"{p.missed_once} of {p.runs}" if p.runs else ""
    return [
        g.name, str(time.runs), str(time.busy), said(time.median), said(time.percentile_95), said(time.bias),
        said(time.inside), _memory(g.memory), off, missed,
    ]  # fmt: skip


def _memory(errors: "Errors") -> str:
    from fheasible.cli.tables import share

    return "" if errors.median is None else f"{share(errors.median)} of {errors.runs}"


def _sentences(made: "Summary") -> Iterator[str]:
    from fheasible.cli.tables import paragraph, share
    from fheasible.units import seconds

    yield paragraph(
        "columns:",
        "runs: above 20 ms of CPU time, and busy: more of them, beside which the machine was slower than at "
        "its best; time off: of the runs, in the median and at the 95th percentile; bias: "
        "predicted above measured, in the median; in band: runs within the error band that was told; memory: "
        "in fresh processes alone; precision: measured less predicted; missed: less precise than "
        "asked, at first.",
    )
    said = ", ".join(f"{n} {name}" for name, n in made.outcomes.items())
    faults = ", ".join(f"{n} {name}" for name, n in made.faults.items()) or "none"
    took = made.exploring_seconds
    yield paragraph("applications:", f"{made.applications}: {said}; faults: {faults}.")
    for why, times in made.declined.items():
        yield paragraph("declined:", f"{why} ({times})")
    yield paragraph(
        "exploring:",
        f"{seconds(took['median'])} in the median, {seconds(took['percentile_95'])} at the 95th percentile, "
        f"{seconds(took['most'])} at most; {share(made.explored_within_a_second)} within a second.",
    )
