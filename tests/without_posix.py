"""Runs a program as if on a system without POSIX, as far as Python can pretend.

    python without_posix.py LENT FILE [ARGUMENT ...]

Our own code finds no `resource`, no /proc and no /sys, no fork, and few signals. What it uses of others
(Python's library, psutil, numpy) still runs on this system. LENT is a folder of packages that the other
system would have.
"""

import builtins
import ctypes
import errno
import os
import platform
import runpy
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = tuple(str(ROOT / name) for name in ("src", "workers/python"))
MODULES = {"resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "syslog", "posix"}
OF_OS = (
    "fork", "forkpty", "killpg", "getpgid", "setpgid", "setsid", "getuid", "geteuid", "getgid", "getegid",
    "sched_getaffinity", "sched_setaffinity", "getloadavg", "sysconf", "mkfifo", "set_blocking", "pread",
    "pwrite", "posix_fallocate", "statvfs", "nice", "wait3", "wait4", "register_at_fork",
)  # fmt: skip
OF_SIGNAL = (
    "SIGKILL",
    "SIGALRM",
    "SIGHUP",
    "SIGQUIT",
    "SIGUSR1",
    "setitimer",
    "getitimer",
    "ITIMER_REAL",
    "alarm",
)
HIDDEN = ("/proc", "/sys")


def is_ours(file: str | None) -> bool:
    return (file or "").startswith(OURS)


def asked_by_us() -> bool:
    """Whether the nearest frame that is not of Python's own library, nor of this file, is ours."""
    library, frame = os.path.dirname(os.__file__), sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        third = "site-packages" in file
        if third or not (file.startswith((library, "<frozen")) or file == __file__):
            return is_ours(file)
        frame = frame.f_back  # type: ignore[assignment]
    return False


def is_hidden(path: Any) -> bool:
    return isinstance(path, str | os.PathLike) and str(path).startswith(HIDDEN) and asked_by_us()


def pretend() -> None:
    """From now on, this process is on such a system."""
    importing, stat, library = builtins.__import__, os.stat, ctypes.CDLL

    def imported(name: str, own: Any = None, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in MODULES and is_ours((own or {}).get("__file__")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return importing(name, own, *rest, **more)

    def known(path: Any, *rest: Any, **more: Any) -> Any:
        if is_hidden(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return stat(path, *rest, **more)

    class Library(library):  # type: ignore[misc, valid-type]
        def __init__(self, name: Any, *rest: Any, **more: Any) -> None:
            if name is None and asked_by_us():
                raise TypeError("LoadLibrary() argument 1 must be str, not None")
            super().__init__(name, *rest, **more)

    def opened(event: str, given: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and is_hidden(given[0]):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(given[0]))

    builtins.__import__, os.stat, ctypes.CDLL = imported, known, Library  # type: ignore[assignment, misc]
    sys.addaudithook(opened)
    platform.node = lambda: "another machine"  # so that neither tidies up what the other has in use
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            module.__dict__.pop(name, None)


def main(lent: str, file: str, words: Sequence[str]) -> None:
    sys.path.append(lent)
    for name in ("subprocess", "multiprocessing", "asyncio", "tempfile", "selectors", "random", "psutil"):
        __import__(name)
    if find_spec("platformdirs"):  # which a worker's environment has not
        __import__("platformdirs")
    pretend()
    sys.argv = [file, *words]
    sys.path.insert(0, str(Path(file).parent))
    runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
