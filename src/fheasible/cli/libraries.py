"""fheasible libraries: which of them are installed, how to install the others, and how to add one's own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession, verb
from fheasible.errors import DataError, FheasibleError, LibraryMissing

app = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
)


@app.callback()
@verb
def _libraries(ctx: typer.Context) -> int | None:
    """List or install the libraries, and add one of your own.

    Libraries that are not installed are listed with the command that installs them.

    \b
    Example:
      fheasible libraries
      fheasible libraries install openfhe
      fheasible libraries add tfhepp --source ~/tfhepp-worker
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
    Those that exist already are left as they are. A library that was added is built anew where its sources
    have changed. The exit code is 0 only if all libraries are installed at the end.

    \b
    Example:
      fheasible libraries install
      fheasible libraries install tfhe_rs
    """
    from fheasible.libraries.catalogue import CATALOGUE
    from fheasible.measurement.install import install_all
    from fheasible.measurement.registry import command

    wanted = names or CATALOGUE
    known = [command(name).library for name in wanted]  # an unknown name fails before anything is done
    with session.progress("installing") as step:

        def say(line: str) -> None:
            step(line, 0, 0)
            session.say(line)

        errors = install_all(known, say)
    session.answer({"libraries": [_outcome(*item) for item in errors.items()]}, [*_told(errors)])
    return 1 if any(errors.values()) else 0


@app.command("add")
@verb
def _add(
    session: TerminalSession,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the library is called from now on.")],
    source: Annotated[
        Path,
        typer.Option("--source", metavar="FOLDER", help="The folder with its worker and worker.toml."),
    ],
) -> int:
    """Add a library of your own: build its worker from a folder, and register it.

    The folder has a file worker.toml, which says how the worker is built and started, and which library's
    parameters it takes. docs/bring_your_own.md shows how such a worker is written. From then on the library
    is measured, calibrated, explored and verified where it is named: --library NAME.

    The library is registered in your home folder once its worker has said hello. Where anything fails,
    nothing is registered, and the error quotes the builder's last lines.

    \b
    Example:
      fheasible libraries add tfhepp --source ~/tfhepp-worker
      fheasible libraries check tfhepp
      fheasible calibrate --library tfhepp
    """
    from fheasible.libraries.added import registered
    from fheasible.measurement import adding

    with session.progress("adding") as step:

        def say(line: str) -> None:
            step(line, 0, 0)
            session.say(line)

        adding.add(name, source, say)
    told = registered()[name.lower()]
    answers = ", ".join(told.manifest.answers)
    session.answer(
        {"added": _state(told.name, lambda *_: None, 0)},
        [
            f"{told.name} is added: it follows {told.manifest.follows} ({', '.join(told.schemes)}) and "
            f"answers {answers}. Ask it whether its answers are right: fheasible libraries check {told.name}"
        ],
    )
    return 0


@app.command("remove")
@verb
def _remove(
    session: TerminalSession,
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Names of libraries that were added.")
    ],
) -> int:
    """Remove libraries that were added. Their sources and stored results stay as they are.

    \b
    Example:
      fheasible libraries remove tfhepp
    """
    from fheasible.measurement import adding

    for name in names:  # an unknown name fails before anything is removed
        adding.check_added(name)
    removed = {name.lower(): adding.remove(name) for name in names}
    told = [{"library": name, "source": str(source)} for name, source in removed.items()]
    session.answer(
        {"removed": told}, [f"{name}: removed; {source} stays" for name, source in removed.items()]
    )
    return 0


@app.command("check")
@verb
def _check(
    session: TerminalSession,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A library, as `libraries list` shows it.")],
    seconds: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How long the worker may take for each answer.")
    ] = 60.0,
) -> int:
    """Ask a library's worker whether its answers are right, and whether it keeps to the protocol.

    These are the questions that the workers of Fheasible's own libraries are tested with, on toy parameters
    that hide nothing: every operation of a program gives what plain numbers give, an unrelated key decrypts
    nothing, samples and sizes are there, and what cannot be is refused in the protocol's words. The exit
    code is 1 if an answer is wrong.

    \b
    Example:
      fheasible libraries check tfhepp
      fheasible libraries check seal --json
    """
    from fheasible.cli.tables import table
    from fheasible.measurement.conformance.checking import checked

    with session.progress("asking") as step:
        found = list(checked(name, step, seconds))
    wrong = [f for f in found if f.wrong]
    rows = [("wrong" if f.wrong else "right", f.of, f.question) for f in found]
    columns = ("answer", "asked with", "what a worker does")
    said = [f"wrong with {f.of}: {f.question}\n  {f.wrong}" for f in wrong]
    told = f"{len(found) - len(wrong)} of {len(found)} answers are right"
    document = {"library": name.lower(), "right": not wrong, "answers": [f.to_json() for f in found]}
    session.answer(document, [table(columns, rows, left=columns), *said, told])
    return 1 if wrong else 0


def _outcome(name: str, error: FheasibleError | None) -> Json:
    told = None if error is None else {"kind": error.kind, "message": error.message, "remedy": error.remedy}
    return {"library": name, "installed": error is None, "error": told}


def _told(errors: dict[str, FheasibleError | None]) -> Iterator[str]:
    for name, error in errors.items():
        yield f"{name}: {'installed' if error is None else f'not installed. Remedy: {error.remedy}'}"


def list_libraries(session: TerminalSession) -> int:
    from fheasible.api.naming import title
    from fheasible.cli.tables import paragraph, table
    from fheasible.libraries.added import damaged
    from fheasible.measurement.registry import libraries

    with session.progress("asking") as step:
        told = [_state(name, step, i) for i, name in enumerate(libraries())]
        told += [_unusable(name, what) for name, what in damaged().items()]
    rows = [
        (title(s["library"]), "yes" if s["installed"] else "no", s["version"] or "", s["runtime"] or "",
         " ".join(s["schemes"]).upper())
        for s in told
    ]  # fmt: skip
    columns = ("library", "installed", "version", "runs in", "schemes")
    missing = [paragraph(f"{s['message']}. Remedy:", s["remedy"]) for s in told if s["remedy"]]
    added = [
        f"{s['library']} was added from {s['source']}; it follows {s['follows']}" for s in told if s["source"]
    ]
    session.answer({"libraries": told}, [table(columns, rows, left=columns), *missing, *added])
    return 0


def _state(name: str, step: Any, number: int) -> Json:
    """What the library's worker says, or what is wrong with it and the remedy."""
    from fheasible.libraries.added import registered

    step(name, number, 0)
    hello, error = greet(name)
    added = registered().get(name)
    return {
        "library": name,
        "installed": hello is not None,
        "version": hello.version if hello else None,
        "binding": hello.binding if hello else None,
        "runtime": hello.runtime if hello else None,
        "schemes": sorted(hello.schemes) if hello else [],
        "message": error.message if error else None,
        "remedy": error.remedy if error else None,
        "source": str(added.source) if added else None,
        "follows": added.manifest.follows if added else None,
        "answers": list(added.manifest.answers) if added else None,
    }


def _unusable(name: str, what: str) -> Json:
    """An added library whose registration cannot be read."""
    absent = dict.fromkeys(("version", "binding", "runtime", "source", "follows", "answers"))
    remedy = f"fheasible libraries remove {name}"
    return {"library": name, "installed": False, "schemes": [], "message": what, "remedy": remedy} | absent


def greet(name: str) -> tuple[Any, FheasibleError | None]:
    """The hello of a library's worker, or the error where it gives none."""
    from fheasible.measurement.worker import Worker

    try:
        with Worker(name) as worker:
            return worker.hello, None
    except (LibraryMissing, DataError) as error:  # the latter of an added library's sources
        return None, error
