"""Resident memory of this process, as the kernel sees it."""

import ctypes
import gc
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
    return _field("VmRSS")


def peak() -> int:
    """Bytes at most since `settle`; 0 where the system does not tell."""
    return _field("VmHWM")


def _field(name: str) -> int:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":")), 0)


def trim() -> None:
    """Gives free memory back to the system, where the C library can."""
    with suppress(AttributeError, OSError):  # where there is no glibc
        ctypes.CDLL(None).malloc_trim(0)
