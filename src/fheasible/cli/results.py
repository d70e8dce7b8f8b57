"""fheasible results: what was measured, read back from the store."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession, verb

if TYPE_CHECKING:
    from pathlib import Path

    from fheasible.store.rows import StoredMeasurement

NEWEST = 20
KEPT = 20  # rows of each kind that stay when the rest is removed
_CIRCUMSTANCES = ("cpu", "os", "version", "threads", "load_before", "seed")

app = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
)


@app.callback()
@verb
def _results(ctx: typer.Context) -> int | None:
    """Show the stored results, newest first.

    \b
    Example:
      fheasible results
      fheasible results show 7
      fheasible results check
    """
    return _listed(ctx.obj, NEWEST, None, None, None) if ctx.invoked_subcommand is None else None


@app.command("list")
@verb
def _list(
    session: TerminalSession,
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="The largest number of results to show.")
    ] = NEWEST,
    app: Annotated[str | None, typer.Option(metavar="NAME", help="Only this application.")] = None,
    library: Annotated[str | None, typer.Option(metavar="NAME", help="Only this library.")] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            help="Only this outcome: measured, refused, died, killed for memory, timed out, or wrong.",
            metavar="WHAT",
        ),
    ] = None,
) -> int:
    """List the newest results: what was run where, the outcome, CPU time and precision.

    \b
    Example:
      fheasible results list --app std_dev --limit 5
    """
    return _listed(session, limit, app, library, outcome)


@app.command("show")
@verb
def _show(
    session: TerminalSession,
    number: Annotated[int, typer.Argument(metavar="ID", help="The number of a result.")],
) -> None:
    """Show everything that is known about one result: parameters, samples, environment.

    \b
    Example:
      fheasible results show 7 --json
    """
    with session.store(reading=True) as store:
        found = store.show(number)
    session.answer(_document(found), _rendered(found))


@app.command("check")
@verb
def _check(
    session: TerminalSession,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Set damaged rows aside: they stay stored, but are no longer read."),
    ] = False,
) -> int:
    """Check every stored row for damage.

    Each row has a checksum, unless an older version stored it. A damaged row is left out wherever results
    are read, and is named here. The exit code is 1 if a damaged row is not yet set aside.

    \b
    Example:
      fheasible results check
      fheasible results check --repair
    """
    with session.store(reading=not repair) as store:
        found = store.check()
        if repair:
            store.set_aside(found)
        place = store.place
    document = {
        "store": place,
        "damaged": [{"table": d.table, "id": d.row, "reason": d.reason} for d in found],
        "set_aside": repair,
    }
    said = [f"{d}{': set aside' if repair else ''}" for d in found]
    remedy = [] if repair or not found else ["remedy: fheasible results check --repair"]
    session.answer(document, [*said, *remedy] if found else [f"{place}: no row is damaged"])
    return 1 if found and not repair else 0


@app.command("prune")
@verb
def _prune(
    session: TerminalSession,
    keep: Annotated[
        int,
        typer.Option(min=0, max=10**9, metavar="N", help="How many of each kind are kept, the newest first."),
    ] = KEPT,
) -> None:
    """Make the results file smaller.

    It keeps the newest N explorations of each application, the newest N results of each application, library
    and scheme, the newest profile of each machine, library and version, and every sample of a campaign.

    \b
    Example:
      fheasible results prune --keep 5
    """
    from pathlib import Path

    from fheasible.units import size

    with session.store() as store:
        before = _bytes(Path(store.place))
        gone = store.prune(keep)
        after = _bytes(Path(store.place))
        place = store.place
    went = ", ".join(f"{number:,} {name}" for name, number in gone.items() if number)
    sizes = f"{size(before)} before, {size(after)} now; " if before is not None else ""
    session.answer(
        {"store": place, "removed": gone, "bytes_before": before, "bytes_after": after},
        [f"{place}: {sizes}removed: {went or 'nothing'}"],
    )


def _bytes(path: "Path") -> int | None:
    """The size of a results file; None for a database on a server, which gives space back by itself."""
    return path.stat().st_size if path.is_file() else None


def _listed(
    session: TerminalSession, limit: int, app: str | None, library: str | None, outcome: str | None
) -> int:
    from fheasible.cli.tables import table
    from fheasible.store.schema import OUTCOMES

    if outcome is not None and outcome not in OUTCOMES:
        from fheasible.errors import UsageError

        raise UsageError(f"there is no outcome {outcome!r}", f"choose one of {', '.join(OUTCOMES)}")
    with session.store(reading=True) as store:
        found = store.measurements(app, library and library.lower(), outcome=outcome, limit=limit)
    columns = ("id", "date (UTC)", "application", "library", "scheme", "outcome", "CPU time", "precision")
    shown = table(columns, [_row(m) for m in found], left=columns[1:6])
    chosen = app is not None or library is not None or outcome is not None
    none = "no results match" if chosen else "no results yet"
    session.answer({"results": [_summary(m) for m in found]}, [shown] if found else [none])
    return 0


def _summary(m: "StoredMeasurement") -> Json:
    e, measured = m.entry, m.entry.measurement or {}
    return {
        "id": m.id,
        "created": m.created,
        "app": e.app,
        "library": e.library,
        "scheme": e.scheme,
        "outcome": e.outcome,
        "cpu_seconds": measured.get("cpu_seconds", {}).get("total", {}).get("min"),
        "precision_bits": measured.get("precision_bits"),
        "message": e.message,
    }


def _row(m: "StoredMeasurement") -> tuple[str, ...]:
    from fheasible.api.naming import title
    from fheasible.units import bits, seconds

    s = _summary(m)
    date = s["created"][:16].replace("T", " ")
    exact = s["outcome"] == "measured" and s["scheme"] != "ckks"
    precision = "exact" if exact else bits(s["precision_bits"])
    named = (s["app"], title(s["library"]), s["scheme"].upper(), s["outcome"])
    return (str(s["id"]), date, *named, seconds(s["cpu_seconds"]), precision)


def _document(m: "StoredMeasurement") -> Json:
    return {"id": m.id, "created": m.created, **asdict(m.entry), "environment": m.environment}


def _rendered(m: "StoredMeasurement") -> Iterator[Any]:
    from fheasible.api.naming import setting
    from fheasible.cli.tables import table
    from fheasible.units import seconds, size

    e, at = m.entry, m.environment
    yield f"result {m.id} of {m.created}: {e.app} on {setting(e.library, e.scheme)}, {e.outcome}"
    if e.message:
        yield e.message
    yield ""
    facts = [(f"--param {name}", _fact(value)) for name, value in e.request.items()]
    if e.measurement:
        cpu = e.measurement["cpu_seconds"]
        facts += [(f"CPU {phase}, least", seconds(timing["min"])) for phase, timing in cpu.items()]
        facts.append(("peak memory", size(e.measurement["peak_bytes"])))
    facts += [
        (name, _fact(at.get(name))) for name in ("cpu", "os", "version", "threads", "load_before", "seed")
    ]
    yield table(("what", "was"), facts, left=("what", "was"))
    yield from _counted(e.measurement or {})
    yield from _limited(e.measurement or {})
    yield "--json shows every sample and the whole environment"


def _counted(measured: Json) -> Iterator[Any]:
    """What each phase used; nothing for a result that an older version stored."""
    from fheasible.api.counted import counted
    from fheasible.cli.tables import width
    from fheasible.measurement.counters import Counters

    if measured.get("counters") is not None:
        yield ""
        yield from counted(Counters.from_json(measured["counters"]), width())


def _limited(measured: Json) -> Iterator[Any]:
    """What the run did under its limit on memory; nothing for a run without one."""
    from fheasible.api.limited import limited
    from fheasible.measurement.limited.usage import Usage

    if measured.get("limited") is not None:
        yield ""
        yield from limited(Usage.from_json(measured["limited"]))


def _fact(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
