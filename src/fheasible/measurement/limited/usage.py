"""What a run under a limit did to memory and swap: its totals, and the traffic over time."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate, pairwise
from types import TracebackType
from typing import Self

from fheasible.aliases import Json
from fheasible.measurement.limited.group import Figures, MemoryGroup
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.watching import Watching, differences

PERIOD_SECONDS = 0.05
MOST = 512  # samples that are kept: beyond it every second one is dropped, and the period is twice as long
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes read from and written to swap since the run began, and bytes in swap, at `seconds` of the run."""

    seconds: tuple[float, ...]
    read_bytes: tuple[int, ...]
    written_bytes: tuple[int, ...]
    swapped_bytes: tuple[int, ...]

    def bandwidth(self) -> tuple[tuple[float, float, float], ...]:
        """(seconds at its end, bytes read in a second, bytes written in a second) of each interval."""
        rows = zip(self.seconds, self.read_bytes, self.written_bytes, strict=True)
        return tuple(
            (b[0], (b[1] - a[1]) / (b[0] - a[0]), (b[2] - a[2]) / (b[0] - a[0]))
            for a, b in pairwise(rows)
            if b[0] > a[0]
        )

    def to_json(self) -> Json:
        """The traffic in whole milliseconds and KiB, each as its difference from the one before."""
        named = {"milliseconds": differences([round(1e3 * s) for s in self.seconds])}
        for f in fields(self)[1:]:
            kibibytes = [count // _KIB for count in getattr(self, f.name)]
            named[f.name.replace("bytes", "kibibytes")] = differences(kibibytes)
        return named

    @staticmethod
    def from_json(stored: Json) -> "Traffic":
        return Traffic(
            tuple(1e-3 * t for t in accumulate(stored["milliseconds"])),
            *(
                tuple(_KIB * k for k in accumulate(stored[f"{name}_kibibytes"]))
                for name in ("read", "written", "swapped")
            ),
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """The memory of a run under a limit; None for what the kernel does not tell.

    `limit_hits` is how often the limit was reached, so that pages had to go. `pressure_some_seconds` is the
    time in which a process waited for memory, `pressure_full_seconds` that in which all did. `swap_of` and
    `pressure_of` say whether a figure is that of the run's control group, or of the whole machine.
    """

    memory_limit_bytes: int
    swap_limit_bytes: int
    cgroup_version: int
    page_faults: int | None
    major_faults: int | None
    swap_read_bytes: int | None
    swap_written_bytes: int | None
    swap_of: str
    most_swapped_bytes: int | None
    most_held_bytes: int | None
    limit_hits: int | None
    pressure_some_seconds: float | None
    pressure_full_seconds: float | None
    pressure_of: str
    traffic: Traffic | None = None

    def to_json(self) -> Json:
        own = {k: v for k, v in asdict(self).items() if k != "traffic"}
        return own | {"traffic": None if self.traffic is None else self.traffic.to_json()}

    @staticmethod
    def from_json(stored: Json) -> "Usage":
        own: Json = {f.name: stored.get(f.name) for f in fields(Usage)}
        traffic = stored.get("traffic")
        return Usage(**own | {"traffic": None if traffic is None else Traffic.from_json(traffic)})


@dataclass
class Follower(Watching):
    """Follows a group within a `with` block, in a thread of its own."""

    group: MemoryGroup
    limit: MemoryLimit
    period: float = PERIOD_SECONDS
    samples: list[tuple[float, Figures]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._take()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._take()

    def usage(self) -> Usage:
        """What came of it, after the block."""
        (_, first), (_, last) = self.samples[0], self.samples[-1]
        return Usage(
            self.limit.memory_bytes,
            self.limit.swap_bytes,
            self.group.version,
            _more(last.page_faults, first.page_faults),
            _more(last.major_faults, first.major_faults),
            _more(last.read_bytes, first.read_bytes),
            _more(last.written_bytes, first.written_bytes),
            last.swap_of,
            max((s.swapped_bytes for _, s in self.samples if s.swapped_bytes is not None), default=None),
            last.most_held_bytes,
            _more(last.limit_hits, first.limit_hits),
            _longer(last.some_seconds, first.some_seconds),
            _longer(last.full_seconds, first.full_seconds),
            last.pressure_of,
            _traffic(self.samples),
        )

    def _take(self) -> None:
        self.samples.append((time.monotonic(), self.group.figures()))

    def _watch(self) -> None:
        while not self._done.wait(self.period):
            self._take()
            if len(self.samples) > MOST:
                self.samples, self.period = self.samples[::2], 2 * self.period


def _traffic(samples: Sequence[tuple[float, Figures]]) -> Traffic | None:
    """The traffic; None where the kernel does not tell it."""
    begun, first = samples[0]
    if first.read_bytes is None or first.written_bytes is None:
        return None
    return Traffic(
        tuple(at - begun for at, _ in samples),
        tuple((s.read_bytes or first.read_bytes) - first.read_bytes for _, s in samples),
        tuple((s.written_bytes or first.written_bytes) - first.written_bytes for _, s in samples),
        tuple(s.swapped_bytes or 0 for _, s in samples),
    )


def _more(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


def _longer(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else round(after - before, 6)
