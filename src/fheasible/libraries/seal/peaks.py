"""How much memory an operation of SEAL has in use at once, in limbs of n coefficients.

Every buffer lives to the end of the function that allocates it [SEAL]; functions as in `corrections`.
"""

from collections.abc import Callable
from typing import Final

from fheasible.libraries.seal.case import Case


def peak(action: str, c: Case) -> int:
    """The most limbs in use at once beside the operands, the result among them."""
    if action == "encrypt" and c.switched:
        return max(peak("encrypt", c.at_top), 2 * c.chain + peak("drop", c.from_top))
    return _PEAKS[action](c)


def operands(action: str, c: Case) -> int:
    """The operand's limbs, all of which are copied."""
    return 0 if action in ("encrypt", "keygen") else c.source_polys(action) * c.limbs


def _kept(c: Case) -> int:
    return c.polys * c.limbs


def _while_multiplying(c: Case) -> int:
    """From two parts to three, both there; BFV keeps everything to the end (bfv_multiply)."""
    k, b = c.limbs, c.extended
    return 3 * k + 8 * (k + b) + 2 * b if c.scheme == "bfv" else 5 * k


def _while_squaring(c: Case) -> int:
    k, b = c.limbs, c.extended
    return {"ckks": 5 * k, "bgv": 6 * k, "bfv": 3 * k + 6 * (k + b) + 2 * b}[c.scheme]


def _while_switching(c: Case) -> int:
    """Three parts (of a rotation two, and a temporary), c_2, both sums over k + 1 limbs, accumulators of two
    words for two of those, one digit."""
    return 4 * c.limbs + 2 * (c.limbs + 1) + 5


def _while_rescaling(c: Case) -> int:
    return max(c.polys * (2 * c.limbs - 1), _kept(c) + 1)


def _while_dropping(c: Case) -> int:
    if c.dropped == 0:
        return _kept(c)
    return c.polys * (2 * c.limbs - 1) if c.scheme == "ckks" else 2 * _kept(c) + 2


def _while_encrypting(c: Case) -> int:
    """The plaintext, both parts over either modulus, u."""
    return _plaintext(c) + 2 * c.limbs + 3 * c.masked


def _with_plaintext(c: Case) -> int:
    """BGV holds its plaintext as it is and raised, with one copy."""
    raised = c.limbs + 1 if c.scheme == "bgv" else 0
    return _plaintext(c) + _kept(c) + raised


def _while_multiplying_plain(c: Case) -> int:
    return _with_plaintext(c) + (c.limbs if c.scheme == "bfv" else 0)


def _with_constant(c: Case) -> int:
    """CKKS: bytes in pieces, joined, as a string, as a plaintext."""
    if c.scheme == "ckks":
        return max(4 * c.limbs, _with_plaintext(c))
    return _kept(c) + (c.limbs if c.scheme == "bgv" else 1)


def _while_decrypting(c: Case) -> int:
    """CKKS: the plaintext, its copy, its integers (or n complex points). Else the phase, its converted
    residues twice, and plaintexts; c_1 and c_2 once more where there are both."""
    k, copies = c.limbs, 2 * c.limbs if c.polys == 3 else 0
    after = {"ckks": 2 * k + max(k, 2), "bgv": 3 * k + 2, "bfv": 3 * k + 3}[c.scheme]
    return max(after, k + copies + 1)


def _while_making(c: Case) -> int:
    """The switching keys; s three times and s², the public key twice."""
    return 2 * c.key_limbs * c.chain * c.polys + 8 * c.key_limbs


def _plaintext(c: Case) -> int:
    return c.limbs if c.scheme == "ckks" else 1


_PEAKS: Final[dict[str, Callable[[Case], int]]] = {
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
