"""fheasible study: a paper's experiments run anew, and its claims judged."""

import time
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
    from fheasible.studies.experiment import Experiment
    from fheasible.studies.results import Results
    from fheasible.studies.running import Outcome, Progress, StudyStep
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
def _list(
    session: TerminalSession,
    stored: Annotated[
        bool, typer.Option("--stored", help="Also count the stored sets of each, which takes half a minute.")
    ] = False,
) -> None:
    """List the studies.

    \b
    Example:
      fheasible study list --json
      fheasible study list --stored
    """
    _show_list(session, stored)


def _show_list(session: TerminalSession, stored: bool = False) -> None:
    from fheasible.studies.catalogue import STUDIES

    with session.store() as store:
        documents = [
            _listed(study) | (_counted(_results(store, study), study) if stored else {})
            for study in STUDIES.values()
        ]
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
    predict_only: Annotated[
        bool, typer.Option("--predict-only", help="Execute nothing: what is predicted for every set.")
    ] = False,
    max_memory: options.MaxMemory = None,
    cluster: options.Cluster = None,
) -> int:
    """Execute a study's experiments.

    Every result is stored at once, so that the next call continues an interrupted run. A set that needs
    more memory than is available is refused with the predicted figure. The machine should be idle, and
    calibrated (fheasible calibrate; --library reference for ring schemes), since a study shows predictions
    beside what it measures. With --cluster, every host of a Dask cluster executes one set at a time
    (docs/clusters.md).

    \b
    Example:
      fheasible study run panthers --quick
      fheasible study run ckks-parameters --predict-only
      fheasible study run panthers --only fv-log_q --max-memory 4096
    """
    from fheasible.studies import running
    from fheasible.studies.catalogue import study as named

    study = named(name)
    chosen = [study.experiment(one) for one in only] if only else list(study.experiments)
    if predict_only:
        _refuse_hosts(cluster)
        return _predict(session, study, chosen, quick)
    limit = None if max_memory is None else int(max_memory * 2**20)
    with session.store() as store, session.progress(f"study {study.name}") as step:
        there = _results(store, study)
        todo = running.steps(chosen, quick, there)
        if cluster is None:
            outcome = running.whole(store, study.name, todo, there, limit, step)
        else:
            outcome = _on_cluster(session, cluster, study, todo, store, limit, step)
    session.answer(_ran(study, todo, outcome), _rendered_run(study, todo, outcome))
    return _code(outcome)


def _refuse_hosts(cluster: str | None) -> None:
    from fheasible.errors import UsageError

    if cluster is not None:
        raise UsageError("--cluster has hosts that run sets, and --predict-only runs none", "leave one out")


def _on_cluster(
    session: TerminalSession, address: str, study: "Study", todo: "Sequence[StudyStep]", store: "Store",
    limit: int | None, progress: "Progress",
) -> "Outcome":  # fmt: skip
    from fheasible.measurement.cluster import connected
    from fheasible.measurement.shared_store import place_for_hosts
    from fheasible.studies.clustered import StudyOnCluster

    begun = time.monotonic()
    with connected(address) as client:
        place = place_for_hosts(session.place)
        outcome = StudyOnCluster(client, study.name, store, place, session.say, limit).outcome(todo, progress)
    outcome.seconds = time.monotonic() - begun
    return outcome


def _predict(session: TerminalSession, study: "Study", chosen: "Sequence[Experiment]", quick: bool) -> int:
    """Shows what is predicted for every set."""
    with session.store(reading=True) as store:
        there = _results(store, study, stored=False)
    begun = time.perf_counter()
    with session.progress(f"study {study.name}") as step:
        for i, experiment in enumerate(chosen):
            step(experiment.name, i, len(chosen))
            there.predictions(experiment)
    taken = time.perf_counter() - begun
    documents = [_predicted(e, there, quick) for e in chosen]
    session.answer(
        {"study": study.name, "seconds": taken, "experiments": documents},
        _rendered_predictions(study, documents, taken),
    )
    return 0


def _predicted(experiment: "Experiment", there: "Results", quick: bool) -> Json:
    told = there.predictions(experiment)
    cells = [
        {"set": dict(c.parameters), "predicted": dict(told[c.key].figures), "refused": told[c.key].refused}
        for c in experiment.chosen(quick)
    ]
    return {"experiment": experiment.name, "title": experiment.title, "sets": cells}


def _rendered_predictions(study: "Study", documents: Sequence[Json], taken: float) -> Iterator[Any]:
    from fheasible.cli.tables import table
    from fheasible.units import seconds

    columns = ("experiment", "sets", "refused", "CPU time, least", "largest", "N")
    yield table(columns, [_predicted_row(d) for d in documents], left=columns[:1])
    count = sum(len(d["sets"]) for d in documents)
    yield f"{count} sets predicted in {seconds(taken)}; nothing was executed"
    yield f"next: fheasible study report {study.name}; fheasible study run {study.name} --quick"


def _predicted_row(document: Json) -> tuple[str, ...]:
    from fheasible.units import power_of_two, seconds

    figures = [s["predicted"] for s in document["sets"] if not s["refused"]]
    times = [t for f in figures if (t := f.get("cpu_seconds")) is not None]
    rings = sorted({int(n) for f in figures if (n := f.get("ring_dimension") or f.get("n"))})
    spans = (seconds(min(times)), seconds(max(times))) if times else ("-", "-")
    refused = len(document["sets"]) - len(figures)
    said = " to ".join(dict.fromkeys(power_of_two(n) for n in (rings[0], rings[-1]))) if rings else "-"
    return (document["experiment"], str(len(document["sets"])), str(refused), *spans, said)


@app.command("report")
@verb
def _report(
    session: TerminalSession,
    name: Name,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="FINGERPRINT",
            help="Show the results of this machine, such as imported ones; by default those of this one.",
        ),
    ] = None,
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
        there = _results(store, study, machine=machine)
    folder = out or Path(f"study-{study.name}")
    title = f"{study.title}: {study.paper}"
    judged = _judged(study, there)
    summary = study.summary(there, judged) if study.summary else ()
    written = report.write(folder, title, study.chapters(there), judged, there, summary)
    document = {"study": study.name, "page": str(written[0]), "files": [str(path) for path in written]}
    session.answer(document, [f"{written[0]}, with {len(written) - 1} figures and tables beside it"])


@app.command("claims")
@verb
def _claims(session: TerminalSession, name: Name) -> None:
    """A paper's claims: reproduced, not reproduced (and why), not run yet, or not to be tested here.

    \b
    Example:
      fheasible study claims panthers --json
    """
    from fheasible.studies.catalogue import study as named

    study = named(name)
    with session.store() as store:
        judged = _judged(study, _results(store, study))
    session.answer([one.to_json() for one in judged], _rendered_claims(study, judged))


def _results(store: "Store", study: "Study", machine: str | None = None, stored: bool = True) -> "Results":
    """What is stored of the study, with the prices of the machine for predictions. Nothing without `stored`.
    UsageError for a machine without results."""
    from fheasible.errors import UsageError
    from fheasible.measurement.machine import this_machine
    from fheasible.studies.results import Results, load, prices

    here, profiles = this_machine().fingerprint, prices(store)
    if not stored:
        return Results(study.name, here, {}, profiles)
    found = load(store, study.name, study.experiments, here, profiles, machine)
    if machine is not None and not found.rows:
        known = sorted({other.machine for other in found.others})
        others = f"results of {study.name} are stored from {', '.join(known)}" if known else "none are stored"
        raise UsageError(f"there are no results of machine {machine}; {others}", "leave --machine out")
    return found


def _judged(study: "Study", there: "Results") -> "Sequence[JudgedClaim]":
    from fheasible.studies.claim import judged

    return judged(study.claims, there)


def _code(outcome: "Outcome") -> int:
    """The exit code: 3 for wrong results, 1 for runs that died or overran their time, else 0. A refusal for
    memory is an answer."""
    if outcome.count("wrong"):
        return 3
    return 1 if outcome.count("died") or outcome.count("timed out") else 0


def _listed(study: "Study") -> Json:
    sets = {
        kind: sum(len(e.chosen(quick)) for e in study.experiments)
        for kind, quick in (("sets", False), ("quick_sets", True))
    }
    names = [e.name for e in study.experiments]
    own = {"name": study.name, "title": study.title, "paper": study.paper, "reference": study.reference}
    return own | sets | {"claims": len(study.claims), "experiments": names}


def _counted(there: "Results", study: "Study") -> Json:
    return {"stored": sum(len(there.of(e)) for e in study.experiments), "machine": there.machine}


def _rendered_list(documents: Sequence[Json]) -> Iterator[Any]:
    from fheasible.cli.tables import table

    rows = [
        (
            d["name"],
            f"{d['stored']} of {d['sets']} stored" if "stored" in d else str(d["sets"]),
            str(d["quick_sets"]),
            str(len(d["experiments"])),
            str(d["claims"]),
            d["paper"],
        )
        for d in documents
    ]
    columns = ("study", "sets", "of --quick", "experiments", "claims", "paper")
    yield table(columns, rows, left=("study", "paper"))


def _ran(study: "Study", todo: "Sequence[StudyStep]", outcome: "Outcome") -> Json:
    from fheasible.store.schema import OUTCOMES

    troubles = [
        {"experiment": row.experiment, "set": dict(row.cell.parameters),
         "outcome": row.outcome, "message": row.message}
        for row in outcome.rows if row.outcome != "measured"
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
        if row.outcome != "measured":
            head = f"{row.outcome}: {row.experiment}, {row.cell}:"
            yield paragraph(head, row.message)
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
        if one.finding.cause:
            yield paragraph("  cause:", one.finding.cause)
        if one.claim.caution:
            yield paragraph("  caution:", one.claim.caution)
    yield ""
    counts = [one.finding.verdict.value for one in judged]
    yield ", ".join(f"{counts.count(v)} {v}" for v in dict.fromkeys(counts))
    if study.caution:
        yield paragraph("caution:", study.caution)
