"""fheasible explore: what could run the application, best first, and why."""

import shlex
import sys
import traceback
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.cli import options
from fheasible.cli.pinned import PinnedWishes
from fheasible.cli.session import TerminalSession
from fheasible.errors import FheasibleError

if TYPE_CHECKING:
    from fheasible.api.platform import Found


def explore(
    session: TerminalSession,
    app: options.App,
    wishes: PinnedWishes,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Explore everything, and show the best set of every kind and the whole Pareto front.",
        ),
    ] = False,
    top: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="How many rows the table has, without --all."),
    ] = 8,
    why: Annotated[
        bool,
        typer.Option("--why", help="Give all reasons for the recommendation and against everything else."),
    ] = False,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="FILE|-",
            help="Explore everything, and write a line for every feasible set as it is found. With -, "
            "the lines go to stdout and the answer goes to stderr. Only --json tells which sets "
            "are on the Pareto front, because that is known at the end.",
        ),
    ] = None,
) -> int:
    """Find what could run an application, best first.

    Nothing is executed. Five lines say what to use, why, with which margins, what comes second, and how to
    prove it; the table shows the best sets, and --why gives all reasons.

    All libraries are explored, whether they are installed or not: those that compute on vectors (OpenFHE,
    SEAL, Lattigo) beside those that look up tables on small integers (TFHE-rs, BinFHE), which suit
    comparisons. The exit code is 1 if nothing fits; the answer then gives the reasons. With --library
    reference the ring schemes are explored instead.

    \b
    Example:
      fheasible explore examples/2_std_dev.py --security 128 --precision 15
      fheasible explore examples/2_std_dev.py --precision 15 --why --top 20
      fheasible explore examples/1_sum_of_products.py --precision absolute:1e-3
      fheasible explore examples/4_inner_product.py --scheme bfv --objective memory --json
      fheasible explore examples/2_std_dev.py --objective communication --csv sets.csv
      fheasible explore examples/7_ten_products.py --library tfhe_rs --failure 128
      fheasible explore examples/7_ten_products.py --library reference --objective compromise
    """
    from fheasible.api.platforms import platform_of
    from fheasible.cli.sets import writing

    asked = wishes.options()
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    with writing(csv, session.as_json, session.say) as each:
        everything = show_all or each is not None
        answer = platform.explore(app, asked, session, everything, each)
    with session.progress("explaining"):
        answer.prepare()  # this may search again, with less asked
    proof = f"fheasible verify {shlex.quote(app)} {wishes.typed}".rstrip()
    try:
        _show(session, answer, everything=show_all, rows=top, why=why, proof=proof, on_stderr=csv == "-")
        if each is not None and csv != "-":
            session.say(f"{csv}: {each.count:,} sets, one per line")
    finally:  # the answer is stored even if its reader stops after a line
        _keep(session, answer, proof)
    return 0 if answer.fits else 1


def _show(session: TerminalSession, answer: "Found", on_stderr: bool, **how: Any) -> None:
    from fheasible.api.layout import text_of
    from fheasible.api.text import TextPage
    from fheasible.cli.tables import painter, wide, width

    if on_stderr:
        page = TextPage(width(), wide=wide(), **how)
        for line in text_of(answer.lines(page), page.width):
            session.say(line)
        return
    page = TextPage(width(), painter(), wide=wide(), **how)
    session.answer(answer.document, answer.lines(page))
    sys.stdout.flush()


def _keep(session: TerminalSession, answer: "Found", proof: str) -> None:
    """Stores the answer for reports. The answer has been given already, so a failure here is only a
    warning."""
    try:
        answer.keep(session.store, proof)
    except Exception as error:  # the answer is out, and stdout takes no second document
        if session.debug:
            traceback.print_exception(error, file=sys.stderr)
        said = error.message if isinstance(error, FheasibleError) else f"{type(error).__name__}: {error}"
        session.say(f"warning: this answer was not stored, so no report can show it: {said}")
