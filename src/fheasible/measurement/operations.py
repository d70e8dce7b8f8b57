"""Single operations of a library, each measured by itself: what is asked of a worker, and what comes back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.measurement.failures import understanding
from fheasible.measurement.limited.usage import Usage
from fheasible.measurement.records import Context, Hello
from fheasible.measurement.sampled import parameters_stored
from fheasible.measurement.samples import Timing
from fheasible.measurement.scratch import scratch
from fheasible.measurement.worker import Progress, Worker
from fheasible.schemes.rns.bootstrap.table import typical

Vector = NDArray[Any]

OPERATIONS: Final[Mapping[str, str]] = {
    "encode": "numbers to a plaintext",
    "decode": "a plaintext to numbers",
    "encrypt": "a plaintext, by the public key",
    "encrypt_secret": "a plaintext, by the secret key",
    "encode_encrypt": "numbers to a ciphertext, as programs do",
    "decrypt": "a ciphertext to a plaintext",
    "decrypt_decode": "a ciphertext to numbers, as programs do",
    "add": "two ciphertexts",
    "sub": "two ciphertexts",
    "negate": "a ciphertext",
    "mul": "two ciphertexts, without relinearisation",
    "square": "a ciphertext by itself, without relinearisation",
    "add_plain": "a ciphertext and a vector, which is encoded",
    "mul_plain": "a ciphertext and a vector, which is encoded",
    "add_scalar": "a ciphertext and one number",
    "mul_scalar": "a ciphertext and one number",
    "relinearize": "a product to two polynomials",
    "rescale": "CKKS: divide by the last prime; BGV: switch the modulus",
    "drop": "one level less: CKKS forgets a prime, BGV switches the modulus",
    "rotate": "by one slot, alone",
    "rotate_hoist": "the first of rotations that share digits, which it makes",
    "rotate_hoisted": "a further one of them",
    "swap_rows": "exchange both rows of BGV and BFV",
    "bootstrap": "CKKS: the levels of a ciphertext back",
    "key_switch": "a ciphertext to another secret key",
    "keygen_secret": "a secret key",
    "keygen_public": "a public key",
    "keygen_pair": "a secret and a public key",
    "keygen_relinearize": "a relinearisation key",
    "keygen_rotate": "the key of one rotation",
    "keygen_switch": "a key that switches ciphertexts to another secret key",
}
"""What each operation does, in the order in which they are shown."""

SWITCHING: Final[Mapping[str, str]] = {
    "ckks_to_fhew": "the slots of a ciphertext to FHEW ciphertexts",
    "compare_by_switching": "1 where a ciphertext's slot is less than another's, else 0, by FHEW",
    "minimum_by_switching": "the least slot, with its place, by FHEW",
    "maximum_by_switching": "the largest slot, with its place, by FHEW",
}
"""Operations of scheme switching. They are measured only where they are named: their keys take gigabytes."""
TABLES: Final[Mapping[str, str]] = {
    "table_lookup": "each coefficient's entry of a table, with the levels back",
    "table_angles": "its first part, which serves any table with as many entries",
    "table_entries": "its second part, from there to the entries in the slots",
    "table_decode": "its last part, the slots to coefficients",
}
"""Operations of a bootstrap that looks a table up; they need parameters with one."""
_HALF = 0.5  # of an entry, beyond which another one is nearer
_TIE = 2**-10  # vectors are compared where they differ by more than what FHEW's modulus tells apart

KEYGEN: Final = "keygen_"
OVER_A_PRODUCT: Final = ("mul", "square", "mul_plain", "mul_scalar", "relinearize", "rescale")
_FAR = 1 / 16  # CKKS results farther off than this are no results, since all values are within [-1, 1]


@dataclass(frozen=True, slots=True)
class Item:
    """An operation on operands at a level. Keys are made for the whole chain."""

    operation: str
    level: int

    @property
    def makes_keys(self) -> bool:
        return self.operation.startswith(KEYGEN)


@dataclass(frozen=True)
class OperationJob:
    """The items that are measured in one process, on random vectors of `slots` numbers.

    `fhew`: the security of FHEW in scheme switching, where it is not that of the parameters. `sparse`: CKKS
    vectors are packed sparsely, instead of being repeated. `automatic`: the library brings
    operands to one level by itself.
    """

    parameters: Parameters
    slots: int
    items: tuple[Item, ...]
    automatic: bool = False
    sparse: bool = False
    repetitions: int = 10
    warmup: int = 1
    threads: int = 1
    seed: int = 0
    fhew: int | None = None

    @property
    def library(self) -> str:
        return self.parameters.library

    @property
    def scheme(self) -> str:
        return self.parameters.scheme

    @property
    def exact(self) -> bool:
        return self.scheme != "ckks"

    @property
    def two_rows(self) -> bool:
        return self.exact and self.slots == self.parameters.ring_dimension

    @property
    def scalar(self) -> float | int:
        return 3 if self.exact else 0.7

    @cached_property
    def inputs(self) -> tuple[Vector, Vector]:
        draw = np.random.default_rng(self.seed)
        both = draw.uniform(-1, 1, (2, self.slots))
        x, y = np.rint(100 * both).astype(np.int64) if self.exact else both
        return x, y

    def to_json(self) -> Json:
        """What is measured, by names."""
        own = {k: v for k, v in asdict(self).items() if k not in ("parameters", "items")}
        if own["fhew"] is None:
            del own["fhew"]  # so that jobs without it keep their key
        return own | {
            "parameters": parameters_stored(self.parameters),
            "items": [asdict(item) for item in self.items],
        }

    @cached_property
    def key(self) -> str:
        """A key that equal work has on any machine."""
        told = json.dumps({"operations": self.to_json()}, sort_keys=True)
        return sha256(told.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class TimedItem:
    """An item with its times. `refused` says why it has none; `error` is how far its result is from the one
    that was expected (CKKS: the largest of all slots; integers and tables: the share of wrong slots), None
    where it has no values. `off`: of looked-up entries, the root mean square of what noise adds to them."""

    item: Item
    timing: Timing
    error: float | None = None
    refused: str = ""
    off: float | None = None

    def to_json(self) -> Json:
        return {
            **asdict(self.item),
            "cpu_seconds": list(self.timing.cpu.seconds),
            "wall_seconds": list(self.timing.wall.seconds),
            "error": self.error,
            "refused": self.refused,
            **({} if self.off is None else {"off": self.off}),
        }

    @staticmethod
    def from_json(stored: Json) -> "TimedItem":
        pairs = zip(stored["cpu_seconds"], stored["wall_seconds"], strict=True)
        item = Item(stored["operation"], stored["level"])
        return TimedItem(item, Timing.of_pairs(pairs), stored["error"], stored["refused"], stored.get("off"))


@dataclass(frozen=True, slots=True)
class TimedItems:
    """One run of a job. `sizes` are bytes by the name of the object; None where the binding cannot tell.
    `limited` is what a run under a limit on its memory did to memory and swap."""

    hello: Hello
    context: Context
    items: tuple[TimedItem, ...]
    sizes: Mapping[str, int | None]
    memory: Mapping[str, int]
    limited: Usage | None = None

    def to_json(self) -> Json:
        limited = {} if self.limited is None else {"limited": self.limited.to_json()}
        return limited | {
            "worker": asdict(self.hello),
            "context": self.context.to_json(),
            "items": [item.to_json() for item in self.items],
            "sizes": dict(self.sizes),
            "memory": dict(self.memory),
        }

    @staticmethod
    def from_json(stored: Json) -> "TimedItems":
        return TimedItems(
            Hello.from_message(stored["worker"]),
            Context.from_message(stored["context"]),
            tuple(TimedItem.from_json(item) for item in stored["items"]),
            stored["sizes"],
            stored["memory"],
            Usage.from_json(stored["limited"]) if stored.get("limited") else None,
        )


def is_noise(job: OperationJob, timed: TimedItem) -> bool:
    """Whether the result is not the one that was expected: the noise is beyond what that level can hold."""
    return timed.error is not None and timed.error > (
        0 if job.exact or timed.item.operation in TABLES else _FAR
    )


def measure_on(
    worker: Worker, job: OperationJob, progress: Progress | None = None, timeout: float | None = None
) -> TimedItems:
    """Measures the job's items once. Raises WorkerRefused, WorkerDied or WorkerTimedOut."""
    with scratch() as folder:
        reply = worker.measure(_request(job, folder), progress, timeout)
        with understanding(job.library):
            return TimedItems(
                worker.hello,
                Context.from_message(reply),
                tuple(_timed(job, reply["items"])),
                {name: None if n is None else int(n) for name, n in reply["sizes"].items()},
                {name: int(n) for name, n in reply["memory"].items()},
            )


def _request(job: OperationJob, folder: Path) -> Json:
    paths = {name: str(folder / f"{name}.npy") for name in ("x", "y")}
    for path, values in zip(paths.values(), job.inputs, strict=True):
        np.save(path, values)
    received = folder / "out"
    received.mkdir()
    fhew = {} if job.fhew is None else {"fhew": job.fhew}
    return {
        "parameters": library(job.library).worker_parameters(job.parameters) | fhew,
        "slots": job.slots,
        "two_rows": job.two_rows,
        "sparse": job.sparse,
        "automatic": job.automatic,
        "items": [asdict(item) for item in job.items],
        "inputs": paths,
        "scalar": str(job.scalar) if job.exact else job.scalar,
        "plan": {"repetitions": job.repetitions, "warmup": job.warmup, "threads": job.threads},
        "folder": str(received),
    }


def _timed(job: OperationJob, replies: Sequence[Json]) -> Iterator[TimedItem]:
    """The items of a reply. Raises ValueError where they are not those that were asked for, or where one has
    neither times nor a reason."""
    for item, told in zip(job.items, replies, strict=True):
        if (told["operation"], told["level"]) != (item.operation, item.level):
            raise ValueError(f"{told['operation']} at level {told['level']} in the place of {item}")
        timing, refused = Timing.of_pairs(told["seconds"]), str(told.get("refused") or "")
        if not refused and len(timing.cpu.seconds) < job.repetitions:
            raise ValueError(f"{item.operation} has {len(timing.cpu.seconds)} samples")
        values = np.load(told["values"]) if told.get("values") else None
        error = None if values is None else _error(job, item, values)
        off = _off(job, values) if values is not None and item.operation in TABLES else None
        yield TimedItem(item, timing, error, refused, off)


def _error(job: OperationJob, item: Item, values: Vector) -> float:
    """How far the values are from those that the operation should make."""
    expected = _expected(item.operation, *job.inputs, job.scalar, job.two_rows)
    if values.shape != expected.shape:
        raise ValueError(f"{item.operation} made {values.shape} values, not {expected.shape}")
    if job.parameters.scheme != "ckks":
        return float(np.mean((values - expected) % job.parameters.plain_modulus != 0))
    ties = item.operation == "compare_by_switching" and np.abs(job.inputs[0] - job.inputs[1]) < _TIE
    if item.operation in TABLES:
        return float(np.mean(np.abs(_beside_entries(job, values)) > _HALF))
    error = np.where(ties, 0.0, np.abs(values - expected)).max()
    return float(error) if np.isfinite(error) else float(np.finfo(np.float64).max)


def _off(job: OperationJob, values: Vector) -> float:
    """The root mean square of the errors of looked-up entries that are right."""
    errors = _beside_entries(job, values)
    right = errors[np.abs(errors) <= _HALF]
    return float(np.sqrt(np.mean(right**2))) if len(right) else 0.0


def _beside_entries(job: OperationJob, values: Vector) -> Vector:
    """The errors of looked-up entries, which wrap around at their number."""
    assert isinstance(job.parameters, CkksParameters)
    assert job.parameters.bootstrap is not None
    table = job.parameters.bootstrap.procedure.table
    assert table is not None
    errors = np.asarray(values) - _looked_up(job)
    return np.asarray((errors + table.entries / 2) % table.entries - table.entries / 2)


def _looked_up(job: OperationJob) -> Vector:
    """The entries that the table has for the job's first vector, as a worker turns it into numbers."""
    assert isinstance(job.parameters, CkksParameters)
    assert job.parameters.bootstrap is not None
    table = job.parameters.bootstrap.procedure.table
    assert table is not None
    numbers = np.clip((job.inputs[0] + 1) / 2 * table.entries, 0, table.entries - 1)
    return typical(table)[numbers.astype(np.int64)]


def _expected(operation: str, x: Vector, y: Vector, scalar: float, two_rows: bool) -> Vector:
    rows = x.reshape(2 if two_rows else 1, -1)
    found: dict[str, Vector] = {
        "add": x + y,
        "sub": x - y,
        "negate": -x,
        "square": x * x,
        "add_plain": x + y,
        "add_scalar": x + scalar,
        "mul_scalar": x * scalar,
        "compare_by_switching": (x < y).astype(float),
        "minimum_by_switching": np.full_like(x, x.min()),
        "maximum_by_switching": np.full_like(x, x.max()),
        "swap_rows": rows[::-1].reshape(-1),
        **dict.fromkeys(("mul", "mul_plain", "relinearize", "rescale"), x * y),
        **dict.fromkeys(("rotate", "rotate_hoist", "rotate_hoisted"), np.roll(rows, -1, axis=1).reshape(-1)),
    }
    return found.get(operation, x)
