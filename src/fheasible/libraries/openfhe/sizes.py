"""The bytes that OpenFHE 1.6.1 writes in its binary form: residues of 8 bytes, and a header of known length.

A file is a cereal archive. It holds the whole context (`CryptoContextImpl::save`,
`CryptoParametersRNS::save`) and each modulus once: an object that several others share is only a number from
its second occurrence on. The layout is from src/core/include/lattice/hal/{elemparams.h, default/*.h},
src/pke/include/{ciphertext.h, key/*.h, schemerns/rns-cryptoparameters.h} [OpenFHE]. The constants of each
kind of file were counted in files of the wheel. No polynomial is written as the seed that it was drawn from.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from fheasible.libraries.block import Sets
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.openfhe.refresh import method
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.schemes.rns.bootstrap import factors
from fheasible.schemes.rns.bootstrap.procedure import Procedure

WORD: Final = 8
_KNOWN: Final = 8  # a pointer to a known object: which class, which object
_RING: Final = 88  # what describes a ring, but for its moduli and the words of their product
_MODULUS: Final = 48  # a pointer, 2n, n, the prime, its root and two zeros
_LIMB: Final = 33  # pointer and length of a limb's vector, its modulus, its domain, a pointer to the modulus
_POLYNOMIAL: Final = 20  # how many limbs, the domain, a pointer to the ring
_EVALUATION_KEY: Final = 72  # its class, its context, its tag of 32 letters, two lengths
# What else is in a file; the scheme's name occurs in two names of classes.
_CIPHERTEXT: Final = 489
_PUBLIC_KEY: Final = 445
_SECRET_KEY: Final = 437
_RELINEARIZATION: Final = 495
_ROTATIONS: Final = 499  # each key has its index too
_INDEX: Final = 4
_BOOTSTRAPPED: Final = 77  # of a context that bootstraps; its correction factor, budgets and slots


def ciphertext(p: Sets, limbs: int, polys: int = 2) -> Any:
    """The bytes of a ciphertext with `polys` polynomials of `limbs` limbs.

    Below the top each of its polynomials brings a ring of its own, of known moduli.
    """
    own = 0 if limbs == p.limbs else polys * (_ring(p.q[:limbs]) + _KNOWN * limbs)
    return _context(p, _CIPHERTEXT) + own + polys * _polynomial(p, limbs)


def public_key(p: Sets) -> Any:
    """The bytes of a public key: two polynomials over Q."""
    return _context(p, _PUBLIC_KEY) + 2 * _polynomial(p, p.limbs)


def secret_key(p: Sets) -> Any:
    """The bytes of a secret key: one polynomial over Q."""
    return _context(p, _SECRET_KEY) + _polynomial(p, p.limbs)


def relinearization_key(p: Sets) -> Any:
    """The bytes of the file of `SerializeEvalMultKey`."""
    return _keys(p, _RELINEARIZATION, _switching_key(p))


def rotation_keys(p: Sets, keys: int) -> Any:
    """The bytes of the file of `SerializeEvalAutomorphismKey`: all rotations and the exchange of rows."""
    return _keys(p, _ROTATIONS, keys * (_INDEX + _switching_key(p)))


def bootstrap_key_count(p: Parameters, rotations: frozenset[int]) -> int:
    """How many automorphism keys a bootstrap adds to those of these rotations: its own, and conjugation.

    An encapsulated secret has one key to the sparse secret and one back.
    """
    return _full_keys(p, rotations) + _encapsulates(p)


def bootstrap_keys(p: Parameters, rotations: frozenset[int], relinearizes: bool) -> int:
    """The bytes that a bootstrap adds to the files of these rotations' keys and of relinearisation."""
    head = 0 if rotations else rotation_keys(p, 0)
    multiplies = 0 if relinearizes else relinearization_key(p)
    sparse = _INDEX + _to_sparse(p) if _encapsulates(p) else 0
    return head + multiplies + _full_keys(p, rotations) * (_INDEX + _switching_key(p)) + sparse


def _full_keys(p: Parameters, rotations: frozenset[int]) -> int:
    """How many of the keys that a bootstrap adds are over the whole of QP."""
    row, made = p.ring_dimension // 2, bootstrapping(p)
    procedure = made.procedure
    own = _turns(procedure, p.ring_dimension) - {step % row for step in rotations}
    return len(own) + 1 + _encapsulates(p)


@lru_cache(maxsize=1024)  # a search asks for many sets that bootstrap alike
def _turns(procedure: Procedure, n: int) -> frozenset[int]:
    """The rotations of a bootstrap."""
    return factors.rotations(procedure, n, method(procedure))


def _encapsulates(p: Parameters) -> bool:
    return bootstrapping(p).procedure.ephemeral is not None


def _to_sparse(p: Parameters) -> int:
    """The bytes of the key to the sparse secret: one digit, over the first prime and two of its own."""
    moduli = (p.q[0], *bootstrapping(p).ephemeral_p)
    own = _ring(moduli) + _MODULUS * len(moduli)
    return _EVALUATION_KEY + 2 * _polynomial(p, len(moduli)) + int(own)


def bootstrapping(p: Parameters) -> Bootstrapping:
    """The bootstrap of a set that has one."""
    assert p.scheme == "ckks"
    assert p.bootstrap is not None
    return p.bootstrap


def sum_steps(p: Sets) -> tuple[int, ...]:
    """The rotations that `EvalSumKeyGen` makes keys for: 1, 2, 3 times each power of 4 below the batch size.

    A last factor of 2 has a key of its own. The batch size is n/2 unless it is given. The wheel 1.6.1 adds
    four values at a time, where the public 1.5.1 adds two.
    """
    request = p.request if isinstance(p, Parameters) else None  # a block has the usual batch
    batch = (request.batch if request else None) or p.ring_dimension // 2
    powers = [4**i for i in range((batch.bit_length() - 1) // 2)]
    last = (batch // 2,) if batch.bit_length() % 2 == 0 else ()
    return (*(times * power for power in powers for times in (1, 2, 3)), *last)


def seeded_ciphertext(p: Sets, limbs: int) -> None:
    """None, because OpenFHE writes no seeds."""


def seeded_keys(p: Sets, relinearizes: bool, rotations: int) -> None:
    """None, because OpenFHE writes no seeds."""


def _context(p: Sets, rest: int) -> Any:
    """The bytes of a file's head, which is the context with its ring and its moduli, and `rest` more."""
    own = _BOOTSTRAPPED if isinstance(p, CkksParameters) and p.bootstrap is not None else 0
    return rest + own + 2 * len(p.scheme) + _ring(p.q) + _MODULUS * p.limbs


def _keys(p: Sets, rest: int, keys: int) -> Any:
    """The bytes of a file of keys. Hybrid key switching brings the ring modulo QP, with moduli of its own."""
    extended = p.q + p.p
    own = 0 if p.key_switching == "bv" else _ring(extended) + _MODULUS * len(extended)
    return _context(p, rest) + own + keys


def _switching_key(p: Sets) -> int:
    """The bytes of a switching key: two polynomials for each digit."""
    digits = p.limbs if p.key_switching == "bv" else p.digits
    return _EVALUATION_KEY + 2 * digits * _polynomial(p, p.limbs + len(p.p))


def _polynomial(p: Sets, limbs: int) -> int:
    return _POLYNOMIAL + limbs * (_LIMB + WORD * p.ring_dimension)


def _ring(moduli: Sequence[Any]) -> Any:
    """The bytes of a ring's description, which has the moduli's product as an integer of 64-bit words."""
    return _RING + WORD * _words(moduli)


def _words(moduli: Sequence[Any]) -> Any:
    """The number of 64-bit words of the moduli's product, for columns of moduli from its logarithm."""
    if isinstance(moduli[0], np.ndarray):
        return (np.floor(np.sum(np.log2(moduli), axis=0)) // 64 + 1).astype(np.int64)
    return -(-prod(moduli).bit_length() // 64)
