"""Bytes of what Lattigo 6.1.1 writes (BinarySize): residues of 8 bytes, and the length of every slice.

From core/rlwe/{element, metadata, scale, keys, gadgetciphertext}.go, ring/poly.go, ring/ringqp/poly.go and
utils/structs/{vector, matrix}.go [Lattigo].
"""

from typing import Final

from fheasible.libraries.parameters import Parameters

WORD: Final = 8
_SCALE: Final = 21 + 2 * (39 + 6)  # two numbers of 39 decimals as text
_METADATA: Final = 1 + 44 + (84 + _SCALE) + 38  # JSON of fixed length, and whether there is any
_GALOIS: Final = 16  # the automorphism, and the root's order


def ciphertext(p: Parameters, limbs: int) -> int:
    """Of `limbs` limbs."""
    return _METADATA + WORD + 2 * _polynomial(p, limbs)


def public_key(p: Parameters) -> int:
    """Two polynomials over QP."""
    return WORD + 2 * _extended(p)


def secret_key(p: Parameters) -> int:
    """One polynomial over QP."""
    return _extended(p)


def relinearization_key(p: Parameters) -> int:
    """A digit is a list of one pair of polynomials over QP; beside the list of digits stands its base."""
    return 2 * WORD + p.digits * (WORD + public_key(p))


def rotation_keys(p: Parameters, keys: int) -> int:
    """All of them, each by itself."""
    return keys * (_GALOIS + relinearization_key(p))


def _extended(p: Parameters) -> int:
    """A polynomial over Q beside one over P."""
    return _polynomial(p, p.limbs) + (_polynomial(p, len(p.p)) if p.p else 0)


def _polynomial(p: Parameters, limbs: int) -> int:
    return WORD + limbs * (WORD + WORD * p.ring_dimension)
