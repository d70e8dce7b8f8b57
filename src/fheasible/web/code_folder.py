"""The code of the page as a file in a folder of its own, for the process that executes it."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from fheasible.measurement import scratch
from fheasible.measurement.shipped import shipped
from fheasible.web.examples import FOLDER, called

PASTED = "app.py"
_DATA = "data"  # beside the examples, some of which read it
LOG = "log.txt"


class CodeFolder:
    """A folder with the file, and with the data of the examples beside it. `called`: what the code is called
    on the command line: an example by its name, if it was not changed."""

    def __init__(self, source: str) -> None:
        self.called = called(source, PASTED)
        self.path = Path(mkdtemp(prefix=scratch.own_name()))
        self.file = self.path / self.called.rpartition("/")[2]
        self.file.write_text(source, encoding="utf-8")
        data = shipped(FOLDER) / _DATA
        try:
            (self.path / _DATA).symlink_to(data, target_is_directory=True)
        except OSError:  # Windows, without the right to make links
            shutil.copytree(data, self.path / _DATA)

    def last_words(self) -> str:
        """The last line that the process printed."""
        with suppress(OSError):
            lines = (self.path / LOG).read_text(encoding="utf-8", errors="replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")[:500]
        return ""

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def python(module: str) -> list[str]:
    """The command that starts a module of Fheasible, whatever lies in the current folder."""
    return [sys.executable, "-P", "-m", module]


def environment() -> dict[str, str]:
    """The variables of a process that searches: one thread for products of small matrices, as on the command
    line."""
    return os.environ | {"OPENBLAS_NUM_THREADS": "1"}
