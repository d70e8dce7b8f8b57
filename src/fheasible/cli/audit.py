"""fheasible audit: the parameter sets in somebody's code or configuration, judged."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession

if TYPE_CHECKING:
    from fheasible.auditing.audited import Audited


def audit(
    session: TerminalSession,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Code or configuration: .py, .cpp, .h (and the like), .go, .yml or .yaml. It is never "
            "executed.",
        ),
    ],
    app: Annotated[
        str | None,
        typer.Option(
            metavar="APP",
            help="An application, as explore takes it: what the search recommends for it is shown beside.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="BITS|KIND:ERROR", help="With --app: the least precision, as in explore."),
    ] = None,
) -> int:
    """Judge the parameter sets in code or configuration.

    For each set: what it is, how secure, which depth and precision it allows, how large its ciphertexts and
    keys are, what is wrong with it, and what to take instead. Nothing of the file is executed; what it does
    not say with fixed values is told as not read.

    Understood are OpenFHE (C++ and Python), SEAL (C++ and Python), TenSEAL, Lattigo's literals in Go, and
    Orion's YAML. The exit code is 1 if a set is insecure.

    \b
    Example:
      fheasible audit mlp.yml
      fheasible audit server.cpp --json
      fheasible audit context.py --app examples/2_std_dev.py --precision 15
    """
    from fheasible.api.audit_text import recommended
    from fheasible.auditing.audited import audit as audited
    from fheasible.errors import UsageError

    if precision is not None and app is None:
        raise UsageError("--precision is for the search that --app asks for", "give --app APP too")
    found = audited(file)
    with session.progress("judging the sets"):
        sets = [one.to_json() for one in found]
    beside = recommended(app, _searched(session, app, precision)) if app is not None else None
    document = {"file": str(file), "sets": sets, "recommended": beside}
    session.answer(document, _rendered(str(file), found, beside))
    return 1 if any(one.insecure for one in found) else 0


def _searched(session: TerminalSession, app: str, precision: str | None) -> Json:
    """The document of the search for the application."""
    from fheasible.api.options import Options
    from fheasible.api.platforms import platform_of

    asked = Options(precision=precision)
    return platform_of(()).explore(app, asked, session).document


def _rendered(file: str, found: Sequence["Audited"], beside: Json | None) -> Iterator[str]:
    from fheasible.api.audit_text import lines, recommendation
    from fheasible.cli.tables import width

    for i, one in enumerate(found):
        if i:
            yield ""
        yield from lines(file, one, width())
    if beside is not None:
        yield ""
        yield recommendation(beside, width())
