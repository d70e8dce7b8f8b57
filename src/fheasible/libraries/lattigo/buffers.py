"""The memory that each action of Lattigo 6.1.1 takes, in limbs of 8n bytes.

Results are new ciphertexts. Temporaries are in buffers that the evaluator, encoder and encryptor keep.
Garbage is collected only between operations (workers/lattigo/memory.go), and takes memory until then. This
one description says how much memory an action works in, which decides its time (`Memory.peak`), and what it
leaves in the process (read by `resident`). The facts are from core/rlwe/{evaluator, encryptor, decryptor}.go,
ring/basis_extension.go and schemes/{ckks, bgv}/{evaluator, encoder}.go [Lattigo]. What is new was compared
with runtime.MemStats, and the kept buffers with those that are no longer zero after an action.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.lattigo.case import LattigoCase
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS

RANDOM: Final = 0.15  # random bytes of an encryption, most of them one for each coefficient of the mask
_INTEGERS: Final = (15.0, 6.7)  # big integers of a decoding, and as many more for each limb
_SWITCHING: Final = ("relinearize", "rotate", "swap_rows", MAKES_DIGITS, HAS_DIGITS)
_ALONE: Final = ("add", "sub", "neg", "add_scalar", "mul_scalar")  # write to their result alone


class Memory(NamedTuple):
    """What an action newly allocates: its result, plaintexts and garbage; and what it writes of each kept
    buffer."""

    made: float
    written: Mapping[str, int]

    @property
    def peak(self) -> int:
        """The most limbs in use beside the operands."""
        return round(self.made) + sum(self.written.values())


def memory(action: str, c: LattigoCase) -> Memory:
    """The memory of an action. UnsupportedOperation for an action that Lattigo does not have."""
    return Memory(_made(action, c), _written(action, c))


# -- what is new


def _made(action: str, c: LattigoCase) -> float:
    """The limbs that an action newly allocates."""
    result = c.polys * c.limbs
    match action:
        case "keygen":
            return _keys(c)
        case "encrypt":
            return 3 * c.limbs + RANDOM + encoding_garbage(c)
        case "add_plain" | "mul_plain":
            return result + c.limbs + encoding_garbage(c)
        case "mul" | "square":
            return 3 * c.limbs
        case "rescale":
            return c.polys * (c.limbs - 1)
        case "drop" if c.dropped and not c.is_real:  # a new ciphertext for each prime
            return c.polys * sum(range(c.limbs, c.limbs + c.dropped))
        case "rotate_hoist":
            return result + c.digit_limbs
        case "decrypt":
            return c.limbs + (1 if c.is_real else 2) + integers(c)
        case _ if action in _SWITCHING or action in _ALONE or action == "drop":
            return result
    raise UnsupportedOperation(f"Lattigo has no {action}", "lower the program for its style")


def encoding_garbage(c: LattigoCase) -> int:
    """The limbs of garbage that encoding makes in CKKS.

    CKKS lists all moduli of the chain twice for every coefficient, at every level: 24 bytes for each prime.
    Lists of at most 32 bytes are on the stack: both of them for up to two primes, one of them for up to four.
    """
    if not c.is_real or c.chain <= 2:
        return 0
    return (2 if c.chain <= 4 else 3) * c.chain


def integers(c: LattigoCase) -> float:
    """The limbs of big integers that decoding throws away in CKKS above level 0.

    There are some for every coefficient. Go makes room for more words than a number has, so that they take
    as much with primes of 22 bits as with those of 60: within 8 limbs of this, from 2 limbs to 20.
    """
    return _INTEGERS[0] + _INTEGERS[1] * c.limbs if c.is_real and c.limbs > 1 else 0.0


def _keys(c: LattigoCase) -> int:
    """The limbs of key generation: the generator's buffers, the pair of keys, and for each switching key a
    row per digit and an index table."""
    wide = c.chain + c.special
    digits = -(-c.chain // max(c.special, 1))
    return 5 * wide + c.chain + 3 * wide + c.polys * (2 * digits * wide + 1)


# -- what is kept


def _written(action: str, c: LattigoCase) -> dict[str, int]:
    """The limbs that an action writes of each buffer, by the buffer's name."""
    match action:
        case "encrypt":
            return {"encoder": 1} | _mask(c)
        case "add_plain":
            return {"encoder": 1}
        case "mul_plain":
            return {"encoder": 1, "buffQ[0]": c.limbs}
        case "decrypt":
            return {"encoder": 1, "encoder's polynomial": c.limbs}
        case "mul" | "square":
            kept = {"buffQ[0]": c.limbs, "buffQ[1]": c.limbs}
            return kept | _second_base(action, c) if c.scheme == "bfv" else kept
        case "rescale":
            return {"buffQ[0]": c.limbs}
        case "drop" if c.dropped and not c.is_real:
            return {"buffQ[0]": c.limbs + c.dropped}
        case _ if action in _SWITCHING:
            return _switching(action, c)
    return {}


def _mask(c: LattigoCase) -> dict[str, int]:
    """The encryptor's buffers. The ternary sampler writes all of the chain.

    With P they are over one special prime more, where both halves are divided by it.
    """
    if not c.special:
        return {"mask": c.chain}
    return {"mask": c.chain + 1, "special limbs": 2, "encryptor's extender": c.limbs + 1}


def _switching(action: str, c: LattigoCase) -> dict[str, int]:
    """The evaluator's buffers in a key switch: both sums, and with P those of the division by it.

    Digits are made from coefficients, and in a rotation alone one by one. Up to one special prime has code of
    its own, with a buffer for the digit's transform.
    """
    found = {"BuffQP[0..1]": 2 * c.wide}
    if c.special:
        found["extender"] = c.wide
    if action != HAS_DIGITS:
        found["BuffInvNTT"] = c.limbs
    if action not in (MAKES_DIGITS, HAS_DIGITS):
        found["BuffDecompQP[0]"] = c.wide
        if c.special <= 1:
            found["BuffBitDecomp"] = 1
    return found


def _second_base(action: str, c: LattigoCase) -> dict[str, int]:
    """The evaluator's buffers modulo QMul, and of the extender between Q and QMul.

    A square leaves two of the seven unused.
    """
    found = {"buffQMul[0..2, 5..6]": 5 * c.product, "extender to QMul": c.product + c.limbs}
    return found if action == "square" else found | {"buffQMul[3..4]": 2 * c.product}
