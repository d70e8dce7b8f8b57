"""Runs a lowered program in a library: what `run`, `verify` and calibration measure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.errors import DataError, WorkerFailed
from fheasible.measurement.limited.confined import confined
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.records import Measurement
from fheasible.measurement.scratch import scratch
from fheasible.measurement.worker import Progress, Worker
from fheasible.program.serial import to_message
from fheasible.program.simulate import unpack
from fheasible.program.types import Packed, Program, Scheme, chunk

Vectors = Mapping[str, NDArray[Any]]
Arrays = Iterator[tuple[str, NDArray[Any]]]  # with their names, made one by one since they may be large


@dataclass(frozen=True, slots=True)
class RunPlan:
    """How often a program is executed: at least `repetitions` times and `min_seconds`, after warm-ups.

    `threads` None leaves their number to the library.
    """

    repetitions: int = 3
    warmup: int = 1
    threads: int | None = 1
    min_seconds: float = 0.0
    keygens: int = 1

    def to_json(self) -> Json:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Further things that a worker does in a run, as the protocol describes them."""

    wrong_key: bool = False
    check_inputs: bool = False
    sizes: bool = True
    every_output: bool = False
    noise: bool = False

    def to_json(self) -> Json:
        """The options as JSON.

        Options that were added later are left out unless they are set, so that a stored job keeps its key.
        """
        return {k: v for k, v in asdict(self).items() if v or k not in ("every_output", "noise")}


def execute(
    library: str,
    program: Program,
    worker_parameters: Json,
    inputs: Vectors,
    plan: RunPlan | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
    watched: bool = False,
    limit: MemoryLimit | None = None,
) -> Measurement:
    """Runs `program` in a fresh process of `library`; see `execute_on`. The start of the process counts
    towards `timeout`, too.

    A run that is `watched` also tells what each phase used, and its resident set over time. With a `limit` on
    memory it raises KilledForMemory where that was too little, and LimitImpossible where it cannot be set, or
    is too little to start.
    """
    plan = plan or RunPlan()
    return in_worker(
        library,
        lambda worker: execute_on(worker, program, worker_parameters, inputs, plan, options, progress),
        plan,
        timeout,
        watched,
        limit,
    )


def in_worker(
    library: str,
    run: Callable[[Worker], Measurement],
    plan: RunPlan,
    timeout: float | None = None,
    watched: bool = False,
    limit: MemoryLimit | None = None,
) -> Measurement:
    """What `run` measures with a fresh process of `library`. The other arguments are those of `execute`.

    A failure of the worker also carries what the worker said of itself when it started.
    """
    with (
        confined(limit) as group,
        Worker(library, plan.threads, watched=watched, confined=group, timeout=timeout) as worker,
    ):
        try:
            return run(worker)
        except WorkerFailed as error:
            error.hello = worker.hello
            raise


def execute_on(
    worker: Worker,
    program: Program,
    worker_parameters: Json,
    inputs: Vectors,
    plan: RunPlan | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
) -> Measurement:
    """Runs `program` on `inputs` (logical vectors, or arrays already of shape (chunks, slots)).

    Raises LibraryMissing, WorkerRefused, WorkerDied or WorkerTimedOut (after `timeout` seconds).
    """
    return send(
        worker,
        lambda folder: (to_message(program, folder), _arrays(program, inputs)),
        worker_parameters,
        plan,
        options,
        progress,
        timeout,
    )


def send(
    worker: Worker,
    request: Callable[[Path], tuple[Json, Arrays]],
    worker_parameters: Json,
    plan: RunPlan | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
) -> Measurement:
    """The worker's measurement of a program. `request` gives its message and the arrays of its inputs;
    it may write files into the folder that it is given, which is there until the run has ended."""
    with scratch() as folder:
        sent, received = folder / "in", folder / "out"
        sent.mkdir()
        received.mkdir()
        message, arrays = request(sent)
        return worker.run(
            message,
            worker_parameters,
            _written(arrays, sent),
            received,
            (plan or RunPlan(threads=worker.threads)).to_json(),
            (options or RunOptions()).to_json(),
            progress,
            timeout,
        )


def results(program: Program, measurement: Measurement) -> dict[str, NDArray[Any]]:
    """The decrypted outputs as logical vectors: chunks joined, padding cut off, equal slots averaged."""
    return {p.name: unpack(p, list(np.asarray(measurement.outputs[p.name]))) for p in program.outputs}


def vector(name: str, length: int, inputs: Vectors) -> NDArray[Any]:
    """The input of that name. Raises DataError when it is absent or of another length."""
    if name not in inputs:
        raise DataError(f"the input {name!r} has no values", f"give {length} values")
    values = np.asarray(inputs[name])
    if values.shape != (length,):
        raise DataError(f"the input {name!r} has shape {values.shape}, but the program takes {length} values")
    return values


def _written(arrays: Arrays, folder: Path) -> dict[str, Path]:
    """The file of each array, in the folder."""
    paths = {}
    for number, (name, values) in enumerate(arrays):
        paths[name] = folder / f"input_{number}.npy"
        np.save(paths[name], values)
    return paths


def _arrays(program: Program, inputs: Vectors) -> Arrays:
    """Each input of the program as (chunks, slots)."""
    kind = np.float64 if program.scheme is Scheme.CKKS else np.int64
    for packed in program.inputs:
        yield packed.name, _chunks(program, packed, inputs).astype(kind)


def _chunks(program: Program, packed: Packed, inputs: Vectors) -> NDArray[Any]:
    """The input as (chunks, slots). Raises DataError when it is absent or of another length."""
    shape = (len(packed.values), program.slots)
    if packed.name in inputs and np.shape(inputs[packed.name]) == shape:
        return np.asarray(inputs[packed.name])
    given = {name: vector(name, length, inputs) for name, length in packed.sources}
    return chunk(packed.given(given), program.slots, packed.tiled)
