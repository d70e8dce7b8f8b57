"""The resident set of the process that runs a program, by phase: the bytes needed, and the bytes resident.

The bytes needed are counted from the library's own tables, keys, values and temporaries
(libraries/*/resident.py); a `MemoryModel` adds the bare process and the little that a count misses.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.estimation.sizes import WORD, evaluation_key_count
from fheasible.libraries.block import Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import data_bytes
from fheasible.program.types import Program

PUBLISHED_BAND: Final = 0.048  # 36 of 38 applications on three libraries: benchmarks/results/accuracy.json
UNMEASURED_BAND: Final = 0.1  # measured working memory was 0.9 to 1.1 times the counted one
OPERATION_BYTES: Final = 800  # one operation of the program, in a worker that is written in Python


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes that a program needs, by phase. For a block they may be arrays with a value for each set."""

    data: int  # inputs, plain vectors and operations, which are read before anything else
    context: int
    keys: int
    key_generation: int  # in use beside the keys while they are made
    evaluation: int  # in use beside context and keys: values, temporaries and garbage

    @property
    def working(self) -> int:
        """The larger of the last two: evaluation uses the memory again that key generation has freed."""
        most: int = _larger(self.key_generation, self.evaluation)
        return most


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """What a library's resident bytes are for a scheme, as a linear function of the bytes needed.

    bytes = baseline + data + fixed + context * (its bytes) + keys * (their bytes) + working * (its bytes).
    The factors `context`, `keys` and `working` are near 1. `error_band` is the relative error that nine of
    ten predicted peaks stay within, in runs that the fit has not seen.
    """

    baseline_bytes: float  # the bare process with its library loaded
    fixed_bytes: float = 0.0  # the bytes of every context, however small
    context: float = 1.0
    keys: float = 1.0
    working: float = 1.0
    error_band: float = PUBLISHED_BAND


@dataclass(frozen=True, slots=True)
class ResidentSet:
    """Predicted resident bytes after each phase, and at the peak. A worker measures the same four figures."""

    baseline_bytes: int
    context_bytes: int
    keys_bytes: int
    peak_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class OverTime:
    """Predicted resident bytes over a run.

    They are the bytes before the context is made, with the context and with the keys, and the most bytes
    during each operation of the program and while results are decrypted. The largest of all is the peak.
    """

    baseline_bytes: int
    context_bytes: int
    keys_bytes: int
    operations: NDArray[np.int64]
    decryption_bytes: int

    @property
    def peak_bytes(self) -> int:
        return max(self.keys_bytes, self.decryption_bytes, int(self.operations.max(initial=0)))


def physical(name: str) -> MemoryModel:
    """The model of a library on which nothing was measured: every counted byte takes one resident byte."""
    bare = library(name).bare
    return MemoryModel(bare.baseline_bytes, bare.fixed_bytes, error_band=UNMEASURED_BAND)


def needs(program: Program, p: Sets, threads: int | None = 1) -> Needs:
    """The bytes that a worker of `p.library` needs to run `program`, however often, with so many threads.

    A block can be given where all that memory depends on is either the same for its sets or an array. That
    is not so in BFV, and in BGV not for every library.
    """
    lib, per_limb = library(p.library), WORD * p.ring_dimension
    of = lib.resident
    switching_keys = evaluation_key_count(program, p)
    return Needs(
        data_bytes(program) + OPERATION_BYTES * len(program.operations) if lib.bare.reads_inputs_first else 0,
        round(per_limb * of.context(program, p)),
        round(per_limb * of.keys(program, p, switching_keys)),
        round(per_limb * of.key_generation(p)),
        _whole(per_limb * of.evaluation(program, p, switching_keys, threads)),
    )


def resident_set(model: MemoryModel, needed: Needs) -> ResidentSet:
    """The predicted resident bytes after each phase, and at the peak."""
    baseline = model.baseline_bytes + needed.data
    context = baseline + model.fixed_bytes + model.context * needed.context
    keys = context + model.keys * needed.keys
    after, most = (model.working * x for x in (needed.key_generation, needed.working))
    return ResidentSet(round(baseline), round(context), round(keys + after), _whole(keys + most))


def peak_bytes(model: MemoryModel, needed: Needs) -> int:
    """The peak of the resident set."""
    return resident_set(model, needed).peak_bytes


def over_time(model: MemoryModel, program: Program, p: Parameters, threads: int | None = 1) -> OverTime:
    """The resident set while the program runs, in the order in which so many threads begin its operations."""
    of, per_limb = library(p.library).resident, WORD * p.ring_dimension
    limbs = np.array(of.over_time(program, p, evaluation_key_count(program, p), threads))
    found = resident_set(model, replace(needs(program, p), evaluation=_whole(per_limb * limbs)))
    during = np.asarray(found.peak_bytes)
    phases = found.baseline_bytes, found.context_bytes, found.keys_bytes
    return OverTime(*phases, during[:-1], int(during[-1]))


def _whole(x: Any) -> Any:
    return np.rint(x).astype(np.int64) if isinstance(x, np.ndarray) else round(x)


def _larger(x: Any, y: Any) -> Any:
    return np.maximum(x, y) if isinstance(y, np.ndarray) else max(x, y)
