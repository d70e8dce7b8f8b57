"""A temporary folder for the inputs of a worker. It holds plaintexts, so that none of it may stay behind."""

import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import psutil

PREFIX = "fheasible-"
_NAME = re.compile(rf"{PREFIX}(?P<node>[0-9a-f]{{8}})-(?P<process>\d+)-(?P<started>\d+)-.*")
_PROC = Path("/proc")
_STARTED = 19  # field of /proc/PID/stat, counted after the name: clock ticks since the machine's start


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed with the block, however the block is left.

    What dead processes left is removed first.
    """
    sweep()
    with TemporaryDirectory(prefix=own_name()) as folder:
        yield Path(folder)


def own_name() -> str:
    """The beginning of a name for what this process makes and will remove."""
    own = os.getpid()
    return f"{PREFIX}{_node()}-{own}-{_started(own)}-"


def is_left(name: str) -> bool:
    """Whether a thing with that name was made by a process of this machine that has ended."""
    told = _NAME.fullmatch(name)
    return (
        told is not None
        and told["node"] == _node()
        and _started(int(told["process"])) != int(told["started"])
    )


def sweep(place: Path | None = None) -> None:
    """Removes folders of processes of this machine that have ended without removing them."""
    with suppress(OSError):
        for folder in (place or Path(gettempdir())).glob(f"{PREFIX}{_node()}-*"):
            if is_left(folder.name):
                shutil.rmtree(folder, ignore_errors=True)


def _started(process: int) -> int:
    """When a process started, in ticks of 10 ms; 0 where it does not exist."""
    try:
        return int((_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()[_STARTED])
    except (OSError, ValueError, IndexError):
        return 0 if _PROC.is_dir() else _started_by_psutil(process)


def _started_by_psutil(process: int) -> int:
    try:
        return round(100 * psutil.Process(process).create_time())
    except psutil.Error:
        return 0


def _node() -> str:
    """A hash of this machine's name in eight characters: machines may share their temporary folder."""
    return sha256(platform.node().encode()).hexdigest()[:8]
