"""Bytes of serialized objects, exactly: 8 bytes a residue, and the header that the library writes.

The formats stand in libraries/*/sizes.py: OpenFHE in binary, SEAL uncompressed,
Lattigo's BinarySize, each with the keys that this program needs and no others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from fheasible.libraries.lattigo import sizes as lattigo_sizes
from fheasible.libraries.openfhe import sizes as openfhe_sizes
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import sizes as seal_sizes
from fheasible.program.types import Action, Program, Scheme

WORD: Final = 8


class Format(Protocol):
    """What a library writes: bytes of each kind of object."""

    def ciphertext(self, p: Parameters, limbs: int) -> int: ...
    def public_key(self, p: Parameters) -> int: ...
    def secret_key(self, p: Parameters) -> int: ...
    def relinearization_key(self, p: Parameters) -> int: ...
    def rotation_keys(self, p: Parameters, keys: int) -> int: ...


_FORMATS: Final[Mapping[str, Format]] = {
    "openfhe": openfhe_sizes,
    "seal": seal_sizes,
    "lattigo": lattigo_sizes,
}


@dataclass(frozen=True, slots=True)
class Sizes:
    ciphertext_bytes: int  # one fresh ciphertext, the first that the program encrypts
    public_key_bytes: int
    secret_key_bytes: int
    evaluation_key_bytes: int  # relinearisation and every rotation key that the program uses
    evaluation_keys: int  # how many those are

    @property
    def all_keys_bytes(self) -> int:
        return self.public_key_bytes + self.secret_key_bytes + self.evaluation_key_bytes


def sizes(program: Program, p: Parameters) -> Sizes:
    """The sizes of what this program needs at these parameters."""
    written, turns = _FORMATS[p.library], rotation_key_count(program, p)
    relinearization = written.relinearization_key(p) if program.relinearizes else 0
    rotations = written.rotation_keys(p, turns) if turns else 0
    return Sizes(
        written.ciphertext(p, _fresh_limbs(program, p)),
        written.public_key(p),
        written.secret_key(p),
        relinearization + rotations,
        program.relinearizes + turns,
    )


def rotation_key_count(program: Program, p: Parameters) -> int:
    """Automorphism keys: one for each rotation step, one for the exchange of rows, and the powers of two that
    OpenFHE's own sum takes, where they are not among the rotations."""
    steps = set(program.rotations)
    if program.sums_slots:
        steps.update(openfhe_sizes.sum_steps(p))
    return len(steps) + program.swaps_rows


def _fresh_limbs(program: Program, p: Parameters) -> int:
    first = next((o for o in program.operations if o.action is Action.ENCRYPT), None)
    return p.limbs if program.scheme is Scheme.BFV or first is None else first.level + 1
