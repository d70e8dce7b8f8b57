"""The examples that come with Fheasible, as the page offers them."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fheasible.measurement.shipped import shipped

FOLDER = "examples"
_NUMBERED = re.compile(r"(?P<number>\d+)_\w+\.py")


@dataclass(frozen=True, slots=True)
class Example:
    """An application with what it computes, in a sentence. `called`: its name on the command line."""

    called: str
    title: str
    source: str

    @property
    def file(self) -> str:
        """The name of its file, without the folder."""
        return Path(self.called).name


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order of their numbers."""
    numbered = [
        (found, path) for path in shipped(FOLDER).iterdir() if (found := _NUMBERED.fullmatch(path.name))
    ]
    return tuple(
        _example(f"{FOLDER}/{path.name}", path.read_text(encoding="utf-8"))
        for _, path in sorted(numbered, key=lambda pair: int(pair[0]["number"]))
    )


def _example(called: str, source: str) -> Example:
    said = (ast.get_docstring(ast.parse(source)) or called).partition("\n\n")[0]
    return Example(called, " ".join(said.split()), source)


def called(source: str, other: str) -> str:
    """The name of that code on the command line: of the example that it is, or the other one."""
    return next((e.called for e in examples() if e.source == source), other)
