"""Bytes of what SEAL 4.4.0 writes without compression: residues of 8 bytes, and headers of fixed length.

From `save_members` in native/src/seal/{ciphertext, plaintext, kswitchkeys}.cpp, `SEALHeader` in
serialization.h and `GaloisKeys` in galoiskeys.h [SEAL].
"""

from typing import Final

from fheasible.libraries.parameters import Parameters

WORD: Final = 8
_HEADER: Final = 16  # SEALHeader: magic number, version, compression, length
_LEVEL: Final = 32  # the name of a set of moduli: a hash of 256 bits
_ARRAY: Final = _HEADER + WORD  # an array's own header, and its length
_CIPHERTEXT: Final = _HEADER + _LEVEL + 1 + 5 * WORD + _ARRAY  # domain; size, n, limbs, scale, correction
_PLAINTEXT: Final = _HEADER + _LEVEL + 2 * WORD + _ARRAY  # number of coefficients, scale
_KEYS: Final = _HEADER + _LEVEL + WORD  # how many lists of keys


def ciphertext(p: Parameters, limbs: int) -> int:
    """Of `limbs` limbs."""
    return _CIPHERTEXT + 2 * WORD * p.ring_dimension * limbs


def public_key(p: Parameters) -> int:
    """A ciphertext over QP."""
    return ciphertext(p, p.limbs + len(p.p))


def secret_key(p: Parameters) -> int:
    """A plaintext over QP."""
    return _PLAINTEXT + WORD * p.ring_dimension * (p.limbs + len(p.p))


def relinearization_key(p: Parameters) -> int:
    """A list of one key."""
    return _KEYS + _switching_key(p)


def rotation_keys(p: Parameters, keys: int) -> int:
    """One table of all: a list for each of the n possible rotations, mostly empty."""
    return _KEYS + WORD * (p.ring_dimension - keys) + keys * _switching_key(p)


def _switching_key(p: Parameters) -> int:
    """How many digits, and a public key for each: SEAL decomposes by the limb."""
    return WORD + p.limbs * public_key(p)
