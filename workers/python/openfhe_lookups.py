"""OpenFHE's BinFHE for programs of table look-ups.

The binding neither adds LWE ciphertexts nor gives out their numbers, but it writes and reads them: here they
are rows of numbers, which go through a file whenever the library works on one of them.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openfhe
from numpy.typing import NDArray

from openfhe_binfhe import Bits
from worker.lookups import Key, Looker, Row
from worker.refusal import BAD_REQUEST, Refusal
from worker.request import Json

METHODS = ("ginx", "ap", "lmkcdey")
_MEMORY = "/dev/shm"  # where Linux keeps files in memory
_WORD = 8
_BODY = -2 * _WORD  # where the body stands in a file: before the plaintext modulus, which ends it
_OWN_P = 4  # the plaintext modulus in files; it changes nothing but what EvalBinGate does


class BinFheLooker(Looker):
    """A context of BinFHE with ciphertexts for so many values."""

    def __init__(self, told: Json, values: int) -> None:
        self._bits = Bits(told)
        self.context = self._bits.context
        self.q, self.dimension = int(self.context.Getq()), int(self.context.Getn())
        if values < 1 or values & (values - 1) or 4 * values > self.q:
            raise Refusal(BAD_REQUEST, f"ciphertexts modulo {self.q} cannot hold {values} values")
        self._beta = int(self.context.GetBeta())
        self._folder = tempfile.TemporaryDirectory(dir=_MEMORY if Path(_MEMORY).is_dir() else None)
        self._path = str(Path(self._folder.name) / "lwe")
        self._key: Any = None
        self._frame = b""

    def describe(self) -> Json:
        ring = int(self.context.GetN())
        return {"ring_dimension": ring, "q": [str(self.context.GetQ())], "p": [], "digits": None}

    def keygen(self) -> None:
        self._key = None  # the keys before these go first
        self.context.ClearBTKeys()
        self._key = self._bits.keygen()
        self._frame = self._file_of(self.context.Encrypt(self._key, 1, openfhe.FRESH, _OWN_P))
        first = _numbers(self._frame, self.dimension)
        if self._row(self._cipher(first)).tolist() != first.tolist():
            raise RuntimeError("ciphertexts are not written as this worker reads them")

    def secret(self) -> Key:
        return self._key

    def stranger(self) -> Key:
        return self.context.KeyGen()

    def encrypt(self, number: int, values: int) -> Row:
        return self._row(self.context.Encrypt(self._key, number, openfhe.FRESH, 2 * values))

    def decrypt(self, c: Row, key: Key, values: int) -> int:
        return int(self.context.Decrypt(key, self._cipher(c), 2 * values)) % (2 * values)

    def phase(self, c: Row, key: Key) -> int:
        """With q values there is nothing to round."""
        return int(self.context.Decrypt(key, self._cipher(c), self.q))

    def table(self, entries: Sequence[int]) -> list[int]:
        """A number modulo q for each phase, to which `EvalFunc` adds beta: the entry of the nearest value, or
        its negation where the bit of padding is set."""
        values = len(entries)
        step = self.q // (2 * values)
        made = []
        for shifted in range(self.q):
            nearest = ((shifted - self._beta) % self.q + step // 2) // step % (2 * values)
            entry = entries[nearest % values] * step
            made.append(entry if nearest < values else self.q - entry)
        return made

    def lookup(self, c: Row, table: list[int]) -> Row:
        return self._row(self.context.EvalFunc(self._cipher(c), table))

    def rotation(self) -> Callable[[], Any] | None:
        """That of a gate, whose sum of two ciphertexts takes no time beside it."""
        if self._bits.for_functions:
            return None
        x, y = (self.context.Encrypt(self._key, bit) for bit in (0, 1))
        return lambda: self.context.EvalBinGate(openfhe.NAND, x, y, True)

    def sizes(self) -> Json:
        return {
            **self._bits.sizes(),
            "bootstrap_key": self._bits.key_bytes(),
            "key_switch_key": 0,  # one file holds both keys
            "seeded_ciphertext": None,
            "seeded_evaluation_key": None,
        }

    def _cipher(self, row: Row) -> Any:
        """The library's ciphertext of those numbers."""
        numbers = np.ascontiguousarray(row, dtype="<u8").tobytes()
        mask, body, frame = numbers[:-_WORD], numbers[-_WORD:], self._frame
        start = len(frame) - len(mask) - _TAIL
        file = frame[:start] + mask + frame[start + len(mask) : _BODY] + body + frame[_BODY + _WORD :]
        Path(self._path).write_bytes(file)
        made, right = openfhe.DeserializeLWECiphertext(self._path, openfhe.BINARY)
        if not right:
            raise RuntimeError("the library does not read a ciphertext that it wrote")
        return made

    def _row(self, c: Any) -> Row:
        return _numbers(self._file_of(c), self.dimension)

    def _file_of(self, c: Any) -> bytes:
        openfhe.SerializeToFile(self._path, c, openfhe.BINARY)
        return Path(self._path).read_bytes()


_TAIL = 28  # bytes after the mask: a version, the modulus, the body, and the plaintext modulus


def _numbers(file: bytes, dimension: int) -> NDArray[np.int64]:
    """Mask and body."""
    start = len(file) - _TAIL - _WORD * dimension
    mask = np.frombuffer(file, dtype="<u8", count=dimension, offset=start)
    body = np.frombuffer(file, dtype="<u8", count=1, offset=len(file) + _BODY)
    return np.concatenate([mask, body]).astype(np.int64)
