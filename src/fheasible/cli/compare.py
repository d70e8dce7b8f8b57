"""fheasible compare: stored measurements beside each other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.comparison.compare import ComparedAll, ComparedWork, Comparison
    from fheasible.comparison.runs import Side, Work

SLOWER = 4  # the exit code where something comparable got slower
SHOWN = 25  # works in the table
_COLUMNS = ("library", "what", "n", "level", "dig.", "A", "B", "B/A", "own", "interval", "verdict")
_OF_NAMES = ("library", "in all contexts", "B/A", "own", "interval", "verdict")
_LEFT = ("library", "what", "verdict")
_SELECTION = "a file of fheasible export, a results file or URL, or facts such as {}: see below."


def compare(
    session: TerminalSession,
    a: Annotated[
        str, typer.Argument(metavar="A", help="What was before: " + _SELECTION.format("before:2026-11-24"))
    ],
    b: Annotated[
        str, typer.Argument(metavar="B", help="What is now: " + _SELECTION.format("since:2026-11-24"))
    ],
    tolerance: Annotated[
        str,
        typer.Option(metavar="PERCENT", help="What may get slower by this much without being reported: 5%."),
    ] = "5%",
    every: Annotated[
        bool, typer.Option("--all", help=f"List every work, and not only the first {SHOWN}.")
    ] = False,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the ratios: a name that ends in .svg, .png, .json or .html."),
    ] = None,
) -> int:
    """Compare stored measurements: versions of a library, machines, dates, systems, compilers.

    A and B are each a list of terms with commas between them. LIBRARY or LIBRARY@VERSION, and FACT:VALUE with
    machine, cpu, os, build, commit, threads, scheme, app, campaign, since or before, choose among the runs of
    the store, or of the file or database that another term names. `all` chooses everything.

    Single operations are matched by library, scheme, action, ring, levels and layout, and applications by
    their circuit and parameters; where A is of one library and B of another, by what both have. Every kept
    sample counts. B/A is the ratio of times; `own` is that ratio divided by what all works have in common,
    since a machine is never twice equally fast. The interval is that of `own`, at 95 %. A difference is
    significant where it is more than chance at 95 %, corrected for the number of comparisons. The exit code
    is 4 where something got significantly slower by more than the tolerance: an operation or application, an
    operation in all its contexts, or everything together. It is 0 where the sides are not comparable, such as
    runs beside other processes; --json says so in "comparable".

    \b
    Example:
      fheasible compare lattigo@6.1.1 lattigo@6.2.0
      fheasible compare before.jsonl after.jsonl --tolerance 3%
      fheasible compare laptop.jsonl machine:ec19c14d,seal --figure ratios.svg
    """
    from fheasible.cli.streams import check
    from fheasible.comparison.compare import compare as compared
    from fheasible.comparison.selection import selection

    allowed = _share(tolerance)
    check(figure, drawn=True)
    sides = [_read(session, selection(text)) for text in (a, b)]
    found = compared(sides[0], sides[1], allowed)
    if figure is not None:
        _draw(session, found, figure)
    session.answer(found.to_json(), _rendered(found, every))
    return SLOWER if found.regressed else 0


def _read(session: TerminalSession, selected: Any) -> "Side":
    from fheasible.comparison.runs import read

    return read(selected, lambda: session.store(reading=True))


def _share(text: str) -> float:
    """The share that '5%', '5 %' or '5' stands for."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)\s*%?", text.strip())
    if not match:
        raise UsageError(f"--tolerance {text!r} is not a number of per cent", "write it like 5%")
    return float(match[1]) / 100


def _draw(session: TerminalSession, found: "Comparison", path: Path) -> None:
    from fheasible.reports import charts, comparison

    drawn = comparison.figure(found)
    if drawn is None:
        session.say(f"{path} is not drawn, because no ratio has an interval")
        return
    charts.write(drawn, path)
    session.say(f"written: {path}")


def _rendered(found: "Comparison", every: bool) -> Iterator[Any]:
    from fheasible.cli.tables import paragraph, table
    from fheasible.comparison.circumstances import short
    from fheasible.comparison.compare import ChangeVerdict

    for warning in found.circumstances.warnings:
        yield paragraph("not comparable:", warning)
    if found.circumstances.differences:
        rows = [(d.fact, short(d.a), short(d.b)) for d in found.circumstances.differences]
        yield table(("differs", "A", "B"), rows, left=("differs", "A", "B"))
    yield ""
    changed = [n for n in found.names if n.verdict is not ChangeVerdict.ALIKE]
    if changed:
        yield table(_OF_NAMES, map(_named, changed), ("library", "in all contexts", "verdict"))
        yield ""
    shown = found.works if every else found.works[:SHOWN]
    yield table(_COLUMNS, map(_row, shown), _LEFT, gap=1)
    if len(shown) < len(found.works):
        yield f"{len(found.works) - len(shown)} more: --all lists them"
    yield ""
    yield paragraph("B against A:", " ".join(_summary(found)))


def _named(n: "ComparedAll") -> tuple[str, ...]:
    r = n.ratio
    return (
        _setting(n), n.name, f"{r.value:.3f}", f"{r.own:.3f}", f"{r.low or 0:.2f}-{r.high or 0:.2f}",
        n.verdict.value,
    )  # fmt: skip


def _setting(of: "ComparedAll | Work") -> str:
    from fheasible.api.naming import title

    return f"{title(of.library)} {of.scheme.upper()}".strip()


def _row(w: "ComparedWork") -> tuple[str, ...]:
    from fheasible import units

    r, work = w.ratio, w.work
    interval = units.ABSENT if r.low is None else f"{r.low:.2f}-{r.high:.2f}"
    return (
        _setting(work), work.title, units.power_of_two(work.n), work.at,
        str(work.digits or units.ABSENT), units.seconds(w.a), units.seconds(w.b), f"{r.value:.3f}",
        f"{r.own:.3f}", interval, w.verdict.value,
    )  # fmt: skip


def _summary(found: "Comparison") -> Iterator[str]:
    """What came of the comparison, as sentences."""
    from fheasible.comparison.compare import ChangeVerdict
    from fheasible.comparison.ratios import Basis
    from fheasible.comparison.runs import APPLICATION, OPERATION

    counts = {verdict: len(found.having(verdict)) for verdict in ChangeVerdict}
    kinds = " and ".join(
        f"{len(works):,} {kind}{'s' * (len(works) != 1)}"
        for kind in (OPERATION, APPLICATION)
        if (works := found.of_kind(kind))
    )
    told = ", ".join(f"{count:,} {verdict.value}" for verdict, count in counts.items() if count)
    yield f"{kinds} on both sides: {told}. The tolerance is {100 * found.tolerance:g} %."
    for t in found.together:
        r = t.ratio
        yield (
            f"All {t.kind}s together take {r.value:.3f} times as long ({r.low or 0:.2f} to "
            f"{r.high or 0:.2f}): {_MEANING[t.verdict.value]}."
        )
    if found.slower and not found.regressed:
        yield "What is slower is no finding, because the sides are not comparable: the exit code is 0."
    bases = {w.ratio.basis for w in found.works if w.ratio.low is not None}
    if Basis.RUNS in bases or Basis.SAMPLES in bases:
        yield _SINGLE
    if counts[ChangeVerdict.UNKNOWN]:
        yield "Two runs on each side are needed to judge a work."
    if found.only_a or found.only_b:
        yield f"Not compared: {found.only_a:,} that only A has, and {found.only_b:,} that only B has."
    if found.left_out:
        yield f"{found.left_out} rows of another version of Fheasible were left out."


_MEANING = {
    "slower": "everything got slower",
    "faster": "everything got faster",
    "tolerated": "a difference within the tolerance",
    "alike": "a machine differs as much from one session of measuring to the next",
}
_SINGLE = (
    "Some works were measured in a single session, or by a single run, on one side: their intervals do not "
    "hold what differs between sessions. Measure A and B in turn, twice each, to know."
)
