"""What some operating systems have and others do not, behind one seam: all else imports on any of them.

Windows has no `resource`, no fork and fewer signals. macOS has both, and neither has /proc.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psutil

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

WINDOWS: Final = os.name == "nt"
FORKS: Final = hasattr(os, "fork")  # a child can do something before its program begins, and inherit files
KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)  # the signal that no process survives
_KILLED: Final = 9  # the number of SIGKILL, which a shell may report wherever it runs
ALARMS: Final = hasattr(signal, "setitimer")  # whether a signal can tell a main thread that time has passed


def data_folder() -> Path:
    """The folder for what is the user's own: results, libraries that were added and, where Fheasible runs
    without a clone, the environments of workers."""
    from platformdirs import user_data_path  # few calls need it

    found: Path = user_data_path("fheasible", appauthor=False)
    return found


def killed(status: int | None) -> bool:
    """Whether an exit status is that of SIGKILL, by itself or as a shell reports it."""
    return status in (-_KILLED, 128 + _KILLED)


def address_limit() -> int | None:
    """The bytes of addresses that this process may have (`ulimit -v`); None without a limit."""
    if resource is None:
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if most == resource.RLIM_INFINITY else most


@contextmanager
def data_limited(more: int) -> Iterator[None]:
    """A block in which asking for more than `more` further bytes raises MemoryError, where the system can."""
    held = data_bytes()
    if resource is None or held is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = held + more if before[0] == resource.RLIM_INFINITY else min(held + more, before[0])
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, before)


def data_bytes() -> int | None:
    """The bytes of this process that the limit on data counts; None where the system does not tell."""
    if resource is None:
        return None
    try:
        with open("/proc/self/statm", encoding="ascii") as numbers:
            return int(numbers.read().split()[5]) * resource.getpagesize()
    except OSError:
        return None


def peak_bytes() -> int:
    """The most resident memory that this process ever had."""
    if resource is None:
        used = psutil.Process().memory_info()
        return int(getattr(used, "peak_wset", used.rss))
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def c_library() -> Any:
    """The functions of the C library; None where a program cannot reach them without its name."""
    import ctypes  # imported here: it is slow to load

    try:
        return ctypes.CDLL(None)
    except (TypeError, OSError):  # Windows
        return None


def kill_group(pid: int) -> None:
    """Kills a process that leads a group, with the group; where there are none, with what it has started."""
    if hasattr(os, "killpg"):
        os.killpg(pid, KILL)
        return
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (*process.children(recursive=True), process):
            with suppress(psutil.Error):
                one.kill()
