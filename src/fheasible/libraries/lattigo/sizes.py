"""Bytes of what Lattigo 6.1.1 writes (BinarySize): residues of 8 bytes, and the length of every slice.

From core/rlwe/{element, metadata, scale, keys, gadgetciphertext}.go, ring/poly.go, ring/ringqp/poly.go and
utils/structs/{vector, matrix}.go [Lattigo].
"""

from typing import Final

from fheasible.libraries.block import Sets

WORD: Final = 8
_SCALE: Final = 21 + 2 * (39 + 6)  # two numbers of 39 decimals as text
_METADATA: Final = 1 + 44 + (84 + _SCALE) + 38  # JSON of fixed length, and whether there is any
_SEED: Final = 32
_GALOIS: Final = 16  # the automorphism, and the root's order


def ciphertext(p: Sets, limbs: int, polys: int = 2) -> int:
    """Of `limbs` limbs."""
    return _METADATA + WORD + polys * _polynomial(p, limbs)


def public_key(p: Sets) -> int:
    """Two polynomials over QP."""
    return WORD + 2 * _extended(p)


def secret_key(p: Sets) -> int:
    """One polynomial over QP."""
    return _extended(p)


def relinearization_key(p: Sets) -> int:
    """A digit is a list of one pair of polynomials over QP; beside the list of digits stands its base."""
    return 2 * WORD + p.digits * (WORD + public_key(p))


def rotation_keys(p: Sets, keys: int) -> int:
    """All of them, each by itself."""
    return keys * (_GALOIS + relinearization_key(p))


def seeded_ciphertext(p: Sets, limbs: int) -> None:
    """There is none: an encryptor may draw from a seed (`WithPRNG`), but no format has it."""


def seeded_keys(p: Sets, relinearizes: bool, rotations: int) -> int:
    """The public key as it is, and compressed switching keys (`EvaluationKeyParameters.Compressed`): of each
    pair the first polynomial. Each has one seed, which 6.1.1 does not write itself."""
    key = 2 * WORD + p.digits * (2 * WORD + _extended(p)) + _SEED
    return public_key(p) + relinearizes * key + rotations * (_GALOIS + key)


def _extended(p: Sets) -> int:
    """A polynomial over Q beside one over P."""
    return _polynomial(p, p.limbs) + (_polynomial(p, len(p.p)) if p.p else 0)


def _polynomial(p: Sets, limbs: int) -> int:
    return WORD + limbs * (WORD + WORD * p.ring_dimension)
