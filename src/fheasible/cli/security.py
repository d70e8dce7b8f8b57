"""fheasible security: how hard a parameter set is to break, by the estimator and by the tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession
from fheasible.errors import DataError, UsageError

if TYPE_CHECKING:
    from fheasible.api.security import SecurityAnswer
    from fheasible.api.text import TextPage
    from fheasible.security.assessment import Assessed, AssessedSets

_PICTURE = Path("security.svg")
_FIGURES = (  # the columns of a set in CSV; what each library's own table says comes before the last
    "problem", "n", "log_q", "secret", "sigma", "model", "quantum", "bits", "attack", "block_size",
    "standard_bits", "overstretched",
)  # fmt: skip


def security(
    session: TerminalSession,
    n: Annotated[
        list[int] | None,
        typer.Option("--n", metavar="N", help="Ring degree, or LWE dimension; may be repeated."),
    ] = None,
    log_q: Annotated[
        list[float] | None,
        typer.Option(
            metavar="BITS", help="log2 of the whole modulus QP; may be repeated. With --sweep: both ends."
        ),
    ] = None,
    secret: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="ternary, gaussian, binary, or sparse:h with h coefficients that are not 0."
        ),
    ] = "ternary",
    ephemeral: Annotated[
        str | None,
        typer.Option(
            metavar="H:BITS",
            help="Judge the ephemeral secret of a bootstrapping too: its H coefficients that are not 0, and "
            "log2 of its modulus, q0 times the first special prime.",
        ),
    ] = None,
    sigma: Annotated[float, typer.Option(metavar="S", help="Standard deviation of the errors.")] = 3.19,
    problem: Annotated[
        str,
        typer.Option(metavar="NAME", help="rlwe (also for LWE), or ntru for the keys of YASHE and F-NTRU."),
    ] = "rlwe",
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Cost model of lattice reduction: matzov (the default), bdgl16 or adps16; for quantum "
            "attackers chaloy21 (the default with --quantum), adps16_quantum or laamospol14.",
        ),
    ] = None,
    quantum: Annotated[
        bool, typer.Option("--quantum", help="Assume attackers with quantum computers.")
    ] = False,
    sets: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Judge many sets, from columns n and log_q, and secret and sigma where they differ.",
        ),
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Draw security over log2 q for each n.")] = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help=f"With --sweep: .svg, .png, .html or .json; {_PICTURE} by default."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="With --sweep: write a page with the figure and the sets."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every set as a row.")] = None,
) -> None:
    """Estimate how hard a parameter set is to break.

    The answer has the cheapest known attack and its cost by today's estimates, what the standards and the
    libraries' own tables say about the set, what that means in plain words, and what to take instead.

    \b
    Example:
      fheasible security --n 16384 --log-q 438 --secret ternary
      fheasible security --n 65536 --log-q 1546 --secret sparse:192 --ephemeral 32:121
      fheasible security --n 4096 --log-q 106 --problem ntru --json
      fheasible security --n 8192 --n 16384 --sweep --figure security.png
      fheasible security --sweep --report security.html
      fheasible security --sets sets.csv --csv judged.csv
    """
    from fheasible.api.security import Judging
    from fheasible.cli.streams import check

    _refuse_mixtures(n, log_q, sets, sweep, figure, report)
    judging = Judging(secret=secret, sigma=sigma, problem=problem, model=model, quantum=quantum)
    if ephemeral is not None:
        ring, modulus = _one_set(n, log_q, alone=not (sets or sweep or csv))
        answer = judging.of_bootstrapping(ring, modulus, ephemeral)
        session.answer(answer.document, answer.lines(_page()))
        return
    picture = (figure or (None if report else _PICTURE)) if sweep else None
    check(picture, drawn=True)
    check(report, drawn=True)
    check(csv)
    if sweep:
        answer = judging.sweep(n or (), log_q or ())
        answer.document["figures"] += [str(path) for path in _drawn(answer, picture, report)]
    elif sets:
        answer = judging.of_assessed(_read(sets, secret, sigma), full=False)
    else:
        answer = judging.of_sets(n or (), log_q or ())
    if csv is not None and answer.found is not None:
        _write_csv(answer.found, csv)
    session.answer(answer.document, answer.lines(_page()))


def _page() -> "TextPage":
    from fheasible.api.text import TextPage
    from fheasible.cli.tables import width

    return TextPage(width())


def _drawn(answer: "SecurityAnswer", picture: Path | None, report: Path | None) -> Iterator[Path]:
    """Draws the sweep, as a figure and as a page where they are asked for."""
    drawing = answer.drawing()
    if picture is not None:
        from fheasible.reports import charts

        charts.write(drawing, picture)
        yield picture
    if report is not None:
        from fheasible.api import pages

        title = "How secure each ring dimension is with each modulus"
        pages.write(pages.page(title, answer.lines(pages.WIDE), [drawing]), report)
        yield report


def _refuse_mixtures(
    n: Sequence[int] | None,
    log_q: Sequence[float] | None,
    sets: Path | None,
    sweep: bool,
    figure: Path | None,
    report: Path | None,
) -> None:
    if sets and (n or log_q or sweep):
        raise UsageError(
            "--sets takes everything that is judged from its file", "leave --n, --log-q and --sweep out"
        )
    if (figure or report) and not sweep:
        name = "--figure" if figure else "--report"
        raise UsageError(f"{name} needs a sweep to draw", "add --sweep")
    if sweep and log_q and len(log_q) != 2:
        raise UsageError(
            "--sweep takes two values of --log-q, its ends",
            "write --log-q 100 --log-q 500, or leave --log-q out",
        )


def _one_set(n: Sequence[int] | None, log_q: Sequence[float] | None, alone: bool) -> tuple[int, float]:
    """The ring and the modulus of one set. UsageError for anything but that."""
    if not alone or len(n or ()) != 1 or len(log_q or ()) != 1:
        raise UsageError(
            "--ephemeral belongs to one set",
            "give one --n and one --log-q, without --sets, --sweep and --csv",
        )
    (ring,), (modulus,) = n or (), log_q or ()
    return ring, modulus


def _read(path: Path, secret: str, sigma: float) -> "AssessedSets":
    """The sets in the file. DataError, with the row, for a cell that is not a number."""
    import numpy as np

    from fheasible.reports.tables import read_csv
    from fheasible.security.assessment import AssessedSets

    if not path.is_file():
        raise DataError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}", "name a CSV file")
    columns, rows = read_csv(path)
    missing = [name for name in ("n", "log_q") if name not in columns]
    if missing or not rows:
        fault = f"has no column {' and '.join(missing)}" if missing else "has no rows"
        raise DataError(f"{path} {fault}", "the first line names the columns: n,log_q,secret,sigma")
    cells = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    numbers = {name: _numbers(path, name, cells[name]) for name in ("n", "log_q")}
    widths = _numbers(path, "sigma", cells.get("sigma", [sigma] * len(rows)))
    secrets = tuple(str(cell) for cell in cells.get("secret", [secret] * len(rows)))
    return AssessedSets(np.array(numbers["n"]), np.array(numbers["log_q"]), np.array(widths), secrets)


def _numbers(path: Path, name: str, cells: Sequence[Any]) -> list[float]:
    return [_number(f"{path}, row {i}: {name}", cell) for i, cell in enumerate(cells, start=1)]


def _number(place: str, cell: Any) -> float:
    """The cell as a number. A text that people read as a number counts as one, such as 430.50, though no
    program wrote it."""
    try:
        return float("no number" if cell is None or isinstance(cell, bool) else cell)
    except ValueError:
        raise DataError(f"{place} is {cell!r}", "write a number") from None


def _write_csv(found: "Assessed", path: Path) -> None:
    from fheasible.reports.tables import write_csv

    rows = (found.row(i) for i in range(len(found)))
    from fheasible.security.tables import ENFORCED

    names = (*_FIGURES[:-1], *(f"{library}_bits" for library in ENFORCED), _FIGURES[-1])
    write_csv(path, names, ([_cell(row, name) for name in names] for row in rows))


def _cell(row: Json, name: str) -> Any:
    library = name.removesuffix("_bits")
    return row["library_bits"].get(library) if library in row["library_bits"] else row[name]
