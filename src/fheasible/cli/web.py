"""fheasible web: the page that a browser shows."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError


def web(
    session: TerminalSession,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The address to serve: by default one that only this machine has."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; by default a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Also open the page in the browser.")] = False,
    static: Annotated[
        Path | None,
        typer.Option(
            "--static",
            metavar="FOLDER",
            help="Serve nothing, but write the page with the predictions for the examples as a file that any "
            "web host can serve.",
        ),
    ] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --static: only this example, such as 4; may be repeated. All by default.",
        ),
    ] = None,
) -> None:
    """Show a page on which one writes an application and moves sliders.

    The page has sliders for security, precision or failures, and memory. The recommendation, the figure and
    the reasons follow them. It can verify a recommendation on this machine, and stop that.

    The address that is printed holds a token, without which nothing is answered. Whoever has it can execute
    Python on this machine, so keep it to yourself. Only this machine can reach the server, unless --host says
    otherwise. Ctrl-C ends it, with everything that it has started.

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
        raise UsageError("--example is an option of --static", "choose the example on the page")
    _serve(session, host, port, browser)


def _serve(session: TerminalSession, host: str, port: int, browser: bool) -> None:
    from fheasible.web.serving import is_local, serve

    if not is_local(host):
        session.say(
            f"warning: other machines can reach {host}, and whoever has the address below can execute Python "
            "on this one; the address is sent without encryption"
        )

    def opened(address: str, own: int) -> None:
        session.answer({"address": address, "port": own}, [address])
        sys.stdout.flush()
        session.say("Ctrl-C ends the server")
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(host, port, session.place, opened)
    session.say("ended")


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
            f"{path}: {len(which)} example{'s' * (len(which) != 1)}, {size / 2**20:.1f} MiB. Any web host "
            "can serve it."
        ],
    )
