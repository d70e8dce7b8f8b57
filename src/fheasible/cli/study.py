"""fheasible study: a paper's experiments run anew, and its claims judged."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli import options
from fheasible.cli.session import TerminalSession, verb

if TYPE_CHECKING:
    from fheasible.store.store import Store
    from fheasible.studies.claim import JudgedClaim
    from fheasible.studies.results import Results
    from fheasible.studies.running import Outcome, StudyStep
    from fheasible.studies.study import Study


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of a study, as `fheasible study list` shows it.")
]

app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)


@app.callback()
@verb
def _study(ctx: typer.Context) -> None:
    """Repeat a paper's experiments, and judge its claims.

    Published, predicted and measured figures are shown side by side.

    \b
    Example:
      fheasible study list
      fheasible study run panthers --quick
      fheasible study claims panthers
    """
    if ctx.invoked_subcommand is None:
        _show_list(ctx.obj)


@app.command("list")
@verb
def _list(session: TerminalSession) -> None:
    """List the studies, and how much of each is stored.

    \b
    Example:
      fheasible study list --json
    """
    _show_list(session)


def _show_list(session: TerminalSession) -> None:
    from fheasible.studies.catalogue import STUDIES

    with session.store() as store:
        documents = [_listed(study, _results(store, study)) for study in STUDIES.values()]
    session.answer({"studies": documents}, _rendered_list(documents))


@app.command("run")
@verb
def _run(
    session: TerminalSession,
    name: Name,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run fewer sets and repetitions, in minutes.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="EXPERIMENT", help="Only this experiment; may be repeated. All by default."),
    ] = None,
    max_memory: options.MaxMemory = None,
) -> int:
    """Execute a study's experiments.

    Every result is stored at once, so that the next call continues an interrupted run. A set that needs
    more memory than is available is refused with the predicted figure. The machine should be idle.

    \b
    Example:
      fheasible study run panthers --quick
      fheasible study run panthers --only fv-log_q --max-memory 4096
    """
    from fheasible.studies import running
    from fheasible.studies.catalogue import study as named

    study = named(name)
    chosen = [study.experiment(one) for one in only] if only else list(study.experiments)
    limit = None if max_memory is None else int(max_memory * 2**20)
    todo = running.steps(chosen, quick)
    with session.store() as store, session.progress(f"study {study.name}") as step:
        outcome = running.whole(store, study.name, todo, _results(store, study), limit, step)
    session.answer(_ran(study, todo, outcome), _rendered_run(study, todo, outcome))
    return _code(outcome)


@app.command("report")
@verb
def _report(
    session: TerminalSession,
    name: Name,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder; by default study-NAME in this folder.")
    ] = None,
) -> None:
    """Write one HTML page with all tables and figures, and each of them as CSV, SVG and PNG beside it.

    \b
    Example:
      fheasible study report panthers --out panthers
    """
    from fheasible.studies import report
    from fheasible.studies.catalogue import study as named

    study = named(name)
    with session.store() as store:
        there = _results(store, study)
    folder = out or Path(f"study-{study.name}")
    title = f"{study.title}: {study.paper}"
    written = report.write(folder, title, study.chapters(there), _judged(study, there), there)
    document = {"study": study.name, "page": str(written[0]), "files": [str(path) for path in written]}
    session.answer(document, [f"{written[0]}, with {len(written) - 1} figures and tables beside it"])


@app.command("claims")
@verb
def _claims(session: TerminalSession, name: Name) -> None:
    """A paper's claims: reproduced, not reproduced, or not testable here, with the evidence.

    \b
    Example:
      fheasible study claims panthers --json
    """
    from fheasible.studies.catalogue import study as named

    study = named(name)
    with session.store() as store:
        judged = _judged(study, _results(store, study))
    session.answer([one.to_json() for one in judged], _rendered_claims(study, judged))


def _results(store: "Store", study: "Study") -> "Results":
    from fheasible.measurement.machine import this_machine
    from fheasible.studies.results import load

    return load(store, study.name, study.experiments, this_machine().fingerprint)


def _judged(study: "Study", there: "Results") -> "Sequence[JudgedClaim]":
    from fheasible.studies.claim import judged

    return judged(study.claims, there)


def _code(outcome: "Outcome") -> int:
    """The exit code: 3 for wrong results, 1 for runs that died or overran their time, else 0. A refusal for
    memory is an answer."""
    if outcome.count("wrong"):
        return 3
    return 1 if outcome.count("died") or outcome.count("timed out") else 0


def _listed(study: "Study", there: "Results") -> Json:
    sets = {
        kind: sum(len(e.chosen(quick)) for e in study.experiments)
        for kind, quick in (("sets", False), ("quick_sets", True))
    }
    stored = sum(len(there.of(e)) for e in study.experiments)
    names = [e.name for e in study.experiments]
    own = {"name": study.name, "title": study.title, "paper": study.paper, "reference": study.reference}
    return own | sets | {"stored": stored, "machine": there.machine, "experiments": names}


def _rendered_list(documents: Sequence[Json]) -> Iterator[Any]:
    from fheasible.cli.tables import table

    rows = [
        (
            d["name"],
            f"{d['stored']} of {d['sets']}",
            str(d["quick_sets"]),
            str(len(d["experiments"])),
            d["paper"],
        )
        for d in documents
    ]
    columns = ("study", "stored sets", "of --quick", "experiments", "paper")
    yield table(columns, rows, left=("study", "paper"))


def _ran(study: "Study", todo: "Sequence[StudyStep]", outcome: "Outcome") -> Json:
    from fheasible.store.schema import OUTCOMES

    troubles = [
        {"experiment": row.entry.request["experiment"], "set": dict(row.cell.parameters),
         "outcome": row.entry.outcome, "message": row.entry.message}
        for row in outcome.rows if row.entry.outcome != "measured"
    ]  # fmt: skip
    counts = {name.replace(" ", "_"): outcome.count(name) for name in OUTCOMES}
    own = {"study": study.name, "sets": len(todo), "stored_before": outcome.kept}
    made = {"executed": len(outcome.rows), "wall_seconds": outcome.seconds}
    return own | made | counts | {"troubles": troubles, "caution": study.caution}


def _rendered_run(study: "Study", todo: "Sequence[StudyStep]", outcome: "Outcome") -> Iterator[Any]:
    from fheasible.cli.tables import paragraph
    from fheasible.units import seconds

    took = seconds(outcome.seconds)
    yield f"{len(todo)} sets: {outcome.kept} were stored, {len(outcome.rows)} executed in {took}"
    for row in outcome.rows:
        if row.entry.outcome != "measured":
            head = f"{row.entry.outcome}: {row.entry.request['experiment']}, {row.cell}:"
            yield paragraph(head, row.entry.message)
    if study.caution:
        yield paragraph("caution:", study.caution)
    yield f"next: fheasible study claims {study.name}; fheasible study report {study.name}"


def _rendered_claims(study: "Study", judged: "Sequence[JudgedClaim]") -> Iterator[Any]:
    from fheasible.cli.tables import paragraph

    for one in judged:
        yield paragraph(f"{one.finding.verdict}:", one.claim.claim)
        yield paragraph("  published:", one.claim.published)
        yield paragraph("  ours:", one.finding.ours)
        yield paragraph("  evidence:", one.finding.evidence)
    yield ""
    counts = [one.finding.verdict.value for one in judged]
    yield ", ".join(f"{counts.count(v)} {v}" for v in dict.fromkeys(counts))
    if study.caution:
        yield paragraph("caution:", study.caution)
