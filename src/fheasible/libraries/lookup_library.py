"""What Fheasible asks of a library of table look-ups: `LookupLibrary`. All answers are in its own folder.

A new library is a folder with one object of a subclass, a worker, and a line in `lookup_catalogue.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fheasible.aliases import Json
from fheasible.errors import UnknownName
from fheasible.libraries.library import Threading, WorkerSource
from fheasible.schemes.lookups import LookupParameters


class LookupTask(StrEnum):
    """What a library is asked to do, for one ciphertext each. One key generation makes all keys."""

    KEYGEN = "keygen"
    ENCRYPT = "encrypt"
    TRIVIAL = "trivial"  # a ciphertext of a plain number, without noise
    COPY = "copy"
    ADD = "add"  # one ciphertext added to another
    SCALE = "scale"  # one ciphertext times a plain integer other than 1
    ADD_PLAIN = "add_plain"  # a plain number added to one
    LOOKUP = "lookup"  # one table look-up, with its key switch
    DECRYPT = "decrypt"


EVALUATION = (
    LookupTask.TRIVIAL, LookupTask.COPY, LookupTask.ADD, LookupTask.SCALE, LookupTask.ADD_PLAIN,
    LookupTask.LOOKUP,
)  # fmt: skip
"""The tasks of the phase `evaluate`."""


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A set of parameters that the library ships. `promised_log2_failure`: log2 of the failure probability of
    a look-up that the library promises; None where it says nothing. `promised_bits`: its security level."""

    name: str
    parameters: LookupParameters
    scheme: str
    promised_log2_failure: float | None = None
    promised_bits: int | None = None


@dataclass(frozen=True, slots=True)
class Transforms:
    """How polynomials are multiplied. `mantissa_bits`: of the numbers of its FFT, whose rounding is noise;
    None where products are exact."""

    mantissa_bits: int | None = 53


@dataclass(frozen=True, slots=True)
class LookupMemory:
    """Resident bytes that a set takes.

    `baseline`: a process that has loaded the library; `keys`: all keys that evaluation needs, in the form in
    which they are kept; `key_generation`: the most that is in use beside them while they are made;
    `ciphertext`: one value; `lookup`: what one look-up works in, for each thread; `tables`: one table.
    """

    baseline: float
    keys: float
    key_generation: float
    ciphertext: float
    lookup: float
    table: float


@dataclass(frozen=True, slots=True)
class LookupSizes:
    """The bytes of files, as the library writes them.

    `evaluation_key` holds the bootstrapping key and the key-switching key; `seeded_...` are the forms in
    which a seed replaces the uniform part, None where the library has none. `public_key`: None where it has
    none.
    """

    ciphertext: int
    evaluation_key: int
    secret_key: int
    public_key: int | None = None
    seeded_ciphertext: int | None = None
    seeded_evaluation_key: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class LookupLibrary(ABC):
    """One library: its facts, and what it makes of parameters, which are of the type of its scheme.

    `worker_of`: the name of the library whose worker, environment and installation it shares; its own name
    for most. `named` are its own sets by name, in lower case.
    """

    name: str
    title: str  # the name as the library writes it
    version: str
    worker_of: str
    worker: WorkerSource
    schemes: tuple[str, ...]  # the ways of bootstrapping that it has, as --scheme names them
    threading: Threading
    named: Mapping[str, NamedSet]
    custom: bool  # whether it takes sets that are not among its own

    @abstractmethod
    def refusal(self, scheme: str, p: Any) -> str:
        """Why the library cannot run with that set, as a clause ("it has no ..."); "" where it can."""

    def most_values(self, p: Any) -> int:
        """How many values its ciphertexts can hold with the keys of that set, as `holds` has it."""
        return int(p.plaintext_modulus)

    def holds(self, p: Any, values: int) -> bool:
        """Whether its ciphertexts can hold so many values with the keys of that set."""
        return bool(p.plaintext_modulus == values)

    @abstractmethod
    def transforms(self, p: Any) -> Transforms:
        """How it multiplies polynomials, as far as noise depends on it."""

    @abstractmethod
    def work(self, task: LookupTask, scheme: str, p: Any) -> Mapping[str, float]:
        """Kernel counts by name of one task, from `schemes/tfhe/counted.py`; absent kernels are not used."""

    def parts(self, scheme: str, p: Any) -> Mapping[str, Mapping[str, float]]:
        """Kernel counts of the parts of a look-up that its worker can time by themselves, by their names in
        `measure`."""
        return {}

    @abstractmethod
    def samples(self) -> Sequence[tuple[str, Any]]:
        """(scheme, set) of all INSECURE sets that calibration measures, which differ in what counts."""

    @abstractmethod
    def rotation(self, p: Any) -> str:
        """What a look-up's blind rotation consists of, in words: its products and their digits."""

    @abstractmethod
    def sizes(self, scheme: str, p: Any) -> LookupSizes:
        """The bytes of its files."""

    @abstractmethod
    def memory(self, scheme: str, p: Any) -> LookupMemory:
        """The resident bytes of its worker."""

    @abstractmethod
    def worker_parameters(self, scheme: str, p: Any) -> Json:
        """The `parameters` of the worker's protocol."""

    def named_set(self, name: str) -> NamedSet:
        """The set of that name, in upper or lower case. UnknownName for any other name."""
        found = self.named.get(name.lower())
        if found is None:
            near = [s.name for key, s in self.named.items() if name.lower() in key][:8]
            some = near or [s.name for s in list(self.named.values())[:8]]
            raise UnknownName(
                f"{self.title} has no set of parameters named {name!r}",
                f"choose one of its {len(self.named)} sets, such as {', '.join(some)}",
            )
        return found
