"""OpenFHE's scheme switching: CKKS slots become FHEW ciphertexts, whose signs come back as CKKS slots."""

from math import log2
from typing import Any

import numpy as np
import openfhe
from numpy.typing import NDArray

from worker import memory
from worker.backend import Cipher, Switching
from worker.refusal import UNSUPPORTED, Refusal

FEATURES = ("SCHEMESWITCH", "FHE")
SWITCHED_BITS = 25  # of the modulus of FHEW ciphertexts whose sign is taken
ROOM = 8  # a slot of 1 is this part of FHEW's plaintext modulus, so that differences of 2 have room
LEVELS = 12  # that a comparison takes on its way back to CKKS, where its series is evaluated
LEVELS_A_ROUND = 2  # OpenFHE 1.6.1 ended the process at 14, 15 and 20 levels for 4, 8 and 32 slots
FHEW_LENGTHS = {None: 32, 128: 1305, 192: 1305, 256: 1305}  # at least
FHEW_SETS = {None: "TOY", 128: "STD128", 192: "STD192", 256: "STD256"}


class OpenFheSwitching(Switching):
    """A context that can switch, with its keys: FHEW's own, and those to FHEW and back."""

    def __init__(
        self, context: Any, pair: Any, slots: int, top: int, security: int | None, quantum: bool
    ) -> None:
        self._context, self._pair, self._slots, self._top = context, pair, slots, top
        before = memory.resident()
        self._require_ring(context, FHEW_LENGTHS[security])
        for feature in FEATURES:
            context.Enable(getattr(openfhe.PKESchemeFeature, feature))
        self._secret = context.EvalSchemeSwitchingSetup(self._asked(security, quantum))
        self._fhew = context.GetBinCCForSchemeSwitch()
        context.EvalSchemeSwitchingKeyGen(pair, self._secret)  # makes FHEW's own keys, too
        self._modulus = (1 << SWITCHED_BITS) // (2 * int(self._fhew.GetBeta()))
        self._unit = self._modulus / ROOM
        context.EvalCompareSwitchPrecompute(self._modulus, self._unit)
        memory.trim()
        self.bytes = memory.resident() - before

    def _require_ring(self, context: Any, least: int) -> None:
        """OpenFHE's results are wrong where FHEW's ciphertexts are longer than all slots."""
        if context.GetRingDimension() // 2 < least:
            slots = context.GetRingDimension() // 2
            words = f"FHEW's ciphertexts of {least} numbers do not fit into {slots} slots"
            raise Refusal(UNSUPPORTED, words)

    def _asked(self, security: int | None, quantum: bool) -> Any:
        asked = openfhe.SchSwchParams()
        asked.SetSecurityLevelCKKS(openfhe.SecurityLevel.HEStd_NotSet)  # the context was checked when made
        name = FHEW_SETS[security] + "Q" * (quantum and security is not None)
        asked.SetSecurityLevelFHEW(getattr(openfhe.BINFHE_PARAMSET, name))
        asked.SetCtxtModSizeFHEWLargePrec(SWITCHED_BITS)
        asked.SetNumSlotsCKKS(self._slots)
        asked.SetNumValues(self._slots)
        asked.SetComputeArgmin(True)
        asked.SetOneHotEncoding(True)
        return asked

    def compare(self, x: Cipher, y: Cipher) -> Cipher:
        self._require(x, LEVELS)
        return self._context.EvalCompareSchemeSwitching(x, y, self._slots, self._slots)

    def minimum(self, x: Cipher) -> Any:
        self._require_rounds(x)
        return self._context.EvalMinSchemeSwitching(x, self._pair.publicKey, self._slots, self._slots)

    def maximum(self, x: Cipher) -> Any:
        self._require_rounds(x)
        return self._context.EvalMaxSchemeSwitching(x, self._pair.publicKey, self._slots, self._slots)

    def leave(self, x: Cipher) -> Any:
        return self._context.EvalCKKStoFHEW(x, self._slots)

    def _require_rounds(self, x: Cipher) -> None:
        if self._slots < 2:
            raise Refusal(UNSUPPORTED, "the least and the largest are those of 2 slots or more")
        self._require(x, LEVELS + LEVELS_A_ROUND * int(log2(self._slots)))

    def _require(self, x: Cipher, levels: int) -> None:
        """OpenFHE ends the process where levels are too few."""
        left = self._top - x.GetLevel()
        if left < levels:
            words = f"it takes a value at level {levels} for {self._slots} slots, or above"
            raise Refusal(UNSUPPORTED, f"{words}, and this one is at level {left}")

    def values(self, made: Any, decrypted: Any) -> NDArray[Any]:
        if isinstance(made, list) and len(made) == self._slots and self._is_fhew(made[0]):
            found = [int(self._fhew.Decrypt(self._secret, one, self._modulus)) for one in made]
            half = self._modulus // 2
            return np.array([(v - self._modulus if v > half else v) / self._unit for v in found])
        if isinstance(made, list):  # the least or largest in the first slot alone, and its place
            return np.full(self._slots, decrypted(made[0])[0])
        return np.array(decrypted(made))

    def _is_fhew(self, one: Any) -> bool:
        return isinstance(one, openfhe.LWECiphertext)
