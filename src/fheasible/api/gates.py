"""Bootstraps of bits and small integers, measured beside their predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from fheasible.aliases import Json
from fheasible.api.asking import profiles_of
from fheasible.api.platform import Talk
from fheasible.errors import UnknownName, UnsupportedOperation, UsageError, WorkerFailed
from fheasible.estimation.gates import seconds
from fheasible.estimation.profile import Profile
from fheasible.libraries.gates import OPERATIONS, PREFIX, Gates
from fheasible.libraries.library import Library
from fheasible.measurement.gates import GateJob, TimedGate, TimedGates, measure_gates

SETTINGS = ("set", "method", "log_q", "arbitrary")
_SMALL_FILE = 1 << 30  # keys are written, for their bytes, up to this predicted size


@dataclass(frozen=True)
class GateRow:
    """An operation with its predicted CPU seconds (None: not calibrated) and its measured ones."""

    timed: TimedGate
    predicted: float | None

    @property
    def measured(self) -> float | None:
        return min(self.timed.timing.cpu.seconds, default=None)

    @property
    def error(self) -> float | None:
        """(predicted - measured) / measured."""
        return self.predicted / self.measured - 1 if self.predicted and self.measured else None


@dataclass(frozen=True)
class MeasuredGates:
    """The answer. `key_bytes` and `memory_bytes` are predicted."""

    job: GateJob
    rows: tuple[GateRow, ...]
    found: TimedGates
    key_bytes: int
    memory_bytes: int

    @property
    def exit_code(self) -> int:
        return int(any(row.timed.wrong for row in self.rows))

    def to_json(self) -> Json:
        return {
            "job": asdict(self.job),
            "set": asdict(self.job.set),
            "operations": [_row(row) for row in self.rows],
            "sizes": dict(self.found.sizes),
            "memory": dict(self.found.memory),
            "predicted": {"key_bytes": self.key_bytes, "memory_bytes": self.memory_bytes},
        }


def _row(row: GateRow) -> Json:
    return {
        "operation": row.timed.operation,
        "predicted_seconds": row.predicted,
        "cpu_seconds": row.measured,
        "cpu_samples": list(row.timed.timing.cpu.seconds),
        "wrong": row.timed.wrong,
        "total": row.timed.total,
        "refused": row.timed.refused or None,
    }


def asks_gates(typed: Sequence[str]) -> bool:
    """Whether operations of that kind are named. UsageError where others are named beside them."""
    names = [word for text in typed for word in _words(text)]
    meant = [name.startswith(PREFIX) for name in names]
    if any(meant) and not all(meant):
        raise UsageError(
            "bootstraps of bits are measured by themselves", "name the other operations in another call"
        )
    return any(meant)


def _words(text: str) -> list[str]:
    return [w.strip().lower().replace("-", "_") for w in text.split(",") if w.strip()]


def measured_gates(
    libraries: Sequence[Library], operations: Sequence[str], params: Mapping[str, str], repetitions: int,
    timeout: float | None, talk: Talk,
) -> MeasuredGates:  # fmt: skip
    """Measures the operations with one set of the library that has them.

    UsageError or UnknownName for what cannot be meant, UnsupportedOperation where the library or the set has
    it not, and the worker's error where it fails.
    """
    able = [lib for lib in libraries if lib.gates is not None and not lib.build_of]
    if not able:
        raise UnsupportedOperation("none of these libraries bootstraps bits", "choose another library")
    lib, gates = able[0], able[0].gates
    assert gates is not None
    job = _job(lib, gates, [w for text in operations for w in _words(text)], params, repetitions)
    with talk.progress("measuring") as step:
        step(f"{lib.name}, {job.set.name} by {job.method}", 0, 1)
        found = measure_gates(job, timeout=timeout)
    refused = [item for item in found.items if item.refused]
    if len(refused) == len(found.items):
        raise WorkerFailed(f"{refused[0].operation}: {refused[0].refused}", "choose another operation or set")
    profile = profiles_of(talk.place, [lib], 1, talk.say).get(lib.name)
    rows = tuple(GateRow(item, _predicted(gates, job, item.operation, profile)) for item in found.items)
    of = job.set
    return MeasuredGates(
        job, rows, found, gates.key_bytes(of, job.method), gates.memory_bytes(of, job.method)
    )


def _predicted(gates: Gates, job: GateJob, operation: str, profile: Profile | None) -> float | None:
    return seconds(gates, job.set, job.method, operation, profile.gates) if profile else None


def _job(
    lib: Library, gates: Gates, names: Sequence[str], params: Mapping[str, str], repetitions: int
) -> GateJob:
    for name in names:
        if name not in OPERATIONS:
            raise UnknownName(f"there is no operation {name!r}", f"choose among {', '.join(OPERATIONS)}")
    for name in params:
        if name not in SETTINGS:
            raise UsageError(f"BinFHE has no parameter {name!r}", f"choose among {', '.join(SETTINGS)}")
    log_q, arbitrary = _log_q(params.get("log_q")), _truth(params.get("arbitrary", "true"))
    name, method = params.get("set", "STD128"), params.get("method", "ginx").lower()
    of = gates.bin_set(name, method, log_q, arbitrary)
    for operation in names:
        if why := gates.lacking(of, operation):
            raise UnsupportedOperation(
                f"{operation} cannot be measured with {of.name}: {why}", "change the set"
            )
    ordered = tuple(name for name in OPERATIONS if name in names)
    small = gates.key_bytes(of, method) <= _SMALL_FILE
    return GateJob(lib.name, of.name, method, ordered, log_q, arbitrary, repetitions, small)


def _log_q(text: str | None) -> int | None:
    if text is not None and not text.isdecimal():
        raise UsageError(f"log_q={text} is not a whole number", "write log_q=12")
    return None if text is None else int(text)


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise UsageError(f"arbitrary={text} is neither true nor false", "write arbitrary=false")
    return text.lower() == "true"
