"""The bytes that Lattigo 6.1.1 writes (BinarySize): residues of 8 bytes, and the length of every slice.

The formats are from core/rlwe/{element, metadata, scale, keys, gadgetciphertext}.go, ring/poly.go,
ring/ringqp/poly.go and utils/structs/{vector, matrix}.go [Lattigo].
"""

from dataclasses import replace
from typing import Final

from fheasible.libraries.block import Sets
from fheasible.libraries.lattigo import bootstrap_memory
from fheasible.libraries.lattigo.bootstrap import widened
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.refreshing import refreshed

WORD: Final = 8
_SCALE: Final = 21 + 2 * (39 + 6)  # two numbers of 39 decimals as text
_METADATA: Final = 1 + 44 + (84 + _SCALE) + 38  # JSON of fixed length, and whether there is any
_SEED: Final = 32
_GALOIS: Final = 16  # the automorphism, and the root's order
_KEYS: Final = 7 + 2 + 4  # of a bootstrap: which of them there are, and how many have automorphisms


def ciphertext(p: Sets, limbs: int, polys: int = 2) -> int:
    """The bytes of a ciphertext with `polys` polynomials of `limbs` limbs."""
    return _METADATA + WORD + polys * _polynomial(p, limbs)


def public_key(p: Sets) -> int:
    """The bytes of a public key: two polynomials over QP."""
    return WORD + 2 * _extended(p)


def secret_key(p: Sets) -> int:
    """The bytes of a secret key: one polynomial over QP."""
    return _extended(p)


def relinearization_key(p: Sets) -> int:
    """The bytes of a relinearisation key: a list of digits, and its base.

    A digit is a list of one pair of polynomials over QP.
    """
    return 2 * WORD + p.digits * (WORD + public_key(p))


def rotation_keys(p: Sets, keys: int) -> int:
    """The bytes of all rotation keys, each written by itself."""
    return keys * (_GALOIS + relinearization_key(p))


def bootstrap_key_count(p: Parameters, rotations: frozenset[int]) -> int:
    """How many keys a bootstrap has, its relinearisation key not counted.

    There are those of its rotations, that of conjugation, and with an ephemeral secret one to it and one
    back. They are modulo the bootstrap's QP, so that a program's own keys cannot stand for them.
    """
    return bootstrap_memory.count(refreshed(p))


def bootstrap_keys(p: Parameters, rotations: frozenset[int], relinearizes: bool) -> int:
    """The bytes of all keys of a bootstrap, written as one (EvaluationKeys), each with its automorphism.

    The key to the ephemeral secret has one digit, modulo the first primes of Q and of P.
    """
    own = refreshed(p)
    key = relinearization_key(widened(own))
    narrow = relinearization_key(widened(replace(own, limbs=1, special=1, digits=1)))
    turns = bootstrap_memory.turning(own)
    encapsulated = 0 if own.procedure.ephemeral is None else key + narrow
    return _KEYS + key + encapsulated + turns * (WORD + _GALOIS + key)


def seeded_ciphertext(p: Sets, limbs: int) -> None:
    """None, because no format has a seed, although an encryptor may draw from one (`WithPRNG`)."""


def seeded_keys(p: Sets, relinearizes: bool, rotations: int) -> int:
    """The bytes of the public key as it is, and of compressed switching keys.

    A compressed key (`EvaluationKeyParameters.Compressed`) has the first polynomial of each pair, and one
    seed, which 6.1.1 does not write itself.
    """
    key = 2 * WORD + p.digits * (2 * WORD + _extended(p)) + _SEED
    return public_key(p) + relinearizes * key + rotations * (_GALOIS + key)


def _extended(p: Sets) -> int:
    """The bytes of a polynomial over QP: one over Q beside one over P."""
    return _polynomial(p, p.limbs) + (_polynomial(p, len(p.p)) if p.p else 0)


def _polynomial(p: Sets, limbs: int) -> int:
    return WORD + limbs * (WORD + WORD * p.ring_dimension)
