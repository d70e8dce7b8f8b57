"""Releases what a limited run holds: its control group, the processes in it, and its swap file.

Run as a program, it is the guardian of a run. It waits until its standard input ends, which happens when the
process that started it closes the pipe or is killed, and then releases both. It imports nothing of ours, so
that it starts at once.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PATIENCE_SECONDS = 20.0  # for killed processes to be gone: the kernel frees their memory first
_STEP_SECONDS = 0.02


def release(group: Path | None, swap: Path | None) -> bool:
    """Whether both are gone, or never existed. Processes in the group are killed."""
    return (group is None or _remove_group(group)) and (swap is None or _remove_swap(swap))


def _remove_group(group: Path) -> bool:
    late = time.monotonic() + PATIENCE_SECONDS
    while group.is_dir():
        _kill_all(group)
        with suppress(OSError):  # it still holds a process that is ending
            group.rmdir()
            break
        if time.monotonic() > late:
            return False
        time.sleep(_STEP_SECONDS)
    return True


def _kill_all(group: Path) -> None:
    with suppress(OSError):
        for process in (group / "cgroup.procs").read_text().split():
            with suppress(OSError):
                os.kill(int(process), signal.SIGKILL)


def _remove_swap(file: Path) -> bool:
    """Whether the file is gone. While the kernel still swaps into a file, nothing can remove it."""
    if file.exists():
        ctypes.CDLL(None).swapoff(os.fsencode(file))
        with suppress(OSError):
            file.unlink()
    return not file.exists()


def _guard(group: str, swap: str) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1):
        pass
    return 0 if release(Path(group), Path(swap) if swap else None) else 1


if __name__ == "__main__":
    sys.exit(_guard(*sys.argv[1:]))
