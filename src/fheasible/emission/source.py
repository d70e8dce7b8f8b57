"""The user's own lines: the statement that stands at `file:line`, and the name that it gives its value."""

import ast
import linecache
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import dedent

LONGEST = 200  # characters of a statement that are shown


@dataclass(frozen=True, slots=True)
class Line:
    """A statement of the application. `place` is the file's name with the line. `text` and `name` are empty
    where the file cannot be read; `name` is that of the variable that is assigned, "result" for what is
    returned."""

    place: str = ""
    text: str = ""
    name: str = ""


class Source:
    """The statements of the files that an application's operations come from."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def line(self, where: str) -> Line:
        """The statement at `file:line`; for `file, text`, that text. An empty one where nothing is known."""
        file, _, number = where.rpartition(":")
        if not file or not number.isdecimal():
            place, comma, text = where.partition(", ")
            return Line(place, text) if comma else Line()
        found = self._files.setdefault(file, _File(Path(file)))
        return found.line(int(number))


class _File:
    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def text(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):  # a notebook's cell, or a file that has gone
            return []

    @cached_property
    def statements(self) -> list[ast.stmt]:
        try:
            tree = ast.parse("\n".join(self.text))
        except SyntaxError:
            return []
        return [n for n in ast.walk(tree) if isinstance(n, ast.stmt)]

    def line(self, number: int) -> Line:
        place = f"{self.path.name}:{number}"
        around = [s for s in self.statements if s.lineno <= number <= (s.end_lineno or s.lineno)]
        if not around or number > len(self.text):
            return Line(place, self.text[number - 1].strip() if 0 < number <= len(self.text) else "")
        innermost = min(around, key=lambda s: ((s.end_lineno or s.lineno) - s.lineno, -s.col_offset))
        whole = isinstance(innermost, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr)
        last = innermost.end_lineno if whole else innermost.lineno
        shown = " ".join(part.strip() for part in self.text[innermost.lineno - 1 : last])
        return Line(place, _short(shown), _name(innermost))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


def _name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Return):
        return "result"
    if isinstance(statement, ast.Assign):
        target: ast.expr | None = statement.targets[0]
    else:
        target = statement.target if isinstance(statement, ast.AugAssign | ast.AnnAssign) else None
    return target.id if isinstance(target, ast.Name) else ""


def function_at(where: str) -> list[str]:
    """The lines of the function that stands at `file:line`, with its decorators; empty where they cannot be
    read. Cells of a notebook can, since it keeps their lines."""
    file, _, number = where.rpartition(":")
    lines = [line.rstrip("\n") for line in linecache.getlines(file)] if number.isdecimal() else []
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return []
    for n in ast.walk(tree):
        if isinstance(n, ast.FunctionDef):
            first = min([n.lineno, *(d.lineno for d in n.decorator_list)])
            if first <= int(number) <= (n.end_lineno or n.lineno):
                return dedent("\n".join(lines[first - 1 : n.end_lineno])).splitlines()
    return []


def identifier(text: str, otherwise: str = "value") -> str:
    """`text` as a name that every language here accepts, once a number is appended to it."""
    found = re.sub(r"[^0-9A-Za-z_]", "_", text).strip("_")
    return found if re.match(r"[A-Za-z]", found) else otherwise
