"""The resident set of the process that runs a program, by phase: what is needed, what a system makes of it.

What is needed is counted from the library's own tables, keys, values and temporaries
(libraries/*/resident.py); a `MemoryModel` adds the bare process and the little that a count misses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from fheasible.estimation.sizes import WORD, rotation_key_count
from fheasible.libraries.lattigo import resident as lattigo_resident
from fheasible.libraries.openfhe import resident as openfhe_resident
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import resident as seal_resident
from fheasible.libraries.steps import data_bytes
from fheasible.libraries.work import Layout
from fheasible.program.types import Program

OPERATION_BYTES: Final = 800  # of one operation of the program in a worker that is written in Python


class Resident(Protocol):
    """What a library keeps in memory, in limbs of 8n bytes."""

    def context(self, program: Program, p: Parameters) -> float: ...
    def keys(self, program: Program, p: Parameters, switching_keys: int) -> float: ...
    def key_generation(self, p: Parameters) -> float: ...
    def evaluation(self, program: Program, p: Parameters, switching_keys: int) -> float: ...


_RESIDENT: Final[Mapping[str, Resident]] = {
    "openfhe": openfhe_resident,
    "seal": seal_resident,
    "lattigo": lattigo_resident,
}


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes that a program needs, by phase."""

    data: int  # inputs, plain vectors and operations, which are read before anything else
    context: int
    keys: int
    key_generation: int  # beside the keys while they are made
    evaluation: int  # beside context and keys: values, temporaries, what is thrown away

    @property
    def working(self) -> int:
        """What keys in the making leave is used again."""
        return max(self.key_generation, self.evaluation)


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """Resident bytes = baseline + data + fixed + context * (its bytes) + keys * (theirs) + working * (its).

    Figures of a library and scheme; the last three are near 1.
    """

    baseline_bytes: float  # the bare process, its library loaded
    fixed_bytes: float = 0.0  # of a context, however small
    context: float = 1.0
    keys: float = 1.0
    working: float = 1.0


@dataclass(frozen=True, slots=True)
class ResidentSet:
    """Predicted bytes after each phase, and at most: a worker measures the same four."""

    baseline_bytes: int
    context_bytes: int
    keys_bytes: int
    peak_bytes: int


PHYSICAL: Final[Mapping[str, MemoryModel]] = {
    "openfhe": MemoryModel(43.5e6, 1.8e6),
    "seal": MemoryModel(34.0e6, 0.9e6),
    "lattigo": MemoryModel(7.5e6, 2.2e6),
}
"""Where nothing was measured: every byte counted takes one. Bare processes as they are on x86-64 Linux."""


def needs(program: Program, p: Parameters) -> Needs:
    """What a worker of `p.library` needs to run `program`, as often as it likes."""
    return _needs(_Alike(program, p))


class _Alike:
    """A program in parameters, equal where only what memory does not mind differs: which primes they are."""

    def __init__(self, program: Program, p: Parameters) -> None:
        self.program, self.p = program, p
        bits = round(p.log_q / p.limbs)
        self._key = (program, p.ring_dimension, Layout.of(p), bits, rotation_key_count(program, p))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alike) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=4096)
def _needs(alike: _Alike) -> Needs:
    program, p = alike.program, alike.p
    of, per_limb = _RESIDENT[p.library], WORD * p.ring_dimension
    switching_keys = program.relinearizes + rotation_key_count(program, p)
    return Needs(
        0 if p.library == "lattigo" else data_bytes(program) + OPERATION_BYTES * len(program.operations),
        round(per_limb * of.context(program, p)),
        round(per_limb * of.keys(program, p, switching_keys)),
        round(per_limb * of.key_generation(p)),
        round(per_limb * of.evaluation(program, p, switching_keys)),
    )


def resident_set(model: MemoryModel, needed: Needs) -> ResidentSet:
    """Phase by phase; the last of the four is the peak."""
    baseline = model.baseline_bytes + needed.data
    context = baseline + model.fixed_bytes + model.context * needed.context
    keys = context + model.keys * needed.keys
    after, most = (model.working * x for x in (needed.key_generation, needed.working))
    return ResidentSet(round(baseline), round(context), round(keys + after), round(keys + most))


def peak_bytes(model: MemoryModel, needed: Needs) -> int:
    """The peak of the resident set."""
    return resident_set(model, needed).peak_bytes
