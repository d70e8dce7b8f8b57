"""The results of a run in a worker: times, sizes, memory, outputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.measurement.counters import Counters, counters, stretches
from fheasible.measurement.limited.usage import Usage
from fheasible.measurement.resident import Sampler, Trace
from fheasible.measurement.samples import Samples, Timing

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Hello:
    """What a worker says about itself when it starts, without being asked."""

    library: str
    version: str
    binding: str
    build: Json
    runtime: str
    schemes: tuple[str, ...]
    operations: tuple[str, ...]
    made_from: str = ""  # a hash of the sources that the worker was built from (`WorkerCommand.made_from`)

    @staticmethod
    def from_message(message: Json) -> "Hello":
        return Hello(
            message["library"],
            message["version"],
            message.get("binding", ""),
            message.get("build") or {},
            message.get("runtime", ""),
            tuple(message["schemes"]),
            tuple(message["operations"]),
            str(message.get("made_from", "")),
        )


@dataclass(frozen=True, slots=True)
class Context:
    """The parameters that the library really runs with."""

    ring_dimension: int
    q: tuple[int, ...]
    p: tuple[int, ...] = ()
    digits: int | None = None
    plain_modulus: int | None = None
    scales: tuple[float, ...] = ()

    @staticmethod
    def from_message(message: Json) -> "Context":
        """The context from a `described` or `measured` message, or from our own JSON."""
        t = message.get("plain_modulus")
        return Context(
            int(message["ring_dimension"]),
            tuple(int(x) for x in message["q"]),
            tuple(int(x) for x in message.get("p") or ()),
            message.get("digits"),
            None if t is None else int(t),
            tuple(float(x) for x in message.get("scales") or ()),
        )

    def to_json(self) -> Json:
        """The context as JSON, with primes as decimal strings, which no JSON reader rounds."""
        return {
            "ring_dimension": self.ring_dimension,
            "q": [str(x) for x in self.q],
            "p": [str(x) for x in self.p],
            "digits": self.digits,
            "plain_modulus": self.plain_modulus,
            "scales": list(self.scales),
        }


@dataclass(frozen=True, slots=True)
class Phases:
    """The times of a run's phases.

    `context` and `keygen` have a sample for each time they were done, the others one for each repetition.
    """

    context: Timing
    keygen: Timing
    encrypt: Timing
    evaluate: Timing
    decrypt: Timing

    @property
    def total(self) -> Timing:
        """The sum encrypt + evaluate + decrypt of each repetition."""
        return self.encrypt + self.evaluate + self.decrypt

    def named(self) -> dict[str, Timing]:
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"total": self.total}

    @staticmethod
    def from_message(message: Json) -> "Phases":
        """The phases of a message. Raises ValueError where phases differ in their repetitions."""
        found = Phases(**{f.name: Timing.of_pairs(message.get(f.name, ())) for f in fields(Phases)})
        if len({len(t.cpu.seconds) for t in (found.encrypt, found.evaluate, found.decrypt)}) > 1:
            raise ValueError("phases have different numbers of repetitions")
        return found


@dataclass(frozen=True, slots=True)
class MeasuredSizes:
    """Bytes of serialized objects; None where the binding cannot tell."""

    ciphertext_bytes: int | None = None
    public_key_bytes: int | None = None
    secret_key_bytes: int | None = None
    relinearization_key_bytes: int | None = None
    rotation_keys_bytes: int | None = None
    rotation_key_count: int | None = None
    bootstrap_key_bytes: int | None = None  # of libraries of the TFHE family, as is the next
    key_switch_key_bytes: int | None = None

    @property
    def evaluation_key_bytes(self) -> int | None:
        """Bytes of all keys that an evaluation needs: the relinearisation key and every rotation key, or the
        keys for bootstraps and key switches. None where one is unknown."""
        parts = (self.relinearization_key_bytes, self.rotation_keys_bytes)
        if self.bootstrap_key_bytes is not None:
            parts = (self.bootstrap_key_bytes, self.key_switch_key_bytes)
        return None if None in parts else sum(p for p in parts if p is not None)

    def to_json(self) -> Json:
        own: Json = {f.name: getattr(self, f.name) for f in fields(self)}
        return own | {"evaluation_key_bytes": self.evaluation_key_bytes}

    @staticmethod
    def from_message(message: Json) -> "MeasuredSizes":
        """The sizes from a worker's `sizes`, whose keys do without `_bytes`."""
        return MeasuredSizes(
            **{f.name: _count(message.get(f.name.removesuffix("_bytes"))) for f in fields(MeasuredSizes)}
        )


@dataclass(frozen=True, slots=True)
class ResidentMemory:
    """Resident bytes of the worker's process: after start-up, context and keys, and at the peak."""

    baseline_bytes: int | None = None
    context_bytes: int | None = None
    keys_bytes: int | None = None
    peak_bytes: int | None = None

    def to_json(self) -> Json:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """One run. `operations` holds seconds [cpu, wall], of shape (repetitions, operations, 2)."""

    hello: Hello
    context: Context
    phases: Phases
    sizes: MeasuredSizes
    memory: ResidentMemory
    operations: NDArray[np.float64] | None = None
    outputs: Arrays = field(default_factory=dict)  # each (chunks, slots); with every_output one for each run
    inputs_after: Arrays = field(default_factory=dict)  # with the option check_inputs
    noise: Arrays = field(default_factory=dict)  # with the option noise: (chunks, n) for each output
    counters: Counters | None = None  # of a run that was watched, where the worker keeps marks
    resident: Trace | None = None  # of a run that was watched, where the system tells
    limited: Usage | None = None  # of a run under a limit on its memory
    threads: int = 1  # that executed the program

    @property
    def repetitions(self) -> int:
        return len(self.phases.evaluate.cpu.seconds)

    def to_json(self, operations: bool = False) -> Json:
        """Times, sizes and memory; with `operations` every operation's samples too. No outputs."""
        phases = self.phases.named()
        figures: Json = {
            "cpu_seconds": {name: timing.cpu.to_json() for name, timing in phases.items()},
            "wall_seconds": {name: timing.wall.to_json() for name, timing in phases.items()},
            **self.sizes.to_json(),
            **self.memory.to_json(),
            "repetitions": self.repetitions,
            "threads": self.threads,
            "context": self.context.to_json(),
            "worker": {f.name: getattr(self.hello, f.name) for f in fields(self.hello)},
            "counters": None if self.counters is None else self.counters.to_json(),
            "resident": None if self.resident is None else self.resident.to_json(),
            "limited": None if self.limited is None else self.limited.to_json(),
        }
        if operations and self.operations is not None:
            figures["operation_seconds"] = np.round(self.operations, 9).tolist()  # a clock tells no less
        return figures


def measurement_from_json(stored: Json) -> Measurement:
    """The measurement that `Measurement.to_json` wrote; its outputs are not kept there."""
    operations = stored.get("operation_seconds")
    counted, resident, limited = (stored.get(name) for name in ("counters", "resident", "limited"))
    return Measurement(
        Hello.from_message(stored["worker"]),
        Context.from_message(stored["context"]),
        Phases(**{f.name: _timing(stored, f.name) for f in fields(Phases)}),
        MeasuredSizes(**_known(MeasuredSizes, stored)),
        ResidentMemory(**_known(ResidentMemory, stored)),
        None if operations is None else np.array(operations, dtype=np.float64),
        counters=None if counted is None else Counters.from_json(counted),
        resident=None if resident is None else Trace.from_json(resident),
        limited=None if limited is None else Usage.from_json(limited),
        threads=int(stored.get("threads", 1)),
    )


def measurement_from_message(message: Json, hello: Hello, folder: Path) -> Measurement:
    """The measurement from a worker's `measured`.

    It reads the arrays that the message names, and those in `folder`/inputs_after.
    """
    samples = message.get("samples")
    return Measurement(
        hello,
        Context.from_message(message),
        Phases.from_message(message["phases"]),
        MeasuredSizes.from_message(message.get("sizes") or {}),
        ResidentMemory(
            **{k: _count(v) for k, v in _known(ResidentMemory, message.get("memory") or {}).items()}
        ),
        None if samples is None else np.load(samples),
        {name: np.load(path) for name, path in message["outputs"].items()},
        {path.stem: np.load(path) for path in (folder / "inputs_after").glob("*.npy")},
        {name: np.load(path) for name, path in (message.get("noise") or {}).items()},
        threads=int(message.get("threads", 1)),
    )


def watched_from_message(message: Json, hello: Hello, folder: Path, sampler: Sampler) -> Measurement:
    """`measurement_from_message` of a run that was watched, with what each phase used and held."""
    measured = measurement_from_message(message, hello, folder)
    if "marks" not in message:
        return replace(measured, resident=sampler.trace())
    marks = np.load(message["marks"])
    return replace(
        measured,
        counters=counters(marks, measured.repetitions),
        resident=sampler.trace(stretches(marks)),
    )


def _count(told: Any) -> int | None:
    """A count as a worker reports it, or None. Raises ValueError for what is not a count."""
    if told is None:
        return None
    if isinstance(told, bool) or not isinstance(told, int) or told < 0:
        raise ValueError(f"{told!r} is not a number of bytes")
    return told


def _timing(stored: Json, phase: str) -> Timing:
    cpu, wall = stored["cpu_seconds"][phase], stored["wall_seconds"][phase]
    return Timing(Samples.from_json(cpu), Samples.from_json(wall))


def _known(kind: Any, stored: Mapping[str, Any]) -> Json:
    return {f.name: stored.get(f.name) for f in fields(kind)}
