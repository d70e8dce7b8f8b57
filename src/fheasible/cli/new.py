"""fheasible new: a file to begin an application with."""

import keyword
import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

_SUFFIX = ".py"
_TEMPLATE = "application.txt"


def new(
    session: TerminalSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as app.py.")],
) -> None:
    """Write an application to begin with: a file with comments that explore and verify can be called on.

    A file that is there already is never overwritten.

    \b
    Example:
      fheasible new app.py
      fheasible explore app.py
    """
    if file.suffix != _SUFFIX:
        raise UsageError(f"{file} is not the name of a Python file", f"write {file.name or 'app'}{_SUFFIX}")
    name = _name(file.stem)
    text = files("fheasible.cli").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text.replace("APP.py", str(file)).replace("NAME", name))
    except FileExistsError:
        raise UsageError(f"{file} is there already, and is left as it is", "give another name") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}", "give another place") from error
    call = f"fheasible explore {file}"
    session.answer(
        {"file": str(file), "application": name, "next": call},
        [f"{file}: the application {name}. Change it to what you compute; then:", f"  {call}"],
    )


def _name(stem: str) -> str:
    """A name for a function, made of that of the file."""
    words = re.sub(r"\W+", "_", stem).strip("_").lower()
    if not words or words[0].isdigit() or keyword.iskeyword(words):
        words = f"app_{words}".rstrip("_")
    return words
