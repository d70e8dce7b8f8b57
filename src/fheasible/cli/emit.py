"""fheasible emit: the recommended set as code for a library."""

from pathlib import Path
from typing import Annotated

import typer

from fheasible.cli import options
from fheasible.cli.pinned import settings_of
from fheasible.cli.session import TerminalSession
from fheasible.emission.targets.names import NAMES
from fheasible.units import listing


def emit(
    session: TerminalSession,
    app: options.App,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="TARGET",
            help=f"The library and the language: {listing(NAMES, 'or')}.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="The folder to write. Only files that an earlier emit wrote, and nobody changed, are "
            "replaced.",
        ),
    ],
    wishes: options.Wishes,
    param: options.Params = None,
) -> None:
    """Write an application as code for a library: client, server, build file and parameters.

    The client makes keys, encrypts and decrypts; the server evaluates. They are two processes that exchange
    files in the library's own format, and the secret key stays with the client. The code computes what
    `run` computes, with the same operations, and the README says how to build and run it.

    It writes the set that `explore` recommends for the target's library; with --param, as in `run`, the
    given one. Nothing is executed.

    \b
    Example:
      fheasible emit examples/2_std_dev.py --to seal-python --precision 15 --out std_dev
      fheasible emit examples/3_depth_ten.py --to lattigo-go --scheme bgv --out depth_ten
    """
    from fheasible.api.emitting import emit as emitted
    from fheasible.api.text import TextPage
    from fheasible.cli.tables import painter, width

    made = emitted(app, to, out, wishes.options(), settings_of(param) if param else None, session)
    session.answer(made.document, made.lines(TextPage(width(), painter())))
