"""One number in every slot of a CKKS plaintext, at any level.

In C++ that is a mere filling of memory, at the level asked for. The binding encodes at the top level alone,
and to bring that down costs more than the multiplication it is for. So the constant is written down in
SEAL's own serialized form, which SEAL loads and checks at any level.
"""

import struct
from math import prod
from typing import Any

import seal

_HEADER = 16  # bytes of a SEALHeader, its size field last (native/src/seal/serialization.h)


class Constants:
    def __init__(self, context: Any, encoder: Any, q: list[int], n: int, ids: dict[int, Any]) -> None:
        self._context, self._q, self._n, self._ids = context, q, n, ids
        self._magic = encoder.encode(0.0, 1.0).to_bytes()[: _HEADER - 8]  # and versions; no compression
        self._moduli = {level: prod(q[: level + 1]) for level in ids}

    def encode(self, value: float, scale: float, level: int) -> Any:
        """The plaintext that `CKKSEncoder::encode(value, parms_id, scale)` makes."""
        coefficient = round(value * scale)
        if 2 * abs(coefficient) >= self._moduli[level]:
            raise ValueError("encoded value is too large")  # as SEAL says it
        limbs = [(coefficient % prime).to_bytes(8, "little") * self._n for prime in self._q[: level + 1]]
        plain = seal.Plaintext()
        plain.load_bytes(self._context, b"".join((self._head(scale, level), *limbs)))
        return plain

    def _head(self, scale: float, level: int) -> bytes:
        """What stands before the coefficients: parms_id, their number, the scale, and their number again."""
        count = self._n * (level + 1)
        inner = _HEADER + 8 + 8 * count
        fields = struct.pack("<4QQd", *self._ids[level], count, scale)
        total = struct.pack("<Q", _HEADER + len(fields) + inner)
        return b"".join((self._magic, total, fields, self._magic, struct.pack("<QQ", inner, count)))
