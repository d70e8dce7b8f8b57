"""Runs a lowered program in a library: what `run`, `verify` and calibration measure."""

from collections.abc import Mapping
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
    with (
        confined(limit) as group,
        Worker(library, plan.threads, watched=watched, confined=group, timeout=timeout) as worker,
    ):
        try:
            return execute_on(worker, program, worker_parameters, inputs, plan, options, progress)
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
    with scratch() as folder:
        sent, received = folder / "in", folder / "out"
        sent.mkdir()
        received.mkdir()
        return worker.run(
            to_message(program, sent),
            worker_parameters,
            _write_inputs(program, inputs, sent),
            received,
            (plan or RunPlan(threads=worker.threads)).to_json(),
            (options or RunOptions()).to_json(),
            progress,
            timeout,
        )


def results(program: Program, measurement: Measurement) -> dict[str, NDArray[Any]]:
    """The decrypted outputs as logical vectors: chunks joined, padding cut off, equal slots averaged."""
    return {p.name: unpack(p, list(np.asarray(measurement.outputs[p.name]))) for p in program.outputs}


def _write_inputs(program: Program, inputs: Vectors, folder: Path) -> dict[str, Path]:
    kind = np.float64 if program.scheme is Scheme.CKKS else np.int64
    paths = {}
    for number, packed in enumerate(program.inputs):
        paths[packed.name] = folder / f"input_{number}.npy"
        np.save(paths[packed.name], _chunks(program, packed, inputs).astype(kind))
    return paths


def _chunks(program: Program, packed: Packed, inputs: Vectors) -> NDArray[Any]:
    """The input as (chunks, slots). Raises DataError when it is absent or of another length."""
    if packed.name not in inputs:
        raise DataError(f"the input {packed.name!r} has no values", f"give {packed.length} values")
    values = np.asarray(inputs[packed.name])
    if values.ndim == 2 and values.shape == (len(packed.values), program.slots):
        return values
    if values.shape != (packed.length,):
        raise DataError(
            f"the input {packed.name!r} has shape {values.shape}, but the program takes {packed.length} "
            "values"
        )
    return chunk(values, program.slots, packed.tiled)
