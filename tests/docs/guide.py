"""A guide as its reader follows it: what it says to write is written to a copy of the repository, what it
says to change is changed there, and its commands are run in it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (\S+/?\S*\.(?:py|in|lock))(, continued)?\n")


def blocks(page: str, language: str) -> list[str]:
    """The page's blocks in that language, in order."""
    text = (DOCS / page).read_text()
    return [dedent(body) for _, kind, body in _BLOCK.findall(text) if kind == language]


def copied(folder: Path) -> Path:
    """A copy of the sources and the workers in `folder`, without what is installed there."""
    for name in ("src", "workers"):
        ignored = shutil.ignore_patterns("__pycache__", ".venv", "bin", "node_modules")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


def follow(page: str, folder: Path) -> None:
    """Writes each block that begins with a file's name to that file, and applies each diff."""
    for block in blocks(page, "python"):
        if named := _FILE.match(block):
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a" if named[2] else "w") as file:
                file.write(block[named.end() :])
    for diff in blocks(page, "diff"):
        _apply(diff, folder / "src" / "fheasible")


def _apply(diff: str, package: Path) -> None:
    """Puts the lines with + in the place of those with -, in the one file that has these."""
    lines = diff.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if line[0] == "-")
    new = "".join(f"{line[1:]}\n" for line in lines if line[0] == "+")
    found = [path for path in package.rglob("*.py") if old in path.read_text()]
    assert len(found) == 1, f"{old!r} stands in {found}"
    found[0].write_text(found[0].read_text().replace(old, new))


def commands(page: str) -> list[list[str]]:
    """The commands of the page, without the leading `fheasible`."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    found = [shlex.split(line[2:]) for line in lines if line.startswith("$ ")]
    assert all(argv[0] == "fheasible" for argv in found)
    return [argv[1:] for argv in found]


def fheasible(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the copy in `folder` says to a command; its results are kept in that folder too."""
    own = {"PYTHONPATH": str(folder / "src"), "HOME": str(folder), "COLUMNS": "100"}
    argv = [sys.executable, "-m", "fheasible.cli.main", *arguments]
    return subprocess.run(argv, cwd=folder, env=os.environ | own, capture_output=True, text=True, timeout=300)
