"""The text of docs/fheasible.1, the manual page: every help text, as it is. `python -m fheasible.cli.manual`
writes it."""

import re
from collections.abc import Iterator

from fheasible import __version__
from fheasible.cli.reference import pages

_WIDTH = 78
_HEAD = f""".\\" Generated from the help texts by `make docs`; a test fails when it is stale.
.TH FHEASIBLE 1 "" "Fheasible {__version__}" "User Commands"
.SH NAME
fheasible \\- which scheme, library and parameters a computation on encrypted data needs
.SH SYNOPSIS
.B fheasible
.I command
.RI [ options ]
.SH COMMANDS"""


def manual() -> str:
    return "\n".join([_HEAD, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    for path, text in pages(_WIDTH):
        yield f'.SS "{path}"'
        yield ".nf"
        yield from map(_line, text.splitlines())
        yield ".fi"


def _line(text: str) -> str:
    """A line as troff shows it unchanged."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    escaped = escaped.replace("~", "\\(ti").replace("`", "\\(ga")
    return re.sub(r"^(?=[.'])", r"\\&", escaped)


if __name__ == "__main__":
    print(manual(), end="")
