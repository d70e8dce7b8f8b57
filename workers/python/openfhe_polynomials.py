"""The polynomials of OpenFHE's ciphertexts and keys, read from what it serializes: the binding hides them."""

import struct
from typing import Any

import numpy as np
import openfhe

from openfhe_context import Facts
from worker.noise import Evaluated, Residues
from worker.refusal import UNSUPPORTED, Refusal

_EVALUATION = b"\0\0\0\0"  # OpenFHE's Format, of the two the first


def opened(x: Any, secret: Any, facts: Facts) -> Evaluated:
    """A ciphertext in evaluation form, as all are but BFV's products before they are relinearized."""
    found, key = _limbs(x, facts), _limbs(secret, facts)
    size = x.NumberCiphertextElements()
    limbs = len(found) // size
    if limbs == 0 or limbs * size != len(found):
        raise Refusal(UNSUPPORTED, "noise: this value is not in evaluation form; relinearize it first")
    parts = [np.stack(found[i : i + limbs]) for i in range(0, len(found), limbs)]
    return Evaluated(facts.q[:limbs], facts.roots[:limbs], parts, np.stack(key[:limbs]))


def _limbs(thing: Any, facts: Facts) -> list[Residues]:
    """Every limb in evaluation form: a vector (its length, its words, its prime), followed by its format."""
    data = openfhe.Serialize(thing, openfhe.BINARY)
    length, primes, found, at = struct.pack("<Q", facts.n), set(facts.q), [], 0
    while (at := data.find(length, at)) >= 0:
        start, end = at + 8, at + 8 + 8 * facts.n
        tail = data[end : end + 12]
        if len(tail) == 12 and struct.unpack("<Q", tail[:8])[0] in primes and tail[8:] == _EVALUATION:
            found.append(np.frombuffer(data, dtype="<u8", count=facts.n, offset=start))
            at = end
        at += 1
    return found
