"""The kernel's counters of a child process (perf_event_open(2)), which it opens on itself before its program
begins.

They count in user mode, in all threads that the process will ever have. The child inherits them as file
descriptors, so that whatever language it is written in, it reads a counter as it reads a file.
"""

import os
import platform
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from fheasible.system import FORKS, c_library

Kind = tuple[int, int]  # the kernel's type and config
_HARDWARE = 0
EVENTS: Mapping[str, Kind] = MappingProxyType(
    {
        "instructions": (_HARDWARE, 1),
        "cycles": (_HARDWARE, 0),
        "cache_references": (_HARDWARE, 2),
        "cache_misses": (_HARDWARE, 3),
        "branches": (_HARDWARE, 4),
        "branch_misses": (_HARDWARE, 5),
    }
)
_CALLS = {"x86_64": 298, "aarch64": 241}  # the number of perf_event_open
_ATTRIBUTES = struct.Struct("IIQQQQQIIQ")  # struct perf_event_attr in its first version
READ_BYTES = 24  # the count, and for how many nanoseconds it was enabled and counted
_TIMES = 1 | 2  # also read these times, because the kernel may let events take turns
_INHERIT, _EXCLUDE_KERNEL, _EXCLUDE_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
_PARANOID, _MOST_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid"), 2
_EVERY_CPU, _NO_GROUP = -1, -1
_NOWHERE = -1  # the place of a counter where a child inherits no descriptors


class Events:
    """Places for counters, one for each event, within a `with` block that starts the child.

    A place where the kernel gives no counter reads as an empty file.
    """

    def __init__(self, events: Mapping[str, Kind] = EVENTS) -> None:
        self._attributes = [_attributes(*kind) for kind in events.values()]
        self._call = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
        self._library = c_library() if self._call is not None else None
        self.descriptors: tuple[int, ...] = ()

    def __enter__(self) -> Self:
        self.descriptors = tuple(_place() for _ in self._attributes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in self.descriptors:
            if descriptor != _NOWHERE:
                os.close(descriptor)

    def open_here(self) -> None:
        """Opens the counters of the calling process in their places; for the child, between fork and exec."""
        if self._library is None:
            return
        for attributes, place in zip(self._attributes, self.descriptors, strict=True):
            opened = self._library.syscall(self._call, attributes, 0, _EVERY_CPU, _NO_GROUP, 0)
            if opened >= 0:
                os.dup2(opened, place)
                with suppress(OSError):
                    os.close(opened)


def _place() -> int:
    return os.open(os.devnull, os.O_RDONLY) if FORKS else _NOWHERE


def available(name: str) -> bool:
    """Whether the kernel lets this process count that event."""
    with Events({name: EVENTS[name]}) as events:
        events.open_here()
        return FORKS and bool(os.read(events.descriptors[0], READ_BYTES))


def forbidden() -> bool:
    """Whether the kernel is set to let no ordinary user count, as Debian sets it; unknown is False."""
    try:
        return int(_PARANOID.read_text()) > _MOST_PARANOID
    except (OSError, ValueError):
        return False


def _attributes(kind: int, config: int) -> bytes:
    flags = _INHERIT | _EXCLUDE_KERNEL | _EXCLUDE_HYPERVISOR
    return _ATTRIBUTES.pack(kind, _ATTRIBUTES.size, config, 0, 0, _TIMES, flags, 0, 0, 0)
