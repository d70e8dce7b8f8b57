"""uv, which makes environments: one that is here, or one from the package index."""

import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from fheasible.errors import LibraryMissing
from fheasible.measurement.shipped import clone, shipped
from fheasible.system import WINDOWS, data_folder

_REMEDY = "pip install uv, then run the same command again"


def uv(say: Callable[[str], None]) -> Path:
    """The uv that is used. LibraryMissing where none is here and none can be fetched."""
    _make()
    return uv_here() or _fetched(say)


def uv_here() -> Path | None:
    """In a clone the uv of the Makefile, which alone says which version to use; else one beside this Python
    or on the PATH, else one that was fetched."""
    own = _made_by_make()
    if own is not None and own.is_file():
        return own
    elsewhere = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if elsewhere is not None:
        return Path(elsewhere)
    return _program() if _program().is_file() else None


def _made_by_make() -> Path | None:
    root = clone()
    return None if root is None else root / ".tools" / "uv"


def _make() -> None:
    """Lets make provide it in a clone, where there is make."""
    own = _made_by_make()
    if own is not None and not own.is_file() and shutil.which("make"):
        argv = ["make", "--silent", "-C", str(own.parent.parent), ".tools/uv"]
        subprocess.run(argv, check=False, capture_output=True, stdin=subprocess.DEVNULL)


def _program() -> Path:
    """Where the uv that is fetched lies; another version has another place."""
    name = f"uv-{_pinned()}"
    return data_folder() / "tools" / name / ("Scripts/uv.exe" if WINDOWS else "bin/uv")


def _pinned() -> str:
    found = re.search(r"^uv==(\S+)", shipped("requirements-uv.lock").read_text(), re.MULTILINE)
    return found[1] if found else ""


def _fetched(say: Callable[[str], None]) -> Path:
    """The pinned uv, whose hash is checked."""
    say(f"there is no uv here; fetching uv {_pinned()}")
    program = _program()
    folder = program.parent.parent
    python = program.with_name("python.exe" if WINDOWS else "python")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    lock = str(shipped("requirements-uv.lock"))
    try:
        venv.create(folder, clear=True, symlinks=not WINDOWS, with_pip=True)
        argv = [*pip, "--only-binary", ":all:", "-r", lock]
        subprocess.run(argv, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        words = str(getattr(error, "stderr", None) or getattr(error, "stdout", None) or error)
        raise LibraryMissing(
            f"uv, which makes environments, is not here and could not be fetched: {words.strip()[-800:]}",
            _REMEDY,
        ) from error
    return program
