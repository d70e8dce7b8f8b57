"""The code of the page as a file in a folder of its own, and the processes that execute it there."""

import asyncio
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
_LOG = "log.txt"
_LINE_BYTES = 64 * 2**20  # the most that a process says in a line


class CodeFolder:
    """A folder with the file, and with the data of the examples beside it. `called`: what the code is called
    on the command line: an example by its name, if it was not changed."""

    def __init__(self, source: str) -> None:
        self.called = called(source, PASTED)
        self.path = Path(mkdtemp(prefix=scratch.own_name()))
        self.file = self.path / Path(self.called).name
        self.file.write_text(source, encoding="utf-8")
        data = shipped(FOLDER) / _DATA
        try:
            (self.path / _DATA).symlink_to(data, target_is_directory=True)
        except OSError:  # Windows, without the right to make links
            shutil.copytree(data, self.path / _DATA)

    async def start(self, module: str) -> asyncio.subprocess.Process:
        """A process in the folder that executes a module of Fheasible. It leads a group. Its input and output
        are pipes; what it prints to standard error is kept."""
        with (self.path / _LOG).open("wb") as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", module),  # whatever lies in the current folder
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                cwd=self.path,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # `fheasible_start` says why
                limit=_LINE_BYTES,
                start_new_session=True,
            )

    def ended(self, what: str, code: int | None) -> str:
        """The end of a process in words: its exit code, and the last line that it printed."""
        words = self._last_words()
        return f"{what} ended with code {code}{f': {words}' if words else ''}"

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self.path / _LOG).read_text(encoding="utf-8", errors="replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")[:500]
        return ""

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
