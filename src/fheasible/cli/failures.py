"""An error, as the user sees it: one clear message and the remedy, on stderr or as the JSON document."""

import errno
import os
import re
import sys
import traceback
from typing import Any

from typer.exceptions import TyperException

from fheasible.cli.session import TerminalSession, print_json
from fheasible.errors import FheasibleError, UsageError

_HELP = "fheasible --help"
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)", re.DOTALL)
_PLAIN = (  # the words of the parser, and ours
    (re.compile(r"Input should be a valid integer.*"), "it is not a whole number"),
    (re.compile(r"Input should be a valid number.*"), "it is not a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"it is less than \1"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"it is more than \1"),
    (re.compile(r"Input should be greater than (\S+)"), r"it is not more than \1"),
    (re.compile(r"Input should be less than (\S+)"), r"it is not less than \1"),
)
_QUOTES = "leave it out, or put a name with spaces in quotes, and an option in front of its value"
_SIGPIPE = 128 + 13
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG, errno.EBADF)
_ROOM = "free some space there, or write to another place"


def fail(session: TerminalSession, error: Exception) -> int:
    """The exit code that the error asks for, after the error has been shown."""
    known = _understood(error)
    try:
        if session.debug:
            traceback.print_exception(error, file=sys.stderr)
        _tell(session, known)
    except (BrokenPipeError, SystemExit):  # rich turns a broken pipe into SystemExit
        hush()
    except OSError:  # there is no room for a document
        hush()
        _show(known)
    return known.exit_code


def _tell(session: TerminalSession, known: FheasibleError) -> None:
    if not session.as_json:
        _show(known)
        return
    print_json({"error": {"kind": known.kind, "message": known.message, "remedy": known.remedy}})
    sys.stdout.flush()


def reader_has_gone() -> int:
    """The exit code that a shell gives to a process that a closed pipe ends, after `hush`."""
    hush()
    return _SIGPIPE


def hush() -> None:
    """Writes out what is left in stdout and stderr, or drops it where that fails. Otherwise Python would
    complain about it when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class InternalError(FheasibleError):
    """A fault in Fheasible itself."""


class OutputFailed(FheasibleError):
    """The answer, or a file, cannot be written."""


class Interrupted(FheasibleError):
    """The user pressed Ctrl-C."""

    exit_code = 130


def _understood(error: Exception) -> FheasibleError:
    if isinstance(error, FheasibleError):
        return error
    if isinstance(error, TyperException):
        extra = _EXTRA.fullmatch(error.format_message())
        if extra is not None:
            return UsageError(f"{extra['words']} is more than was expected", f"{_QUOTES}; {_help_of(error)}")
        return UsageError(_plainly(error.format_message()) + _given(error), _help_of(error))
    if isinstance(error, OSError) and error.errno in _NOT_WRITTEN:
        where = f" to {error.filename}" if error.filename else ""
        return OutputFailed(f"the output could not be written{where}: {error.strerror}", _ROOM)
    if isinstance(error, ValueError) and sys.stdout.closed:
        return OutputFailed("stdout was closed before the answer was printed", "keep stdout open")
    return InternalError(
        f"this is a fault in Fheasible: {type(error).__name__}: {error}",
        "run it again with --debug, and report what that prints",
    )


def _plainly(message: str) -> str:
    """What the parser says of a value, in the words of the other messages."""
    for words, plain in _PLAIN:
        message = words.sub(plain, message)
    return message


def _given(error: TyperException) -> str:
    """The typed value, where the message about a value of the wrong type does not contain it; else empty."""
    details: Any = getattr(error.__cause__, "errors", list)()
    return f" (given: {details[0]['input']!r})" if details else ""


def _help_of(error: TyperException) -> str:
    """A hint at the help of the verb, or at Fheasible's own where no verb was understood."""
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help shows what is possible" if context else _HELP


def _show(error: FheasibleError) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True) if sys.stderr.isatty() else Console(stderr=True, color_system=None)
    console.print(Text.assemble(("error: ", "bold red"), error.message), soft_wrap=True)
    if error.remedy:
        console.print(Text.assemble(("remedy: ", "bold green"), error.remedy), soft_wrap=True)
