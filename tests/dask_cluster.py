"""A Dask scheduler and workers on this machine, each a process of its own.

Workers may stand for several machines: each is then a host of its own to the coordinator.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_PRELOAD = """import os
from fheasible.measurement import hosts
if os.environ.get("STANDS_FOR"):
    hosts.this_host = lambda: os.environ["STANDS_FOR"]
"""


@contextmanager
def cluster(folder: Path, machines: Sequence[str]) -> Iterator[str]:
    """The address of a scheduler with a worker for each of those names; workers with the name "" are on one
    and the same machine."""
    file = folder / "scheduler.json"
    preload = folder / "stands_for.py"
    preload.write_text(_PRELOAD)
    started = [_dask(folder, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))]
    try:
        while not (file.exists() and file.read_text()):
            assert started[0].poll() is None, (folder / "dask.log").read_text()
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        for name in machines:
            started.append(
                _dask(folder, "worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "2",
                      "--preload", str(preload), "--local-directory", str(folder), STANDS_FOR=name)
            )  # fmt: skip
        yield address
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _dask(folder: Path, *words: str, **variables: str) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", "dask", *words]
    with (folder / "dask.log").open("ab") as log:
        return subprocess.Popen(argv, stdout=log, stderr=log, cwd=folder, env={**os.environ, **variables})
