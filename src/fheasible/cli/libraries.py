"""fheasible libraries: which of them are installed, and how to install the others."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession, verb
from fheasible.errors import FheasibleError, LibraryMissing

app = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
)


@app.callback()
@verb
def _libraries(ctx: typer.Context) -> int | None:
    """List or install the libraries.

    Libraries that are not installed are listed with the command that installs them.

    \b
    Example:
      fheasible libraries
      fheasible libraries install openfhe
    """
    return list_libraries(ctx.obj) if ctx.invoked_subcommand is None else None


@app.command("list")
@verb
def _list(session: TerminalSession) -> int | None:
    """List every library with its version or, where its worker does not answer, the remedy.

    \b
    Example:
      fheasible libraries list --json
    """
    return list_libraries(session)


@app.command("install")
@verb
def _install(
    session: TerminalSession,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Names of libraries, as `fheasible libraries list` shows them. By default those that "
            "compute on vectors, with one build of each.",
        ),
    ] = None,
) -> int:
    """Make the environment that each library needs. A library is installed once its worker answers.

    Environments lie in the clone that Fheasible runs from, and otherwise in the folder of the user's data.
    Those that exist already are left as they are. The exit code is 0 only if all libraries are
    installed at the end.

    \b
    Example:
      fheasible libraries install
      fheasible libraries install tfhe_rs
    """
    from fheasible.libraries.catalogue import CATALOGUE
    from fheasible.measurement.install import install_all
    from fheasible.measurement.registry import command

    known = [
        command(name).library for name in names or CATALOGUE
    ]  # an unknown name fails before anything is done
    with session.progress("installing") as step:

        def say(line: str) -> None:
            step(line, 0, 0)
            session.say(line)

        errors = install_all(known, say)
    session.answer({"libraries": [_outcome(*item) for item in errors.items()]}, [*_told(errors)])
    return 1 if any(errors.values()) else 0


def _outcome(name: str, error: FheasibleError | None) -> Json:
    told = None if error is None else {"kind": error.kind, "message": error.message, "remedy": error.remedy}
    return {"library": name, "installed": error is None, "error": told}


def _told(errors: dict[str, FheasibleError | None]) -> Iterator[str]:
    for name, error in errors.items():
        yield f"{name}: {'installed' if error is None else f'not installed. Remedy: {error.remedy}'}"


def list_libraries(session: TerminalSession) -> int:
    from fheasible.api.naming import title
    from fheasible.cli.tables import table
    from fheasible.measurement.registry import libraries

    with session.progress("asking") as step:
        told = [_state(name, step, i) for i, name in enumerate(libraries())]
    rows = [
        (title(s["library"]), "yes" if s["installed"] else "no", s["version"] or "", s["runtime"] or "",
         " ".join(s["schemes"]).upper(), s["remedy"] or "")
        for s in told
    ]  # fmt: skip
    columns = ("library", "installed", "version", "runs in", "schemes", "remedy")
    session.answer({"libraries": told}, [table(columns, rows, left=columns)])
    return 0


def _state(name: str, step: Any, number: int) -> Json:
    """What the library's worker says, or what is wrong with it and the remedy."""
    step(name, number, 0)
    hello, error = greet(name)
    return {
        "library": name,
        "installed": hello is not None,
        "version": hello.version if hello else None,
        "binding": hello.binding if hello else None,
        "runtime": hello.runtime if hello else None,
        "schemes": sorted(hello.schemes) if hello else [],
        "message": error.message if error else None,
        "remedy": error.remedy if error else None,
    }


def greet(name: str) -> tuple[Any, LibraryMissing | None]:
    """The hello of a library's worker, or the error where it gives none."""
    from fheasible.measurement.worker import Worker

    try:
        with Worker(name) as worker:
            return worker.hello, None
    except LibraryMissing as error:
        return None, error
