"""Bootstraps of bits and small integers in a worker: what is asked, and what comes back."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from fheasible.aliases import Json
from fheasible.libraries.catalogue import library
from fheasible.measurement.failures import understanding
from fheasible.measurement.limited.confined import confined
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.limited.usage import Usage
from fheasible.measurement.records import Hello
from fheasible.measurement.samples import Timing
from fheasible.measurement.worker import Progress, Worker


@dataclass(frozen=True, slots=True)
class GateJob:
    """Operations with one set of a library, in one process. `key_file`: write the keys, for their bytes."""

    library: str
    name: str
    method: str
    operations: tuple[str, ...]
    log_q: int | None = None
    arbitrary: bool = True
    repetitions: int = 10
    key_file: bool = False
    threads: int = 1

    @property
    def set(self) -> Any:
        gates = library(self.library).gates
        assert gates is not None
        return gates.bin_set(self.name, self.method, self.log_q, self.arbitrary)


@dataclass(frozen=True, slots=True)
class TimedGate:
    """An operation with its times. `wrong` of `total` results were not what they should be."""

    operation: str
    timing: Timing
    wrong: int
    total: int
    refused: str


@dataclass(frozen=True, slots=True)
class TimedGates:
    items: tuple[TimedGate, ...]
    sizes: Mapping[str, int]
    memory: Mapping[str, int]
    hello: Hello
    limited: Usage | None = None  # of a run under a limit on memory

    def seconds(self, operation: str) -> float | None:
        """The least CPU seconds of an operation; None where it has none."""
        of = next(item for item in self.items if item.operation == operation)
        return min(of.timing.cpu.seconds, default=None)


def measure_gates(
    job: GateJob,
    progress: Progress | None = None,
    timeout: float | None = None,
    limit: MemoryLimit | None = None,
) -> TimedGates:
    """Runs the job in a fresh process. Raises WorkerRefused, WorkerDied or WorkerTimedOut, and
    LimitImpossible where memory cannot be limited."""
    of = job.set
    asked = {"set": of.name, "method": job.method, "log_q": of.log_q, "arbitrary": of.arbitrary}
    request = {
        "parameters": asked,
        "operations": list(job.operations),
        "repetitions": job.repetitions,
        "key_file": job.key_file,
    }
    with confined(limit) as group, Worker(job.library, job.threads, confined=group) as worker:
        with group.followed() if group else nullcontext() as follower:
            reply = worker.bits(request, progress, timeout)
        with understanding(job.library):
            if (reply["n"], reply["ring"]) != (of.n, of.ring):
                raise ValueError(f"a set of n = {reply['n']}, N = {reply['ring']} in the place of {of}")
            sizes, memory = (
                {name: int(size) for name, size in reply[key].items()} for key in ("sizes", "memory")
            )
            items = tuple(_items(job, reply["items"]))
        used = follower.usage() if follower else None
        return TimedGates(items, sizes, memory, worker.hello, used)


def _items(job: GateJob, replies: list[Json]) -> Iterator[TimedGate]:
    for name, told in zip(job.operations, replies, strict=True):
        if told["operation"] != name:
            raise ValueError(f"{told['operation']} in the place of {name}")
        timing = Timing.of_pairs(told["seconds"])
        yield TimedGate(name, timing, int(told["wrong"]), int(told["total"]), str(told["refused"] or ""))
