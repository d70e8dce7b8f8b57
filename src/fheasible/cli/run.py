"""fheasible run: one library's real run of an application."""

from typing import Annotated

import typer

from fheasible.cli import options
from fheasible.cli.pinned import settings_of
from fheasible.cli.session import TerminalSession


def run(
    session: TerminalSession,
    app: options.App,
    library: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of a library, as `fheasible libraries list` shows it, or reference for the ring "
            "schemes.",
        ),
    ],
    wishes: options.Basics,
    limits: options.Limits,
    param: options.Params = None,
    composites: Annotated[
        bool,
        typer.Option(
            "--composites",
            help="With --param: compute sums and series with the library's own functions, where it has them.",
        ),
    ] = False,
    repetitions: options.RunRepetitions = None,
    timeout: options.Timeout = None,
    counters: options.Counters = False,
) -> int | None:
    """Run an application on one library.

    It shows every time and size, and the result beside the cleartext result.

    Without --param it takes the best candidate of an exploration of that library. With --param it takes the
    given parameters and the library's defaults for the rest (scheme: ckks for real numbers, else bgv);
    security=none allows toy parameters. Ring schemes (--library reference; scheme: fv) take n, log_q and
    log_w, however small; t follows from the application.

    \b
    Example:
      fheasible run examples/4_inner_product.py --library seal --counters
      fheasible run examples/4_inner_product.py --library openfhe --scheme ckks --param scale_bits=40
      fheasible run examples/7_ten_products.py --library tfhe_rs --param message=4 --param carry=4 \\
        --param set=MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128
      fheasible run examples/7_ten_products.py --library reference --as-written \\
        --param n=4096 --param log_q=281 --param log_w=28
    """
    from fheasible.api.platform import Execution
    from fheasible.api.platforms import platform_of
    from fheasible.cli.ran import shown

    asked = wishes.asked([library])
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    how = Execution(
        repetitions=repetitions,
        timeout=timeout,
        params=settings_of(param) if param else None,
        composites=composites,
        counters=counters,
        memory=limits.limit(),
    )
    return shown(session, platform.run(app, asked, how, session))
