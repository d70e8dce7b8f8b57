"""A Dask scheduler and workers on this machine, each a process of its own, and coordinators beside them.

Workers may stand for several machines: each is then a host of its own to the coordinator. The processes of
one such cluster have its folder as their working directory, by which they are found and killed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fheasible.measurement import registry
from fheasible.measurement.machine import this_machine

LIMIT = 240.0  # seconds
OTHER = "@another"  # behind a name: that machine has another processor
needs_dask = pytest.mark.skipif(
    not find_spec("distributed") or not registry.command("seal").installed,
    reason="needs the extra distributed, and SEAL",
)
_STARTING_SECONDS = 0.2  # of CPU time; SEAL's worker starts with less, and its shortest run here takes more
_NAME, _OF_LIBRARY = "STANDS_FOR", "FHEASIBLE_WORKER"  # in the environment of workers
_PRELOAD = f"""import os
from dataclasses import replace
from fheasible.measurement import machine
name, here = os.environ.get("{_NAME}", ""), machine.this_machine()
if name.endswith("{OTHER}"):
    other = replace(here, cpu=here.cpu + "{OTHER}")
    machine.this_machine = lambda: other
from fheasible.measurement import hosts  # which takes the function from there
if name:
    hosts.this_host = lambda: name
"""


def other_machine() -> str:
    """The fingerprint of a machine whose name ends in OTHER."""
    here = this_machine()
    return replace(here, cpu=here.cpu + OTHER).fingerprint


def coordinator(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    """A coordinator as a process of its own. Its messages go into the file errors.txt."""
    main = "import fheasible_start as s, sys; sys.argv[0] = 'fheasible'; sys.exit(s.main())"
    with (folder / "errors.txt").open("ab") as errors:
        argv = [sys.executable, "-c", main, *words, "--json"]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, cwd=folder)


def answered(started: "subprocess.Popen[bytes]", code: int = 0) -> Any:
    """The document that a coordinator prints before it ends with that exit code."""
    out, _ = started.communicate(timeout=LIMIT)
    assert started.returncode == code, out
    return json.loads(out)


def wait_until(folder: Path, reached: Callable[[], bool]) -> None:
    """Waits for what a coordinator in that folder brings about."""
    late = time.monotonic() + LIMIT
    while not reached():
        assert time.monotonic() < late, (folder / "errors.txt").read_text()
        time.sleep(0.1)


def kill_a_library(folder: Path) -> None:
    """Kills the process of a library on one of the hosts, with SIGKILL, as soon as one is in the middle of
    its work."""
    _kill(folder, lambda library: library)


def kill_a_host(folder: Path) -> None:
    """Kills a Dask worker with SIGKILL, as soon as its library is in the middle of its work."""
    _kill(folder, _parent)


def _kill(folder: Path, victim: Callable[[int], int]) -> None:
    late = time.monotonic() + LIMIT
    while time.monotonic() < late:
        for library in _libraries(folder):
            with suppress(OSError):  # it has just ended by itself
                if _cpu_seconds(library) > _STARTING_SECONDS:
                    os.kill(victim(library), signal.SIGKILL)
                    return
        time.sleep(0.01)
    raise AssertionError("no host runs a library")


def _parent(process: int) -> int:
    return int(_status(process)[1])


def _cpu_seconds(process: int) -> float:
    return sum(map(int, _status(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def _status(process: int) -> list[str]:
    """What the kernel tells of a process, from its state on (proc_pid_stat(5))."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _libraries(folder: Path) -> list[int]:
    """The processes of libraries on the hosts of that cluster."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if (place / "cwd").readlink() != folder.resolve():
                continue
            names = {word.partition(b"=")[0] for word in (place / "environ").read_bytes().split(b"\0")}
            if {_NAME.encode(), _OF_LIBRARY.encode()} <= names:
                found.append(int(place.name))
    return found


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
                      "--preload", str(preload), "--local-directory", str(folder), **{_NAME: name})
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
