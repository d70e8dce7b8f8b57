"""fheasible sweep: one analysis for each of many parameter sets, and really running them where asked."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli import options, sweep_report
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError, WrongResult
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.cli.streams import RowReceiver
    from fheasible.exploration.sweeps.executing import Calibration, Executed, SweepWish
    from fheasible.exploration.sweeps.grid import Grid
    from fheasible.exploration.sweeps.sweep import Subject


def sweep(
    session: TerminalSession,
    what: Annotated[
        str, typer.Argument(metavar="SCHEME|APP", help="fv, yashe, fntru, shield, or an application's file.")
    ],
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[K=V...]", help="More parameters, each with one or many values."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="K=VALUES",
            help="start:stop:step, start:stop:*factor, or a,b,c. Several of them form a grid.",
        ),
    ] = None,
    fix: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="One value for n, log_q, log_w, t or sigma.")
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="For an application: fv (the default), yashe, fntru or shield."),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--what",
            metavar="NAME",
            help="For a scheme: a function such as multiply; by default each function once.",
        ),
    ] = None,
    order: options.Order = None,
    execute: Annotated[bool, typer.Option("--execute", help="Also run each set.")] = False,
    points: Annotated[
        int,
        typer.Option("--points", min=1, metavar="P", help="With --execute: number of calibration points."),
    ] = 3,
    repetitions: options.Repetitions = 3,
    seed: options.Seed = 0,
    max_memory: Annotated[
        float | None,
        typer.Option(
            metavar="MIB",
            min=0,
            help="With --execute: refuse larger sets; by default 80 % of the free memory.",
        ),
    ] = None,
    timeout: options.Timeout = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also run sets whose results are stored already.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write everything as JSON.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw every figure over each swept parameter.")
    ] = None,
) -> int:
    """Analyse many parameter sets of a ring scheme.

    It shows operations, memory, depth and security, for thousands of sets per second. With --execute each set
    is also run, in a process of its own, and compared with what a calibration on a few points predicts. Every
    result is stored at once, so that the next call continues an interrupted sweep.

    \b
    Example:
      fheasible sweep fv --vary log_q=100:300:10 --fix log_w=2 t=2 n=4096
      fheasible sweep examples/7_ten_products.py --vary log_w=4:44:4 log_q=300 n=4096 --execute
    """
    from numpy import array

    from fheasible.exploration.sweeps.grid import grid

    wanted = grid(vary or (), fix or (), settings or ())
    chosen = _subject(what, scheme, function, order)
    chosen.check(array(wanted.values("t")))
    places = _Places(csv, out, figures, session.as_json)
    if not execute:
        return _analysed(session, chosen, wanted, places)
    from fheasible.exploration.sweeps.executing import SweepWish

    most = None if max_memory is None else int(max_memory * MIB)
    wish = SweepWish(repetitions, seed, most, timeout, again)
    return _executed(session, chosen, wanted, wish, points, places)


def _subject(what: str, scheme: str | None, function: str | None, order: bool | None) -> "Subject":
    """The function or application to sweep. UsageError for an option that has no meaning for it, because
    ignoring the option would run another sweep than was meant."""
    from fheasible.cli.subjects import is_application, subject

    if is_application(what):
        if function is not None:
            raise UsageError(
                f"{what} is an application, to which --what {function} does not apply", "leave --what out"
            )
        return subject(scheme or "fv", what, order)
    if scheme is not None:
        raise UsageError(
            f"{what} is a scheme already, but --scheme {scheme} was given, too",
            f"write sweep {scheme} ..., or name an application's file in place of {what}",
        )
    return subject(what, function or "all", order)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where results go besides the terminal. `stdout`: the JSON document is written there, row by row."""

    csv: Path | None
    out: Path | None
    figures: Path | None
    stdout: bool

    def check(self) -> None:
        """Raises UsageError unless all the files can be written."""
        from fheasible.cli.streams import check

        for path in (self.csv, self.out, self.figures and self.figures / "figure.svg"):
            check(path)


def _analysed(session: TerminalSession, chosen: "Subject", wanted: "Grid", places: _Places) -> int:
    """The exit code of an analysis. It takes a chunk of the grid at a time, so that a million sets need no
    more memory than a thousand."""
    from fheasible.exploration.sweeps.sweep import analyse, analyses

    names = tuple(analyse(chosen, [next(wanted.points())]).columns())
    drawn = list(_drawn(chosen, wanted, [], places.figures))  # before any output, because it may fail
    begun, cautions, shown = time.perf_counter(), sweep_report.Cautions(chosen), sweep_report.FirstRows()
    with ExitStack() as files, session.progress("analysing") as step:
        sinks = _sinks(files, places, names, names, _head(chosen, wanted))
        for found in analyses(chosen, wanted):
            cautions.add(found.columns())
            shown.add(names, found.rows())
            for sink in sinks:
                sink.write(found.rows())
            step("sets", cautions.count, len(wanted))
        tail = _tail([], drawn, time.perf_counter() - begun, cautions.lines())
        for sink in sinks:
            sink.end(tail)
    if not places.stdout:
        session.answer({}, sweep_report.analysed(chosen, wanted, shown.rows, tail))
    return 0


def _executed(
    session: TerminalSession,
    chosen: "Subject",
    wanted: "Grid",
    wish: "SweepWish",
    points: int,
    places: _Places,
) -> int:
    """The exit code of an execution. Each set is stored when it is done; the files are written when all are
    done."""
    from fheasible.exploration.sweeps.executing import calibrations, execute

    places.check()
    begun, cautions = time.perf_counter(), sweep_report.Cautions(chosen)
    with session.store() as store, session.progress("executing") as step:
        results = list(execute(chosen, wanted, wish, store, step))
    cautions.add_executed(results)
    calibrated, seconds = calibrations(wanted, results, points), time.perf_counter() - begun
    drawn = list(_drawn(chosen, wanted, calibrated, places.figures))
    tail = _tail(calibrated, drawn, seconds, cautions.lines())
    _write_executed(results, places, _head(chosen, wanted), tail)
    if not places.stdout:
        session.answer({}, sweep_report.executed(chosen, wanted, results, calibrated, tail))
    return _code({r.record.outcome for r in results})


def _code(outcomes: set[str]) -> int:
    """The exit code: 3 where a result is wrong although the noise bound promised a right one, 1 where a run
    died or took too long, else 0. A refusal for memory is an answer."""
    if "wrong" in outcomes:
        return WrongResult.exit_code
    return 1 if outcomes & {"died", "timed out"} else 0


def _write_executed(results: "Sequence[Executed]", places: _Places, head: Json, tail: Json) -> None:
    from fheasible.cli.streams import CsvRows

    own = tuple(results[0].figures)
    flat = (*own, "outcome", "cpu_seconds", "measured_peak_bytes", "result_correct", "message")
    with ExitStack() as files:
        for sink in _sinks(files, places, flat, (*own, "executed"), head):
            told = _flat if isinstance(sink, CsvRows) else _nested
            sink.write((*r.figures.values(), *told(r)) for r in results)
            sink.end(tail)


def _flat(r: "Executed") -> tuple[Any, ...]:
    cpu, peak = r.measured("cpu_seconds"), r.measured("peak_bytes")
    return r.record.outcome, cpu, None if peak is None else int(peak), r.correct, r.record.message


def _nested(r: "Executed") -> tuple[Any, ...]:
    return (r.to_json(),)


def _sinks(
    files: ExitStack, places: _Places, columns: Sequence[str], fields: Sequence[str], head: Json
) -> "list[RowReceiver]":
    """The sinks that were asked for: a table with those columns, and documents with those fields in every
    set."""
    from fheasible.cli.streams import CsvRows, JsonRows, appearing

    made: list[RowReceiver] = []
    if places.csv is not None:
        made.append(CsvRows(files.enter_context(appearing(places.csv)), columns))
    if places.out is not None:
        made.append(JsonRows(files.enter_context(appearing(places.out)), fields, head))
    if places.stdout:
        made.append(JsonRows(files.enter_context(appearing(None)), fields, head))
    return made


def _head(chosen: "Subject", wanted: "Grid") -> Json:
    head: Json = {
        "scheme": chosen.scheme.name,
        "what": chosen.what,
        "axes": {axis.name: list(axis.values) for axis in wanted.axes},
        "fixed": wanted.fixed,
        "count": len(wanted),
        "depth_needed": chosen.depth_needed,
    }
    if chosen.application is not None:
        head["operations"] = chosen.application.operations()
        head["minimised"] = chosen.application.minimised
    return head


def _tail(
    calibrated: "Sequence[Calibration]", drawn: Sequence[str], seconds: float, warnings: Sequence[str]
) -> Json:
    return {
        "seconds": seconds,
        "calibrations": [c.to_json() for c in calibrated],
        "figures": list(drawn),
        "warnings": list(warnings),
    }


def _drawn(
    chosen: "Subject", wanted: "Grid", calibrated: "Sequence[Calibration]", folder: Path | None
) -> Iterator[str]:
    if folder is None:
        return
    from fheasible.cli import sweep_figures
    from fheasible.reports.charts import write

    for name, figure in sweep_figures.figures(chosen, wanted, calibrated):
        write(figure, folder / f"{name}.svg")
        yield str(folder / f"{name}.svg")
