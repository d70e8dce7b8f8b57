"""The bytes that SEAL 4.4.0 writes without compression: residues of 8 bytes, and headers of fixed length.

The formats are from `save_members` in native/src/seal/{ciphertext, plaintext, kswitchkeys, randomgen}.cpp,
`SEALHeader` in serialization.h and `GaloisKeys` in galoiskeys.h [SEAL]. An object that is encrypted with the
secret key, such as a key, can be written with a seed for its random half (`Serializable`). Our worker's
Python binding reads such files but writes none.
"""

from typing import Final

from fheasible.libraries.block import Sets
from fheasible.libraries.parameters import Parameters

WORD: Final = 8
_HEADER: Final = 16  # SEALHeader: magic number, version, compression, length
_LEVEL: Final = 32  # the name of a set of moduli: a hash of 256 bits
_ARRAY: Final = _HEADER + WORD  # an array's own header, and its length
_CIPHERTEXT: Final = _HEADER + _LEVEL + 1 + 5 * WORD + _ARRAY  # domain; size, n, limbs, scale, correction
_PLAINTEXT: Final = _HEADER + _LEVEL + 2 * WORD + _ARRAY  # number of coefficients, scale
_SEED: Final = _HEADER + 1 + 64  # UniformRandomGeneratorInfo: which generator, its seed
_KEYS: Final = _HEADER + _LEVEL + WORD  # how many lists of keys


def ciphertext(p: Sets, limbs: int, polys: int = 2) -> int:
    """The bytes of a ciphertext with `polys` polynomials of `limbs` limbs."""
    return _CIPHERTEXT + polys * WORD * p.ring_dimension * limbs


def public_key(p: Sets) -> int:
    """The bytes of a public key: a ciphertext over QP."""
    return ciphertext(p, p.limbs + len(p.p))


def secret_key(p: Sets) -> int:
    """The bytes of a secret key: a plaintext over QP."""
    return _PLAINTEXT + WORD * p.ring_dimension * (p.limbs + len(p.p))


def relinearization_key(p: Sets) -> int:
    """The bytes of a relinearisation key: a list of one switching key."""
    return _KEYS + _switching_key(p)


def rotation_keys(p: Sets, keys: int) -> int:
    """The bytes of one table of all rotation keys: n lists, one for each possible rotation, mostly empty."""
    return _KEYS + WORD * (p.ring_dimension - keys) + keys * _switching_key(p)


def _switching_key(p: Sets) -> int:
    """The bytes of a switching key: the number of digits, and a public key for each. A digit is a limb."""
    return WORD + p.limbs * public_key(p)


def bootstrap_key_count(p: Parameters, rotations: frozenset[int]) -> int:
    """0, because SEAL bootstraps nothing."""
    return 0


def bootstrap_keys(p: Parameters, rotations: frozenset[int], relinearizes: bool) -> int:
    """0, because SEAL bootstraps nothing."""
    return 0


def seeded_ciphertext(p: Sets, limbs: int) -> int:
    """The bytes of a value that is encrypted with the secret key: a seed stands for its second polynomial.

    BGV and BFV encrypt at the top (`Encryptor::encrypt_symmetric`).
    """
    return ciphertext(p, limbs if p.scheme == "ckks" else p.limbs, 1) + _SEED


def seeded_keys(p: Sets, relinearizes: bool, rotations: int) -> int:
    """The bytes of the public key and all switching keys (`KeyGenerator::create_...`), each pair with a seed
    for its second polynomial."""
    pairs = 1 + p.limbs * (relinearizes + rotations)
    saved = WORD * p.ring_dimension * (p.limbs + len(p.p)) - _SEED
    written = public_key(p) + relinearizes * relinearization_key(p)
    return written + (rotation_keys(p, rotations) if rotations else 0) - pairs * saved
