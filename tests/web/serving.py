"""The server of the page as a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

START = [sys.executable, "-m", "fheasible_start", "web"]


@contextmanager
def serving(*words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The server with the first line that it prints."""
    with subprocess.Popen(
        [*START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as call:  # fmt: skip
        assert call.stdout is not None
        try:
            yield call, call.stdout.readline().strip()
        finally:
            call.terminate()
