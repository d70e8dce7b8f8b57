"""Runs the cells of a notebook as Jupyter does, without Jupyter. As a program, it writes their outputs into
docs/example.ipynb."""

import ast
import io
import json
import linecache
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

Json = dict[str, Any]
NOTEBOOK = Path(__file__).parents[2] / "docs" / "example.ipynb"
WORKER = "worker"  # the tag of cells that need an installed library


def read(path: Path = NOTEBOOK) -> Json:
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found


def run(notebook: Json, without: str = "") -> Iterator[tuple[Json, list[Json]]]:
    """Each cell of code with its outputs, in their order; cells with the tag `without` are left out."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"], start=1):
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "code" and without not in tags:
            yield cell, outputs("".join(cell["source"]), f"<cell {number}>", names)


def outputs(code: str, name: str, names: dict[str, Any]) -> list[Json]:
    """What a cell prints, then the value of its last line, as a notebook keeps them."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    body = ast.parse(code, name).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    found: list[Json] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        found.append({"output_type": "execute_result", "metadata": {}, "data": data, "execution_count": None})
    return found


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    notebook = read()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        os.environ["HOME"] = folder  # with the shipped profiles, whatever was calibrated here
        for number, (cell, found) in enumerate(run(notebook), start=1):
            cell["outputs"] = [one | ({"execution_count": number} if "execution_count" in one else {})
                               for one in found]  # fmt: skip
            cell["execution_count"] = number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
