"""The resident set of a running process over time, read by us from /proc, so that the process does nothing.
Where there is no /proc, psutil asks the system.

`statm` is read because the kernel has its figures at hand. `smaps_rollup` would walk the page tables under a
lock that page faults wait for (benchmarks/watching.py measures both).
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import psutil

from fheasible.aliases import Json
from fheasible.measurement.counters import Stretch
from fheasible.measurement.watching import Watching, differences

PERIOD_SECONDS = 0.005
MOST = 1024  # samples that are kept: beyond it every second one is dropped, and the period is twice as long
_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Trace:
    """Resident bytes over time, in seconds from the first sample, and the phases of the run meanwhile."""

    seconds: tuple[float, ...]
    resident_bytes: tuple[int, ...]
    stretches: tuple[Stretch, ...] = ()

    def to_json(self) -> Json:
        """The trace in whole milliseconds and KiB, each as its difference from the one before."""
        return {
            "milliseconds": differences([round(1e3 * s) for s in self.seconds]),
            "kibibytes": differences([b // _KIB for b in self.resident_bytes]),
            "stretches": [[s.phase, round(s.begin, 6), round(s.end, 6)] for s in self.stretches],
        }

    @staticmethod
    def from_json(stored: Json) -> "Trace":
        return Trace(
            tuple(1e-3 * t for t in accumulate(stored["milliseconds"])),
            tuple(_KIB * k for k in accumulate(stored["kibibytes"])),
            tuple(Stretch(*told) for told in stored["stretches"]),
        )


@dataclass
class Sampler(Watching):
    """Reads the resident set of process `pid` within a `with` block, in a thread of its own."""

    pid: int
    period: float = PERIOD_SECONDS
    samples: list[tuple[float, int]] = field(default_factory=list)  # monotonic seconds, bytes

    def trace(self, stretches: Sequence[Stretch] = ()) -> Trace | None:
        """What was seen; None where the system does not tell."""
        if not self.samples:
            return None
        first = self.samples[0][0]
        return Trace(
            tuple(at - first for at, _ in self.samples),
            tuple(held for _, held in self.samples),
            tuple(Stretch(s.phase, s.begin - first, s.end - first) for s in stretches),
        )

    def _watch(self) -> None:
        try:
            with _reader(self.pid) as held:
                while True:
                    self.samples.append((time.monotonic(), held()))
                    if len(self.samples) > MOST:
                        self.samples, self.period = _thinned(self.samples), 2 * self.period
                    if self._done.wait(self.period):
                        return
        except (OSError, IndexError, psutil.Error):  # the process has ended
            return


@contextmanager
def _reader(pid: int) -> Iterator[Callable[[], int]]:
    """A function that gives the resident bytes of a process."""
    if not _PROC.is_dir():
        process = psutil.Process(pid)
        yield lambda: int(process.memory_info().rss)
        return
    statm = os.open(_PROC / str(pid) / "statm", os.O_RDONLY)
    try:
        yield lambda: int(os.pread(statm, 256, 0).split()[1]) * _PAGE
    finally:
        os.close(statm)


def _thinned(samples: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """The larger of each two samples."""
    pairs = zip(samples[::2], samples[1::2], strict=False)
    return [x if x[1] >= y[1] else y for x, y in pairs]
