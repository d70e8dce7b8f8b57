"""Bytes of serialized objects, in closed form: 8 bytes a coefficient and limb.

n ring dimension, L limbs, K special limbs; each object has a small header beside. Measured for OpenFHE
1.6.1 (binary), SEAL 4.4 (uncompressed) and Lattigo 6.1.1.
"""

from dataclasses import dataclass

from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Program

WORD = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    ciphertext_bytes: int
    public_key_bytes: int
    secret_key_bytes: int
    evaluation_key_bytes: int  # relinearisation and every rotation key that the program uses
    evaluation_keys: int  # how many those are

    @property
    def all_keys_bytes(self) -> int:
        return self.public_key_bytes + self.secret_key_bytes + self.evaluation_key_bytes


def sizes(program: Program, p: Parameters) -> Sizes:
    """The sizes of what this program needs at these parameters."""
    n, limbs, special = p.ring_dimension, p.limbs, len(p.p)
    keys_over = limbs if p.library == "openfhe" else limbs + special
    count = program.switching_keys
    return Sizes(
        2 * WORD * n * limbs,
        2 * WORD * n * keys_over,
        WORD * n * keys_over,
        count * switching_key_bytes(p),
        count,
    )


def switching_key_bytes(p: Parameters) -> int:
    """Two polynomials over QP for each digit."""
    digits = p.limbs if p.key_switching == "bv" else p.digits
    return digits * 2 * WORD * p.ring_dimension * (p.limbs + len(p.p))
