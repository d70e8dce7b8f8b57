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

_NAME = re.compile(r"fheasible-(?P<node>[0-9a-f]{8})-(?P<process>\d+)-(?P<started>\d+)-.*")
_PROC = Path("/proc")
_STARTED = 19  # field of /proc/PID/stat, counted after the name: clock ticks since the machine's start


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed with the block, however the block is left.

    What dead processes left is removed first.
    """
    sweep()
    own = os.getpid()
    with TemporaryDirectory(prefix=f"fheasible-{_node()}-{own}-{_started(own)}-") as folder:
        yield Path(folder)


def sweep(place: Path | None = None) -> None:
    """Removes folders of processes of this machine that have ended without removing them."""
    with suppress(OSError):
        for folder in (place or Path(gettempdir())).glob(f"fheasible-{_node()}-*"):
            told = _NAME.fullmatch(folder.name)
            if told and _started(int(told["process"])) != int(told["started"]):
                shutil.rmtree(folder, ignore_errors=True)


def _started(process: int) -> int:
    """When a process started, in ticks; 0 where the system does not tell or the process does not exist."""
    try:
        return int((_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()[_STARTED])
    except (OSError, ValueError, IndexError):
        return 0


def _node() -> str:
    """A hash of this machine's name in eight characters: machines may share their temporary folder."""
    return sha256(platform.node().encode()).hexdigest()[:8]
