"""Resident memory of this process: by /proc on Linux, elsewhere by psutil and `resource`."""

import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # what the kernel takes as "VmHWM := VmRSS" (proc(5))


def settle() -> None:
    """Gives back what earlier requests left behind, and starts the peak anew where the kernel allows."""
    gc.collect()
    trim()
    with suppress(OSError):  # the peak is then that of the whole process: an upper bound
        _CLEAR.write_text(_RESET_PEAK)


def resident() -> int:
    """Bytes now; 0 where the system does not tell."""
    return _field("VmRSS") or _asked("rss")


def peak() -> int:
    """Bytes at most since `settle`, or of the whole process; 0 where the system does not tell."""
    return _field("VmHWM") or _asked("peak_wset") or _peak_of_process()


def _field(name: str) -> int:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":")), 0)


def _asked(name: str) -> int:
    """What psutil tells, which is installed where there is no /proc."""
    try:
        import psutil
    except ImportError:
        return 0
    return int(getattr(psutil.Process().memory_info(), name, 0))


def _peak_of_process() -> int:
    """Where psutil tells no peak, as on macOS."""
    try:
        import resource
    except ImportError:  # Windows
        return _asked("rss")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def trim() -> None:
    """Gives free memory back to the system, where the C library can."""
    with suppress(AttributeError, OSError, TypeError):  # where there is no glibc
        ctypes.CDLL(None).malloc_trim(0)
