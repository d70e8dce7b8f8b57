"""OpenFHE's functional bootstrapping of CKKS: a table is looked up while a ciphertext is bootstrapped."""

from typing import Any

import numpy as np
import openfhe
from numpy.typing import NDArray
from openfhe import SchemeletRLWEMP

from worker import memory
from worker.backend import Cipher, Tables
from worker.refusal import BAD_REQUEST, Refusal, reading
from worker.request import Json
from worker.serialized import size

WIDER_BITS = 20  # by how much the modulus is larger in which numbers are encrypted first
FINE_BITS = 20  # of what is decrypted, beyond whole entries
PARTS = 4  # coefficients are divided by this part of the number of entries, so that they are about 1


class OpenFheTables(Tables):
    """A table, set up with its keys. Numbers are encrypted in coefficients, modulo a power of two."""

    def __init__(self, context: Any, pair: Any, told: Json, scale_bits: int, top: int, half: int) -> None:
        self._context, self._pair, self._top = context, pair, top
        with reading("bootstrap"):
            self._bits, self._order = int(told["table"]["bits"]), int(told["table"]["order"])
            self._entries = [int(entry) for entry in told["table"]["entries"]]
            self._levels, self._slots = int(told["levels"]), int(told["slots"]) or half
            budget = [int(levels) for levels in told["budget"]]
        self._p, self._modulus = 1 << self._bits, 1 << scale_bits
        if len(self._entries) != self._p:
            raise Refusal(BAD_REQUEST, f"a table of {self._p} entries with {len(self._entries)} entries")
        before = memory.resident()
        self._coefficients, self._scale = self._series()
        context.EvalFBTSetup(
            self._coefficients, self._slots, self._p, self._p, self._modulus, pair.publicKey, [0, 0], budget,
            self._levels, 0, self._order,
        )  # fmt: skip
        context.EvalBootstrapKeyGen(pair.secretKey, self._slots)
        context.EvalMultKeyGen(pair.secretKey)
        self.bytes = memory.resident() - before
        self._first = SchemeletRLWEMP.GetElementParams(pair.secretKey, top)
        self._first_prime = SchemeletRLWEMP.GetQPrime(pair.publicKey, 0)

    def _series(self) -> tuple[list[Any], int]:
        """The coefficients, and what the result has to be multiplied by."""
        entries = self._entries
        if self._bits == 1 and self._order == 1:
            return [entries[1], entries[0] - entries[1]], 1
        scale = max(1, self._p // PARTS)
        of = openfhe.GetHermiteTrigCoefficients
        return of(lambda x: entries[x % self._p], self._p, self._order, scale), scale

    def encrypt(self, values: NDArray[Any]) -> Cipher:
        wide = self._modulus << WIDER_BITS
        numbers = [int(v) for v in np.clip((values + 1) / 2 * self._p, 0, self._p - 1)]
        made = SchemeletRLWEMP.EncryptCoeff(numbers, wide, self._p, self._pair.secretKey, self._first)
        SchemeletRLWEMP.ModSwitch(made, self._modulus, wide)
        key, modulus = self._pair.publicKey, self._modulus
        return SchemeletRLWEMP.ConvertRLWEToCKKS(self._context, made, key, modulus, self._slots, self._top)

    def look_up(self, x: Cipher) -> Cipher:
        c, first = self._coefficients, self._first_prime
        return self._context.EvalFBT(x, c, self._bits, first, self._scale, 0, self._order)

    def angles(self, x: Cipher) -> Any:
        c, first = self._coefficients, self._first_prime
        return self._context.EvalMVBPrecompute(x, c, self._bits, first, self._order)

    def entries(self, angles: Any) -> Cipher:
        return self._context.EvalMVBNoDecoding(angles, self._coefficients, self._bits, self._order)

    def decode(self, x: Cipher) -> Cipher:
        return self._context.EvalHomDecoding(x, self._scale, 0)

    def decrypt(self, x: Cipher) -> NDArray[Any]:
        """The entries with what noise adds to them, between -1/2 and their number less 1/2."""
        fine = max(min(FINE_BITS, self._modulus.bit_length() - self._bits - 2), 0)
        polynomials = SchemeletRLWEMP.ConvertCKKSToRLWE(x, self._modulus)
        secret, slots = self._pair.secretKey, self._slots
        found = SchemeletRLWEMP.DecryptCoeff(
            polynomials, self._modulus, self._p << fine, secret, self._first, slots, slots
        )
        return (np.array(found, dtype=np.float64) / (1 << fine) + 0.5) % self._p - 0.5

    def key_bytes(self) -> int:
        save, secret = openfhe.SerializeEvalBootstrapKey, self._pair.secretKey
        tag = secret.GetKeyTag()
        return size(lambda path: save(path, openfhe.BINARY, self._context, tag, self._slots))
