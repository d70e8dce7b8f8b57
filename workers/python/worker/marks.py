"""Where the phases of a run begin: the clock and what the kernel has counted at each boundary."""

import os
import struct
from array import array
from collections.abc import Callable, Iterable
from time import monotonic_ns, process_time_ns

import numpy as np
from numpy.typing import NDArray

try:
    import resource
except ImportError:  # outside POSIX
    resource = None  # type: ignore[assignment]

PHASES = ("context", "keygen", "encrypt", "evaluate", "decrypt", "other")
UNKNOWN = -1
_OWN = 8  # columns before those of the events
_EVENT = struct.Struct("qqq")  # value, nanoseconds enabled, nanoseconds running (perf_event_open(2))

Mark = Callable[[str, int], None]
"""A function that is called where a phase of a repetition begins."""


def unmarked(phase: str, repetition: int) -> None:
    """A `Mark` that keeps nothing, for runs that are not watched."""


class Marks:
    """A `Mark` that keeps a row for each call. `events` are file descriptors of the kernel's counters."""

    def __init__(self, events: Iterable[int]) -> None:
        self._events = tuple(events)
        self._rows = array("q")

    def __call__(self, phase: str, repetition: int = UNKNOWN) -> None:
        self._rows.extend((PHASES.index(phase), repetition, monotonic_ns(), process_time_ns(), *_used()))
        for event in self._events:
            self._rows.extend(_reading(event))

    @property
    def rows(self) -> NDArray[np.int64]:
        """One row for each mark, with the columns that the protocol names."""
        width = _OWN + 3 * len(self._events)
        return np.array(self._rows, dtype=np.int64).reshape(-1, width)


def _used() -> tuple[int, int, int, int]:
    """Minor and major page faults, voluntary and involuntary context switches of this process."""
    if resource is None:
        return (UNKNOWN,) * 4
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw


def _reading(event: int) -> tuple[int, int, int]:
    """A counter's value, and for how long it was enabled and counted; unknown where it cannot be read."""
    try:
        found = os.read(event, _EVENT.size)
    except OSError:
        found = b""
    return _EVENT.unpack(found) if len(found) == _EVENT.size else (UNKNOWN,) * 3  # type: ignore[return-value]
