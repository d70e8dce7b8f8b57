"""The limbs that OpenFHE 1.6.1 copies, clears and holds at once in each action of our worker.

They were counted in the wheel: allocations of 8n bytes or more, those of them that are filled with zeros, and
the most that were alive (with the result, without operands). A temporary is cleared, then written. A product
of two variables is made in a copy of the first. n words, n doubles and n/2 complex numbers each count as a
limb; a big integer for each coefficient counts as five limbs that are copied. These are too small to be seen
as allocations: what is alive of them is in the kernel's figure of the resident set while a value of two to
four limbs is decrypted, 17 to 19 limbs more than before, and 4 l + 1 from five limbs on.
"""

from dataclasses import dataclass
from typing import NamedTuple

from fheasible.errors import UnsupportedOperation
from fheasible.program.types import HAS_DIGITS, Action

PLAIN = {"ckks": (4, 0), "bgv": (2, 1), "bfv": (2, 1)}  # vectors of encoding: copied, cleared
DECODED = (10, 5)  # decoding a CKKS value of one limb: copied, at most alive
BIG = (12, 19)  # decoding a CKKS value of several limbs; copied besides the four polynomials


class Limbs(NamedTuple):
    copied: int
    cleared: int = 0
    peak: int = 0


@dataclass(frozen=True, slots=True)
class CopiedSizes:
    """The sizes of what an action works on."""

    scheme: str
    limbs: int  # of its operands
    chain: int
    special: int  # limbs of P; 0 in BV
    digit: int  # limbs
    parts: int
    kept: int  # limbs that BFV multiplies or rotates in; otherwise equal to `limbs`

    @property
    def hybrid(self) -> bool:
        return self.special > 0

    @property
    def digits(self) -> int:
        """The number of digits of what is switched."""
        return -(-self.kept // self.digit)

    @property
    def wide(self) -> int:
        """The limbs over QP of what is switched."""
        return self.kept + self.special

    @property
    def raised(self) -> int:
        """The limbs of all digits over QP."""
        return self.digits * self.wide

    @property
    def digit_limbs(self) -> int:
        """The limbs of the digits that rotations share; in BV each limb is a digit, over Q."""
        return self.raised if self.hybrid else self.kept * self.kept

    @property
    def whole(self) -> int:
        """The limbs of a ciphertext."""
        return self.parts * self.limbs


def limbs(action: str, s: CopiedSizes) -> Limbs:
    """The limbs that an action copies and clears, and the most that are alive."""
    match action:
        case Action.ENCRYPT:
            return _encrypt(s)
        case "decrypt":
            return decrypted(s.scheme, s.limbs)
        case "keygen":
            return _keygen(s)
        case Action.NEG:
            return Limbs(2 * s.whole, s.whole, s.whole + s.limbs + 1)
        case Action.MUL | Action.SQUARE:
            return _product(s)
        case Action.RELINEARIZE:
            return _relinearize(s)
        case Action.ROTATE | Action.SWAP_ROWS:
            return _rotate_bfv(s) if s.scheme == "bfv" else _rotate(s)
        case "rotate_hoist" | "rotate_hoisted":
            return _rotate_hoisted(s, there=action == HAS_DIGITS)
        case Action.RESCALE:
            return Limbs(s.whole + s.parts * (s.scheme == "bgv"), s.whole - s.parts, s.whole + 1)
        case Action.ADD_PLAIN | Action.MUL_PLAIN | Action.ADD_SCALAR | Action.MUL_SCALAR:
            return _plain(action, s)
        case Action.ADD | Action.SUB | Action.DROP:  # a copy of the first operand
            return Limbs(s.whole, 0, s.whole)
    raise UnsupportedOperation(f"OpenFHE has no {action}", "lower the program for its style")


def _encode(s: CopiedSizes) -> Limbs:
    copied, cleared = PLAIN[s.scheme]
    return Limbs(copied, s.limbs + cleared, s.limbs + 1)


def _encrypt(s: CopiedSizes) -> Limbs:
    """The limbs of an encryption.

    It copies the message and both products, and below the top both halves of the public key too.
    """
    plain, key = _encode(s), 2 * s.limbs * (s.limbs < s.chain)
    copied = plain.copied + 3 * s.limbs + 2 + key
    return Limbs(copied, plain.cleared + 5 * s.limbs, plain.peak + 7 * s.limbs + key)


def decrypted(scheme: str, limbs: int) -> Limbs:
    """The limbs of a decryption. It copies the secret twice, c_0, and the other parts one after another."""
    held = 4 * limbs
    match scheme:
        case "ckks" if limbs > 1:
            return Limbs(held + BIG[0], 0, max(held + 1, BIG[1]))
        case "ckks":
            return Limbs(DECODED[0], 0, DECODED[1])
        case "bgv":
            return Limbs(held + limbs + 3, limbs * (limbs - 1) // 2 + 6, held)
        case _:
            return Limbs(held + 3, 6, held)


def _keygen(s: CopiedSizes) -> Limbs:
    """The limbs of key generation.

    It makes the pair of keys and `parts` switching keys, of which all but the first permute the secret.
    """
    cleared = (4 if s.scheme == "bfv" else 3) * s.chain  # BFV multiplies the errors in a temporary
    if not s.parts:
        return Limbs(s.chain + 1, cleared, cleared + s.chain)
    each, turned = _switching_key(s), s.chain * (s.parts - 1)
    copied = s.chain + 1 + s.parts * each.copied - turned  # a product is copied, a permutation is not
    peak = 3 * s.chain + s.parts * 2 * s.raised + each.peak
    return Limbs(copied, cleared + s.parts * each.cleared + turned, peak)


def _switching_key(s: CopiedSizes) -> Limbs:
    """The limbs of the first switching key; its peak counts what is alive besides the keys."""
    chain = s.chain
    if not s.hybrid:
        return Limbs(chain * (chain + 2), 4 * chain * chain, 4 * chain)
    copied = s.raised + 2 * chain + 1 + s.digits
    return Limbs(copied, 4 * s.raised + s.wide, 2 * s.wide + chain + 3)


def _product(s: CopiedSizes) -> Limbs:
    if s.scheme != "bfv":
        return Limbs(3 * s.limbs, 0, 3 * s.limbs)
    left = s.limbs - s.kept
    cleared = 11 * s.kept + 3 * left if left else 9 * s.kept
    return Limbs(4 * s.limbs + 6 * s.kept, cleared, max(15 * s.kept, 4 * s.limbs + 6 * s.kept))


def _relinearize(s: CopiedSizes) -> Limbs:
    width = s.limbs
    if not s.hybrid:
        return Limbs(7 * width, width * (width - 1), width * (width + 5))
    copied, cleared = s.raised + 4 * width + 2 * s.special, s.raised + 7 * width + 2 * s.special
    return Limbs(copied, cleared, s.raised + 2 * s.wide + 3 * width + _divided(s))


def _rotate(s: CopiedSizes) -> Limbs:
    width = s.limbs
    if not s.hybrid:
        return Limbs(4 * width, width * (width + 1), width * (width + 3))
    copied, cleared = s.raised + width + 2 * s.special, s.raised + 5 * width + 4 * s.wide
    return Limbs(copied, cleared, s.raised + 3 * s.wide + _divided(s))


def _rotate_bfv(s: CopiedSizes) -> Limbs:
    """The limbs of a rotation in BFV.

    c_1 is scaled down to m limbs; what is switched is scaled up, then permuted.
    """
    chain, m = s.limbs, s.kept
    around = 2 * (chain - m) + 2 * chain
    if not s.hybrid:
        return Limbs(2 * chain + 4 * m, m * m + around, chain + m * (m + 3))
    copied, cleared = s.raised + 2 * chain + m + 2 * s.special, s.raised + 2 * s.wide + 6 * m + around
    return Limbs(copied, cleared, s.raised + 2 * s.wide + chain + m + _divided(s))


def _rotate_hoisted(s: CopiedSizes, there: bool) -> Limbs:
    """The limbs of a rotation that shares digits, which are `there` before it or are made and left by it.

    BFV copies no operand.
    """
    plain = _rotate_bfv(s) if s.scheme == "bfv" else _rotate(s)
    digits = _decomposed(s)
    after = 2 * s.wide + _divided(s) if s.hybrid else 3 * s.kept
    if s.scheme == "bfv":
        plain, after = plain._replace(copied=plain.copied - s.limbs), max(after, 3 * s.limbs)
    elif s.hybrid:
        after += s.wide
    if not there:
        return plain._replace(peak=s.digit_limbs + after)
    return Limbs(plain.copied - digits.copied, plain.cleared - digits.cleared, after)


def _decomposed(s: CopiedSizes) -> Limbs:
    """The limbs of EvalFastRotationPrecompute."""
    scaled = s.kept if s.scheme == "bfv" else 0  # what c_1 is scaled down to
    whole = s.limbs if s.scheme == "bfv" else 0
    if not s.hybrid:
        return Limbs(2 * s.kept + whole, s.kept * (s.kept - 1) + scaled)
    return Limbs(s.raised + s.kept + whole, s.raised - s.kept + scaled)


def _divided(s: CopiedSizes) -> int:
    """The limbs alive while a sum is divided by P.

    They are its part in P and what that part becomes, or what the part becomes and the result.
    """
    return max(2 * s.kept + 1, s.wide)


def _plain(action: str, s: CopiedSizes) -> Limbs:
    """The limbs of an action with a plain operand.

    A copy of the ciphertext is beside the plaintext, which BFV copies to add.
    """
    if s.scheme == "ckks" and action == Action.ADD_SCALAR:
        return Limbs(s.whole, s.limbs, s.whole + 1)
    if s.scheme == "ckks" and action == Action.MUL_SCALAR:
        return Limbs(s.whole, s.whole, s.whole + s.limbs)
    plain, vectors = _encode(s), s.limbs + PLAIN[s.scheme][0]
    held = s.whole + s.limbs * (s.scheme == "bfv" and action in (Action.ADD_PLAIN, Action.ADD_SCALAR))
    return Limbs(plain.copied + held, plain.cleared, max(plain.peak + held, vectors))
