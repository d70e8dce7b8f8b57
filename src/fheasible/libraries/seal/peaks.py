"""How much memory an operation of SEAL has in use at once, in limbs of n coefficients.

Every buffer lives to the end of the function that allocates it [SEAL]; `corrections` names the functions.
"""

from collections.abc import Callable
from typing import Final

from fheasible.libraries.seal.case import SealCase


def peak(action: str, c: SealCase) -> int:
    """The most limbs in use at once beside the operands, the result included."""
    if action == "encrypt" and c.switched:
        return max(peak("encrypt", c.at_top), 2 * c.chain + peak("drop", c.from_top))
    return _PEAKS[action](c)


def operands(action: str, c: SealCase) -> int:
    """The limbs of the operand, all of which are copied."""
    return 0 if action in ("encrypt", "keygen") else c.source_polys(action) * c.limbs


def _kept(c: SealCase) -> int:
    return c.polys * c.limbs


def _while_multiplying(c: SealCase) -> int:
    """The peak of a product: the arrays of two and of three parts. BFV keeps everything (bfv_multiply)."""
    k, b = c.limbs, c.extended
    return 3 * k + 8 * (k + b) + 2 * b if c.scheme == "bfv" else 5 * k


def _while_squaring(c: SealCase) -> int:
    k, b = c.limbs, c.extended
    return {"ckks": 5 * k, "bgv": 6 * k, "bfv": 3 * k + 6 * (k + b) + 2 * b}[c.scheme]


def _while_switching(c: SealCase) -> int:
    """The peak of a key switch: three parts (for a rotation, two and a temporary), c_2, both sums over k + 1
    limbs, accumulators of two words for two limbs, and one digit."""
    return 4 * c.limbs + 2 * (c.limbs + 1) + 5


def _while_rescaling(c: SealCase) -> int:
    return max(c.polys * (2 * c.limbs - 1), _kept(c) + 1)


def _while_dropping(c: SealCase) -> int:
    if c.dropped == 0:
        return _kept(c)
    return c.polys * (2 * c.limbs - 1) if c.scheme == "ckks" else 2 * _kept(c) + 2


def _while_encrypting(c: SealCase) -> int:
    """The peak of an encryption: the plaintext, both parts over either modulus, and u."""
    return _plaintext(c) + 2 * c.limbs + 3 * c.masked


def _with_plaintext(c: SealCase) -> int:
    """The peak with a plaintext. BGV holds it as it is and for all limbs, with one copy."""
    raised = c.limbs + 1 if c.scheme == "bgv" else 0
    return _plaintext(c) + _kept(c) + raised


def _while_multiplying_plain(c: SealCase) -> int:
    return _with_plaintext(c) + (c.limbs if c.scheme == "bfv" else 0)


def _with_constant(c: SealCase) -> int:
    """The peak with a scalar. CKKS holds it as bytes in pieces, joined, as a string, and as a plaintext."""
    if c.scheme == "ckks":
        return max(4 * c.limbs, _with_plaintext(c))
    return _kept(c) + (c.limbs if c.scheme == "bgv" else 1)


def _while_decrypting(c: SealCase) -> int:
    """The peak of decryption and decoding.

    CKKS holds the plaintext, its copy, and its integers (or n complex points). BGV and BFV hold the phase,
    its converted residues twice, and plaintexts. With three parts c_1 and c_2 are held once more.
    """
    k, copies = c.limbs, 2 * c.limbs if c.polys == 3 else 0
    after = {"ckks": 2 * k + max(k, 2), "bgv": 3 * k + 2, "bfv": 3 * k + 3}[c.scheme]
    return max(after, k + copies + 1)


def _while_making(c: SealCase) -> int:
    """The peak of key generation: the switching keys, s three times, s², and the public key twice."""
    return 2 * c.key_limbs * c.chain * c.polys + 8 * c.key_limbs


def _plaintext(c: SealCase) -> int:
    return c.limbs if c.scheme == "ckks" else 1


_PEAKS: Final[dict[str, Callable[[SealCase], int]]] = {
    "encrypt": _while_encrypting,
    "add": _kept,
    "sub": _kept,
    "neg": _kept,
    "mul": _while_multiplying,
    "square": _while_squaring,
    "relinearize": _while_switching,
    "rescale": _while_rescaling,
    "drop": _while_dropping,
    "add_plain": _with_plaintext,
    "mul_plain": _while_multiplying_plain,
    "add_scalar": _with_constant,
    "mul_scalar": _with_constant,
    "rotate": _while_switching,
    "swap_rows": _while_switching,
    "decrypt": _while_decrypting,
    "keygen": _while_making,
}
