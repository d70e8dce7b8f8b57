"""Runs a program of table look-ups in a library of the TFHE family, and times its single operations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.measurement.execute import Arrays, RunOptions, RunPlan, Vectors, in_worker, send, vector
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.records import Hello, Measurement
from fheasible.measurement.samples import Timing
from fheasible.measurement.scratch import scratch
from fheasible.measurement.worker import Progress, Worker
from fheasible.program.lookup_serial import input_rows, to_message
from fheasible.program.lookups import LookupProgram, from_digits

OPERATIONS: Final[Mapping[str, str]] = {
    "encrypt": "a number, by the secret key",
    "decrypt": "a ciphertext to a number",
    "add": "two ciphertexts",
    "mul_scalar": "a ciphertext and a plain integer",
    "key_switch": "from the large key to the small one",
    "modulus_switch": "to 2N, with the small key",
    "bootstrap": "modulus switch, blind rotation and extraction: from the small key to the large one",
    "lookup": "key switch and bootstrap",
    "keygen_secret": "both secret keys",
    "keygen_switch": "the key for the key switch",
    "keygen_bootstrap": "the key for the bootstrap, as it is used",
}
"""The operations of libraries of the TFHE family, each of one ciphertext."""


def execute(
    library: str,
    program: LookupProgram,
    worker_parameters: Json,
    inputs: Vectors,
    plan: RunPlan | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
    watched: bool = False,
    limit: MemoryLimit | None = None,
) -> Measurement:
    """Runs `program` in a fresh process of `library`, whose start counts towards `timeout`, too.

    `watched` and `limit` are those of `measurement.execute.execute`.
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


def execute_on(
    worker: Worker,
    program: LookupProgram,
    worker_parameters: Json,
    inputs: Vectors,
    plan: RunPlan | None = None,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
) -> Measurement:
    """Runs `program` on integers, or real numbers where it has them, one vector for each input.

    Outputs are arrays of digits, of shape (values, length); `results` makes numbers of them. Raises
    LibraryMissing, WorkerRefused, WorkerDied or WorkerTimedOut (after `timeout` seconds).
    """
    return send(
        worker,
        lambda _: (to_message(program), _arrays(program, inputs)),
        worker_parameters,
        plan,
        options,
        progress,
        timeout,
    )


def results(program: LookupProgram, measurement: Measurement) -> dict[str, NDArray[Any]]:
    """The decrypted outputs as numbers, each of shape (length,)."""
    return {out.name: from_digits(list(measurement.outputs[out.name]), out) for out in program.outputs}


def _arrays(program: LookupProgram, inputs: Vectors) -> Arrays:
    """The digits of each input, a row for each digit."""
    for each in program.inputs:
        yield each.name, input_rows(vector(each.name, each.length, inputs), each)


@dataclass(frozen=True, slots=True)
class TimedLookups:
    """What single operations took, by name, and the sizes and memory as the worker tells them. `keygen`: CPU
    and wall seconds of making all keys."""

    hello: Hello
    timings: Mapping[str, Timing]
    keygen: tuple[float, float]
    sizes: Json
    memory: Json


def measure_on(
    worker: Worker,
    worker_parameters: Json,
    operations: Sequence[str],
    repetitions: int = 5,
    warmup: int = 1,
    timeout: float | None = None,
) -> TimedLookups:
    """Times each of `operations` once in every repetition, so that all of them meet the same load."""
    with scratch() as folder:
        reply = worker.measure(
            {
                "parameters": worker_parameters,
                "items": [{"operation": name} for name in operations],
                "folder": str(folder),
                "plan": {"repetitions": repetitions, "warmup": warmup, "threads": worker.threads},
            },
            timeout=timeout,
        )
    timings = {item["operation"]: Timing.of_pairs(item["seconds"]) for item in reply["items"]}
    cpu, wall = map(float, reply["keygen"])
    return TimedLookups(worker.hello, timings, (cpu, wall), reply["sizes"], reply["memory"])
