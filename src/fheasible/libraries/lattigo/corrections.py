"""What Lattigo 6.1.1 does in each action of our worker besides the shared algorithms, in limbs of 8n bytes.

Results are new ciphertexts. Temporaries are in buffers that the evaluator, encoder and encryptor keep.
Garbage is collected only between operations (workers/lattigo/memory.go), and takes memory until then. The
facts are from core/rlwe/{evaluator, encryptor, keygenerator, decryptor}.go, ring/basis_extension.go and
schemes/{ckks, bgv}/{evaluator, encoder}.go [Lattigo].
"""

from collections import Counter
from dataclasses import dataclass
from math import ceil, log2, prod
from typing import Final

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.libraries.parameters import Parameters
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS

_SWITCHING: Final = ("relinearize", "rotate", "swap_rows", MAKES_DIGITS, HAS_DIGITS)
_ENCODING: Final = ("encrypt", "add_plain", "mul_plain")
_PRODUCT_BITS: Final = 61  # of the primes of QMul
_WORD_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class LattigoCase:
    """The sizes of one action on `limbs` limbs (a drop ends there), with `polys` polynomials or keys."""

    scheme: str
    limbs: int
    polys: int
    dropped: int
    chain: int  # limbs of Q
    special: int  # limbs of P
    product: int  # limbs of QMul, which extends Q in BFV's product
    lazy_digits: tuple[int, int]  # products that are added before a sum modulo Q, and modulo P, is reduced

    @staticmethod
    def of(p: Parameters, level: int, polys: int, dropped: int) -> "LattigoCase":
        """The sizes of an action at this level. BFV works on the whole chain at every level."""
        limbs = p.limbs if p.scheme == "bfv" else level + 1
        margins = lazy_digits(p.q[:limbs]), lazy_digits(p.p)
        return LattigoCase(p.scheme, limbs, polys, dropped, p.limbs, len(p.p), product_limbs(p), margins)

    @property
    def is_real(self) -> bool:
        return self.scheme == "ckks"

    @property
    def digits(self) -> int:
        """The number of digits of a polynomial at this level; each digit has as many limbs as P."""
        return -(-self.limbs // max(self.special, 1))

    @property
    def digit_limbs(self) -> int:
        """The limbs of the digits that rotations share."""
        return self.digits * (self.limbs + self.special)


def product_limbs(p: Parameters) -> int:
    """The limbs of QMul: n·Q in primes of 61 bits, or as many as Q has where its primes are placeholders."""
    if not p.ring_dimension or min(p.q) == 1:
        return p.limbs
    return ceil((prod(p.q).bit_length() + log2(p.ring_dimension)) / _PRODUCT_BITS)


def lazy_digits(primes: tuple[int, ...]) -> int:
    """QiOverflowMargin/2: how many products, each below twice the largest prime, fit a word together."""
    return max((1 << _WORD_BITS) // max(primes, default=1) // 2, 1)


def deciding_bits(largest: Floats, limbs: int, special: int) -> Ints:
    """The bits of each P's largest prime, as far as they decide how often sums modulo P are reduced.

    One number stands for all sizes at which the products of all digits fit a word together, because sums are
    never reduced there.
    """
    digits = -(-limbs // max(special, 1))
    never_reduced = _WORD_BITS - 1 - (digits - 1).bit_length()
    bits = np.ceil(np.log2(largest)).astype(np.int64)  # no prime is a power of two
    return np.asarray(np.maximum(bits, never_reduced))


# -- kernels


def added(action: str, c: LattigoCase) -> Counter[str]:
    """The kernel counts to add to those of the variant's algorithms; negative where Lattigo does less."""
    found: Counter[str] = Counter()
    if action in _SWITCHING:
        found.update(_switching(c, digits=action != HAS_DIGITS))
    if action in _ENCODING and not c.is_real:
        found.update(messages=-c.limbs, copies=c.limbs)  # RingT2Q copies residues modulo t
    if action == "encrypt":
        found.update(roundings=c.chain - c.limbs)  # the ternary sampler writes all of the chain
        found.update(_from_one_limb(c.limbs, 2 if c.special else 0))
    if action == "decrypt":
        found.update(_decryption(c))
    if action == "keygen":  # MForm of the secret; each key's P·s is also multiplied by 1
        found.update(constant_products=c.chain + c.special + c.polys * c.chain)
    return found


def _switching(c: LattigoCase, digits: bool) -> Counter[str]:
    """The counts to add for a key switch, which makes the digits if `digits` is true.

    Sums of words are reduced before they overflow. With one special prime, a digit's own limb is reduced too.
    """
    found: Counter[str] = Counter()
    for width, together in zip((c.limbs, c.special), c.lazy_digits, strict=True):
        found["reductions"] += 2 * width * (-(-c.digits // together) - 1)
    if c.special == 1:
        found["word_reductions"] += c.digits if digits else 0
        found.update(_from_one_limb(c.limbs, 2))
    return found


def _from_one_limb(width: int, times: int) -> Counter[str]:
    """The counts to add for ModUpPtoQ from a single limb.

    Lattigo runs the code for several limbs, where the ring counts a plain reduction.
    """
    found = Counter(constant_products=1, float_corrections=1, conversion_products=width, reductions=width)
    found["word_reductions"] = -width
    return Counter({kernel: times * count for kernel, count in found.items()})


def _decryption(c: LattigoCase) -> Counter[str]:
    """The counts to add for decryption: Horner's rule with one more reduction.

    Integers are not lifted. Reals are lifted by big integers, at the cost of a limb for each limb and for two
    more. Measured: n big integers of l limbs take 80 ns·n·(l + 2), for l from 2 to 24. Allocations take this
    time, so it does not grow with limbs².
    """
    found = Counter(reductions=c.limbs, products=-max(c.polys - 2, 0) * c.limbs)
    if not c.is_real:
        found["reconstructions"] = -1
    elif c.limbs == 1:
        found.update(reconstructions=-1, roundings=1)
    else:
        found["reconstructions"] = c.limbs + 2 - c.limbs**2
    return found


# -- memory


def made(action: str, c: LattigoCase) -> int:
    """The limbs that an action newly allocates: its result, plaintexts and garbage."""
    match action:
        case "keygen":
            return _keys(c)
        case "mul" | "square" | "encrypt":
            return 3 * c.limbs + _encoding_garbage(action, c)
        case "add_plain" | "mul_plain":
            return (c.polys + 1) * c.limbs + _encoding_garbage(action, c)
        case "decrypt":
            return c.limbs + (1 if c.is_real else 2) + _decoding_garbage(c)
        case "rotate_hoist":
            return c.polys * c.limbs + c.digit_limbs
        case "rescale":
            return c.polys * (c.limbs - 1)
        case "drop" if c.dropped and not c.is_real:
            return c.polys * sum(range(c.limbs, c.limbs + c.dropped))  # a new ciphertext for each prime
    return c.polys * c.limbs


def _encoding_garbage(action: str, c: LattigoCase) -> int:
    return encoding_garbage(c.chain) if c.is_real and action in _ENCODING else 0


def encoding_garbage(chain: int) -> int:
    """The limbs of garbage that encoding makes in CKKS, with a chain of `chain` primes.

    CKKS lists all moduli twice for every coefficient, at every level: 24 bytes for each prime. Lists of at
    most 32 bytes are on the stack: both of them for up to two primes, one of them for up to four.
    """
    return 0 if chain <= 2 else (2 if chain <= 4 else 3) * chain


def _decoding_garbage(c: LattigoCase) -> int:
    """The limbs of garbage that decoding makes in CKKS, where every residue becomes a big integer.

    Measured for l limbs: from 16 + 7·l (primes of 45 bits) to 25 + 9·l (58 bits).
    """
    return 20 + 8 * c.limbs if c.is_real and c.limbs > 1 else 0


def _keys(c: LattigoCase) -> int:
    """The limbs of key generation: the generator's buffers, the pair of keys, and for each switching key a
    row per digit and an index table."""
    wide = c.chain + c.special
    digits = -(-c.chain // max(c.special, 1))
    return 5 * wide + c.chain + 3 * wide + c.polys * (2 * digits * wide + 1)


def peak(action: str, c: LattigoCase) -> int:
    """The most limbs in use beside the operands: those newly allocated, and buffers."""
    return made(action, c) + _buffers(action, c)


def _buffers(action: str, c: LattigoCase) -> int:
    """The limbs of the kept buffers that the action writes."""
    match action:
        case "relinearize" | "rotate" | "swap_rows":  # BuffInvNTT, BuffDecompQP[0], BuffQP[0..1], extender's
            return c.limbs + 4 * (c.limbs + c.special)
        case "rotate_hoist":  # without BuffDecompQP[0]
            return c.limbs + 3 * (c.limbs + c.special)
        case "rotate_hoisted":
            return 3 * (c.limbs + c.special)
        case "mul" | "square":
            return 2 * c.limbs + (_of_product(action, c) if c.scheme == "bfv" else 0)
        case "rescale":
            return c.limbs
        case "drop" if c.dropped and not c.is_real:
            return c.limbs + c.dropped
        case "encrypt":  # the mask, a special limb of each half, the extender's, the encoder's
            return (c.chain + 1) + 2 + (c.limbs + 1) + 1
        case "mul_plain" | "decrypt":
            return c.limbs + 1
        case "add_plain":
            return 1
    return 0


def _of_product(action: str, c: LattigoCase) -> int:
    """The limbs of buffQMul, of which a square leaves two of seven unused, and of the extender's buffers."""
    return (6 if action == "square" else 8) * c.product + c.chain
