"""fheasible sweep: one analysis for each of many parameter sets, and really running them where asked."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.api.platform import SomeSets, Swept

USUAL = "reference"  # the library whose sets are swept where none is named


def sweep(
    session: TerminalSession,
    limits: options.Limits,
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
    numbers: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="K=VALUES",
            help="A number that the application's file names at its top, such as n = 32, with other values.",
        ),
    ] = None,
    library: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            metavar="NAME",
            help="The library whose parameters are swept; reference (the default) names the ring schemes.",
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For an application: ckks, bgv or bfv of a library; of reference fv (the default), yashe, "
            "fntru or shield.",
        ),
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
    execute: Annotated[
        bool, typer.Option("--execute/--predict-only", help="Also run each set, or only predict it.")
    ] = False,
    every: Annotated[
        int, typer.Option("--every", min=1, metavar="K", help="With --execute: run every K-th set only.")
    ] = 1,
    points: Annotated[
        int,
        typer.Option("--points", min=1, metavar="P", help="With --execute: number of calibration points."),
    ] = 3,
    repetitions: options.Repetitions = 3,
    data: options.Data = None,
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
    cluster: options.Cluster = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write everything as JSON.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw every figure over each swept parameter.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page with the sets and every figure.")
    ] = None,
) -> int:
    """Predict many parameter sets of a library or of a ring scheme.

    For an application with a library, it shows time, memory, sizes, precision and security of every set, and
    where the ring grows. For a ring scheme, it shows operations, memory, depth and security. With --execute
    each set is also run and shown beside its prediction. Every result is stored at once, so that the next
    call continues an interrupted sweep. With --cluster, every host of a Dask cluster runs one set at a time
    (docs/clusters.md).

    \b
    Example:
      fheasible sweep examples/2_std_dev.py --library openfhe --vary scale_bits=30:59 security=128,192
      fheasible sweep fv --vary log_q=100:300:10 --fix log_w=2 t=2 n=4096 --report fv.html
      fheasible sweep examples/7_ten_products.py --vary log_w=4:44:4 log_q=300 n=4096 --execute
    """
    from fheasible.api.asking import named
    from fheasible.api.options import Options
    from fheasible.api.platform import Execution, Sweeping, TypedGrid
    from fheasible.api.platforms import platform_of

    memory = limits.limit()
    if memory is not None and not execute:
        raise UsageError("--memory-limit limits runs, and nothing is run", "add --execute")
    if data is not None and cluster is not None:
        raise UsageError(
            "--data stays on this machine, and --cluster runs on others", "leave one of them out"
        )
    asked = Options(libraries=tuple(named(library or [USUAL])), scheme=scheme, data=data, seed=seed)
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    how = Sweeping(
        function=function,
        minimise_depth=order,
        execution=Execution(repetitions=repetitions, timeout=timeout, memory=memory) if execute else None,
        every=every,
        points=points,
        max_bytes=None if max_memory is None else int(max_memory * MIB),
        again=again,
        cluster=cluster,
    )
    typed = TypedGrid(tuple(vary or ()), tuple(fix or ()), tuple(settings or ()), tuple(numbers or ()))
    swept, places = platform.sweep(what, typed, asked, how, session), _Places(csv, out, figures, report)
    if execute:
        places.check()
    return _shown(session, swept, places)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where results go besides the terminal."""

    csv: Path | None
    out: Path | None
    figures: Path | None
    report: Path | None

    def check(self) -> None:
        """Raises UsageError unless all the files can be written."""
        from fheasible.cli.streams import check

        check(self.csv)
        check(self.out)
        check(self.figures and self.figures / "figure.svg", drawn=True)
        check(self.report, drawn=True)


def _shown(session: TerminalSession, swept: "Swept", places: _Places) -> int:
    """The exit code of a sweep, which is carried out, written and answered."""
    from fheasible.api.text import TextPage
    from fheasible.cli.tables import width

    swept.prepare()
    drawn = list(_drawn(swept, places.figures))  # before any output, because it may fail
    drawn += [] if places.report is None else [str(places.report)]
    _write(swept, places, drawn, session.as_json)
    _report(swept, places.report)  # of the sets that have just been written
    if not session.as_json:
        session.answer({}, swept.lines(TextPage(width()), drawn))
    return swept.exit_code


def _drawn(swept: "Swept", folder: Path | None) -> Iterator[str]:
    """The files of the figures, each when it is written."""
    if folder is None:
        return
    from fheasible.reports.charts import write

    for name, figure in swept.drawings():
        write(figure, folder / f"{name}.svg")
        yield str(folder / f"{name}.svg")


def _report(swept: "Swept", path: Path | None) -> None:
    """Writes the page, where one is asked for."""
    if path is None:
        return
    from fheasible.api import pages

    title, *parts = swept.lines(pages.WIDE, [])
    pages.write(pages.page(str(title), parts, [figure for _, figure in swept.drawings()]), path)


def _write(swept: "Swept", places: _Places, drawn: Sequence[str], on_stdout: bool) -> None:
    """Writes the table and the documents that were asked for, row by row."""
    from fheasible.cli.streams import CsvRows, JsonRows, appearing

    with ExitStack() as files:
        tables, documents = [], []
        if places.csv is not None:
            tables.append(CsvRows(files.enter_context(appearing(places.csv)), swept.columns))
        for path in ([places.out] if places.out is not None else []) + ([None] if on_stdout else []):
            stream = files.enter_context(appearing(path))
            documents.append(JsonRows(stream, swept.fields, swept.head))

        def each(some: "SomeSets") -> None:
            for table in tables:
                table.write(some.rows)
            for document in documents:
                document.write(some.values)

        swept.sets(each)
        for document in documents:
            document.end(swept.tail(drawn))
