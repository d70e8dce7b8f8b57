"""A small job, and measurements of it that were never measured."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import request_for
from fheasible.measurement.job import Job
from fheasible.measurement.records import Context, Hello, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.measurement.samples import Timing
from fheasible.measurement.sampling import Attempt
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

INSECURE = CATALOGUE["seal"].parameters(
    request_for("ckks", 1, None, scale_bits=40, first_bits=50, ring_dimension=4096)
)
HELLO = Hello("seal", "4.4.0", "seal-python 4.4.0", {"hexl": False}, "CPython 3.11", ("ckks",), ("add",))
PROGRAM = Program(
    scheme=Scheme.CKKS,
    slots=2048,
    levels=1,
    operations=(
        Operation(Action.ENCRYPT, 0, level=1, source="x"),
        Operation(Action.MUL_PLAIN, 1, (0,), level=1, plain=0, frees=(0,), internal=(("rescale", 1),)),
        Operation(Action.RESCALE, 2, (1,), level=0, frees=(1,)),
        Operation(Action.ROTATE, 3, (2,), level=0, steps=5, frees=(2,)),
    ),
    plains=(np.linspace(0, 1, 2048), np.array([0.5])),
    inputs=(Packed("x", 100, (0,)),),
    outputs=(Packed("y", 100, (3,)),),
)


def a_job(label: str = "", **changes: Any) -> Job:
    """Jobs of different labels differ in their inputs, so that their keys differ too."""
    inputs = {"x": np.full(100, len(label) + sum(map(ord, label)) / 1000)}
    return Job(**{"parameters": INSECURE, "program": PROGRAM, "inputs": inputs, "label": label} | changes)


def a_measurement(operations: NDArray[np.float64]) -> Measurement:
    """`operations` of shape (repetitions, operations, 2); decryption takes 5 and 6 milliseconds each time."""
    evaluate = operations[:, 1:].sum(axis=1).tolist()
    phases = Phases(
        context=Timing.of_pairs([(0.1, 0.2)]),
        keygen=Timing.of_pairs([(0.3, 0.4), (0.2, 0.9)]),
        encrypt=Timing.of_pairs(operations[:, 0].tolist()),
        evaluate=Timing.of_pairs(evaluate),
        decrypt=Timing.of_pairs([(0.005, 0.006)] * len(operations)),
    )
    return Measurement(
        HELLO,
        Context(4096, (2**60 + 1, 2**40 + 1), (2**60 + 33,), 2, None, (2.0**40, 2.0**40 + 0.5)),
        phases,
        MeasuredSizes(131072, 196608, None),
        ResidentMemory(1, 2, 3, 4),
        operations,
        {"y": np.ones((1, 2048))},
    )


def runner(done: list[Job]) -> Callable[[Job], Attempt]:
    """Measures nothing: notes the job, and tells times that no two runs share."""

    def run(job: Job) -> Attempt:
        done.append(job)
        times = np.arange(2 * 4 * 2, dtype=np.float64).reshape(2, 4, 2) * 1e-3 + len(done) / 7
        return Attempt("measured", "", a_measurement(times), HELLO)

    return run
