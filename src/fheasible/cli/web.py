"""fheasible web: the page that a browser shows."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from fheasible import units
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError


def web(
    session: TerminalSession,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address at which the page is served. By default, only this machine reaches it.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=65535, help="The port of the server. 0 means a free port."),
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Also open the page in your browser.")] = False,
    static: Annotated[
        Path | None,
        typer.Option(
            "--static",
            metavar="FOLDER",
            help="Do not start a server. Write the page with predictions for the examples as a file, which "
            "any web host can serve.",
        ),
    ] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --static: write only this example, such as 4. It may be repeated. By default, the "
            "page has all examples.",
        ),
    ] = None,
) -> None:
    """Show a page on which you write an application and move sliders.

    The page has a list of objectives, sliders for security, for precision or failures, for threads and for
    memory, and a field for a data file. The recommendation, the figure and the reasons follow them. The page
    can also verify a recommendation on this machine.

    The command prints the address of the page. The address holds a token, and the server answers nobody
    without it. Whoever has the address can execute Python on this machine, so keep it to yourself. Only this
    machine can reach the server, unless --host gives another address. Ctrl-C ends the server and everything
    that it has started.

    \b
    Example:
      fheasible web
      fheasible web --port 8080 --browser
      fheasible web --static site
      fheasible web --static site --example 2 --example 4
    """
    from fheasible.extras import need

    need("web", "the pages of fheasible web")
    if static is not None:
        _write(session, static, example or [])
        return
    if example:
        raise UsageError(
            "--example needs --static", "give --static FOLDER, or choose the example on the page"
        )
    _serve(session, host, port, browser)


def _serve(session: TerminalSession, host: str, port: int, browser: bool) -> None:
    from fheasible.web.serving import is_local, serve

    if not is_local(host):
        session.say(
            f"warning: other machines can reach {host}. Whoever has the address below can execute Python on "
            "this machine, and the address is sent without encryption."
        )

    def opened(address: str, own: int) -> None:
        session.answer({"address": address, "port": own}, [address])
        sys.stdout.flush()
        session.say("Ctrl-C ends the server")
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(host, port, session.place, opened)
    session.say("the server has ended")


def _write(session: TerminalSession, folder: Path, names: list[str]) -> None:
    from fheasible.cli.streams import check
    from fheasible.web import static

    which = static.chosen(names)
    check(folder / static.PAGE)
    with session.progress("exploring") as step:
        path = static.write(folder, which, session.place, lambda name, done, total: step(name, done, total))
    size = path.stat().st_size
    session.answer(
        {"file": str(path), "bytes": size, "examples": [e.called for e in which]},
        [
            f"{path}: {len(which)} example{'s' * (len(which) != 1)}, {units.size(size)}. Any web host can "
            "serve it."
        ],
    )
