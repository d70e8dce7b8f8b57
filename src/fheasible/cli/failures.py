"""An error, as the user sees it: one clear message and the remedy, on stderr or as the JSON document."""

import sys
import traceback
from typing import Any

from typer.exceptions import TyperException

from fheasible.cli.session import Session, print_json
from fheasible.errors import FheasibleError, UsageError

_HELP = "fheasible --help"


def fail(session: Session, error: Exception) -> int:
    """Show the error; the exit code that it asks for."""
    known = _understood(error)
    if session.debug:
        traceback.print_exception(error, file=sys.stderr)
    if session.as_json:
        body = {"kind": known.kind, "message": known.message, "remedy": known.remedy}
        print_json({"error": body})
    else:
        _show(known)
    return known.exit_code


class InternalError(FheasibleError):
    """A fault of Fheasible's own."""


class Interrupted(FheasibleError):
    """Ctrl-C."""

    exit_code = 130


def _understood(error: Exception) -> FheasibleError:
    if isinstance(error, FheasibleError):
        return error
    if isinstance(error, TyperException):
        return UsageError(error.format_message() + _given(error), _help_of(error))
    return InternalError(
        f"a fault of Fheasible's own: {type(error).__name__}: {error}",
        "run it again with --debug, and report what that shows",
    )


def _given(error: TyperException) -> str:
    """What was typed, where the message of a value of the wrong type does not say it."""
    details: Any = getattr(error.__cause__, "errors", list)()
    return f" (given: {details[0]['input']!r})" if details else ""


def _help_of(error: TyperException) -> str:
    """The help of the verb at hand, and of Fheasible where none was understood."""
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help shows what is possible" if context else _HELP


def _show(error: FheasibleError) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True) if sys.stderr.isatty() else Console(stderr=True, color_system=None)
    console.print(Text.assemble(("error: ", "bold red"), error.message), soft_wrap=True)
    if error.remedy:
        console.print(Text.assemble(("remedy: ", "bold green"), error.remedy), soft_wrap=True)
