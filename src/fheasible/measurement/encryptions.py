"""Runs a program on many independent encryptions of the same data, to show what noise does to its results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.execute import RunOptions, RunPlan, Vectors, execute_on
from fheasible.measurement.records import Context, Hello, Measurement
from fheasible.measurement.worker import Worker
from fheasible.program.simulate import unpack
from fheasible.program.types import Program, Scheme

Arrays = dict[str, NDArray[Any]]

ENCRYPTIONS = 32
PER_KEYS = 4  # encryptions under one set of keys; they share the noise of these keys


@dataclass(frozen=True, slots=True, eq=False)
class Encryptions:
    """The results and the noise of many encryptions; every array has the encryptions as its first axis.

    `results` are the decrypted outputs as logical vectors. `noise` (BFV, BGV) is each output's invariant
    noise [t (c_0 + c_1 s)]_Q / Q (BGV: [c_0 + c_1 s]_Q / Q), of shape (encryptions, chunks, n), in [-1/2,
    1/2): a decryption is right below 1/2. `keys` has the number of the key set of each encryption.
    """

    results: Arrays
    noise: Arrays
    keys: NDArray[np.int64]
    hello: Hello
    context: Context

    @property
    def budgets(self) -> dict[str, NDArray[np.float64]]:
        """Noise budget left, in bits, for each encryption and chunk of each output."""
        return {name: budgets(v) for name, v in self.noise.items()}

    @property
    def noise_bits(self) -> dict[str, NDArray[np.float64]]:
        """log2 of the noise's root mean square over the coefficients, for each encryption and chunk."""
        return {name: np.log2(np.mean(v**2, axis=-1)) / 2 for name, v in self.noise.items()}


def encryptions(
    worker: Worker,
    program: Program,
    parameters: Parameters,
    data: Vectors,
    count: int = ENCRYPTIONS,
    per_keys: int = PER_KEYS,
    timeout: float | None = None,
) -> Encryptions:
    """`count` runs of `program` on encryptions of `data`, with fresh keys for every `per_keys` of them.

    Raises WorkerRefused, WorkerDied or WorkerTimedOut (after `timeout` seconds for one set of keys).
    """
    options = RunOptions(sizes=False, every_output=True, noise=program.scheme is not Scheme.CKKS)
    runs = [
        execute_on(
            worker, program, library(parameters.library).worker_parameters(parameters), data,
            RunPlan(number, warmup=0, threads=worker.threads), options, timeout=timeout,
        )
        for number in _shares(count, per_keys)
    ]  # fmt: skip
    return Encryptions(
        _joined([results(program, run) for run in runs]),
        _joined([run.noise for run in runs]),
        np.repeat(np.arange(len(runs)), [run.repetitions for run in runs]),
        runs[0].hello,
        runs[0].context,
    )


def _shares(count: int, most: int) -> Iterator[int]:
    """`count` split into shares of at most `most`."""
    for done in range(0, count, most):
        yield min(most, count - done)


def results(program: Program, run: Measurement) -> Arrays:
    """The decrypted outputs of every repetition, as logical vectors."""
    return {p.name: np.stack([unpack(p, list(one)) for one in run.outputs[p.name]]) for p in program.outputs}


def budgets(noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bits that noise of shape (..., n), as a fraction of q, leaves: -log2 of twice its largest value."""
    left: NDArray[np.float64] = -np.log2(2 * np.abs(noise).max(axis=-1))
    return left


def _joined(parts: list[Arrays]) -> Arrays:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
