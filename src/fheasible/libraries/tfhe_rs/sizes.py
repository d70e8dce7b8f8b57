"""The bytes of TFHE-rs's keys and ciphertexts, in files and in memory."""

from typing import Final

from fheasible.libraries.lookup_library import LookupMemory, LookupSizes
from fheasible.schemes.tfhe import sizes
from fheasible.schemes.tfhe.parameters import TfheParameters

WORD: Final = 8
"""The bytes of a word, of a length, and of each number that stands beside an array in a file."""
_MODULUS: Final = 24  # the ciphertext modulus, in 128 bits, and the bits of a word
_SEED: Final = 44  # the key and the first counter of the generator of masks
BASELINE: Final = 4.5 * 2**20  # a process that has made keys, however small
_PLAN_BYTES: Final = 56  # of each coefficient, for the tables of the transforms
_CIPHERTEXT_BYTES: Final = 64  # of each ciphertext beside its words: the object, and the allocator's


def files(p: TfheParameters) -> LookupSizes:
    """What TFHE-rs's objects take as files. The bootstrapping key is transformed already; the seeded one is
    not."""
    seeded = sizes.bootstrap_key(p).seeded + sizes.switch_key(p).seeded
    return LookupSizes(
        ciphertext=WORD * (sizes.ciphertext(p).full + 1) + _MODULUS,
        evaluation_key=bootstrap_key(p) + switch_key(p),
        secret_key=WORD * (sizes.secret_keys(p) + 3),
        seeded_ciphertext=WORD * 2 + _SEED + _MODULUS,
        seeded_evaluation_key=WORD * (seeded + 5 + _grouped(p) + 4) + 2 * (_SEED + _MODULUS),
    )


def bootstrap_key(p: TfheParameters) -> int:
    """The length of each polynomial stands before it."""
    words = sizes.bootstrap_key(p).full
    return WORD * (words + words // p.polynomial_size + 7 + _grouped(p))


def switch_key(p: TfheParameters) -> int:
    return WORD * (sizes.switch_key(p).full + 4) + _MODULUS


def _grouped(p: TfheParameters) -> int:
    """How many words say the grouping."""
    return int(p.grouping > 1)


def memory(p: TfheParameters) -> LookupMemory:
    """Resident bytes. While keys are made, the bootstrapping key exists twice, transformed and not, and the
    key for the key switch not yet."""
    table = WORD * sizes.glwe_ciphertext(p.glwe_dimension, p.polynomial_size).full
    bootstrap, switch = (WORD * key(p).full for key in (sizes.bootstrap_key, sizes.switch_key))
    return LookupMemory(
        baseline=BASELINE,
        keys=bootstrap + switch + 2 * WORD * sizes.secret_keys(p) + _PLAN_BYTES * p.polynomial_size,
        key_generation=max(0, bootstrap - switch),
        ciphertext=WORD * sizes.ciphertext(p).full + _CIPHERTEXT_BYTES,
        lookup=5 * table + 2 * WORD * p.polynomial_size,
        table=table,
    )
