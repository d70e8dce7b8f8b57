"""fheasible precision: predicted precision and noise budgets beside those of many encryptions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import StoreError, UsageError

if TYPE_CHECKING:
    from fheasible.accuracy.noise_grid import NoiseCase
    from fheasible.accuracy.noise_verdict import NoiseJudgement
    from fheasible.libraries.library import Library

_MOST = 8  # cases that are named


def precision(
    session: TerminalSession,
    library: options.Libraries = None,
    scheme: options.Scheme = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use only small rings, and 8 encryptions instead of 32.")
    ] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Run nothing, and judge what earlier calls have stored.")
    ] = False,
    app: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="An application; may be repeated. By default the first four examples and three more.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page with figures and all tables.")
    ] = None,
) -> int:
    """Compare predicted precision and noise budgets with real runs.

    Each program is run on 32 encryptions, under eight sets of keys, over a grid of scales, chains, rings and
    techniques, and at secure sizes. CKKS is judged by the precision of the results, BFV and BGV by the
    remaining noise budget. Every run is stored, so that the next call continues an interrupted one, and
    --stored judges the same runs again after predictions have changed. All of it takes half an hour.

    \b
    Example:
      fheasible precision --quick --library seal
      fheasible precision --stored --report precision.html
    """
    from fheasible.cli.streams import check
    from fheasible.cli.which import installed_of, libraries_of

    if stored and quick:
        raise UsageError(
            "--stored runs nothing, and --quick would choose what to run", "leave one of them out"
        )
    check(report, drawn=True)
    wanted = libraries_of(library, scheme)
    here = wanted if stored else installed_of(session, wanted, named=library is not None)
    found = _judged(session, _cases(here, app, quick), quick, stored)
    if report:
        from fheasible.reports import noise as page

        page.write(found, report)
        session.say(f"written: {report}")
    session.answer(found.to_json(), _rendered(found))
    return 0


def _cases(libraries: Sequence["Library"], apps: Sequence[str] | None, quick: bool) -> list["NoiseCase"]:
    from fheasible.accuracy.noise_grid import applications, cases

    found = list(cases(apps or applications(), libraries, secure=not quick))
    if not found:
        schemes = dict.fromkeys(scheme.upper() for lib in libraries for scheme in lib.schemes)
        raise UsageError(
            f"{', '.join(schemes)} cannot run {', '.join(apps or applications())} in any of the sets here",
            "real numbers need --scheme ckks; leave --scheme out for all schemes that fit",
        )
    return found


def _judged(
    session: TerminalSession, cases: Sequence["NoiseCase"], quick: bool, stored: bool
) -> "NoiseJudgement":
    from fheasible.accuracy import noise_runs
    from fheasible.accuracy.noise_verdict import judge

    with session.store() as store:
        if stored:
            records = noise_runs.stored(cases, store)
            if not records:
                raise StoreError("no such runs are stored", "run fheasible precision without --stored")
        else:
            with session.progress("encrypting") as step:
                passes = noise_runs.QUICK_KEYS if quick else noise_runs.KEYS
                records = noise_runs.run(cases, store, passes, step)
    return judge(cases, records)


def _rendered(found: "NoiseJudgement") -> Iterator[Any]:
    from fheasible.accuracy import noise_words as words
    from fheasible.cli.tables import paragraph, table

    yield table(words.GROUP_COLUMNS, map(words.group_cells, found.groups), left=("setting",))
    yield ""
    for row in found.missed()[:_MOST]:
        yield paragraph("missed:", f"{row.label}: {words.off(row)}")
    for failure in found.unforeseen[:_MOST]:
        yield paragraph(f"{failure.outcome}:", f"{failure.label}: {failure.message}")
    yield paragraph("result:", f"{words.sentence(found)}. {words.target()}")
    yield paragraph("measured:", words.footer(found))
