"""OpenFHE's bootstrapping of CKKS: set up with a context, its keys, and one bootstrap."""

from typing import Any

import openfhe

from worker.backend import Cipher
from worker.refusal import BAD_REQUEST, UNSUPPORTED, Refusal, reading
from worker.request import Json, Program
from worker.serialized import size

LEAST_LEVEL = 1


class Bootstrap:
    """What `parameters` say of the bootstrap; `levels` are those that it leaves."""

    def __init__(self, told: Json) -> None:
        with reading("bootstrap"):
            self.levels, self.slots = int(told["levels"]), int(told["slots"])
            self.budget = [int(levels) for levels in told["budget"]]
            self.correction = int(told.get("correction") or 0)  # 0 is OpenFHE's default
            self.iterations = int(told.get("iterations") or 1)
            self.bits = int(told.get("iteration_bits") or 0)
        self.table = "table" in told
        if len(self.budget) != 2 or min(self.budget) < 1:
            raise Refusal(BAD_REQUEST, f"a bootstrap has two budgets of 1 level or more, not {self.budget}")

    def prepare(self, context: Any, program: Program, most_slots: int) -> None:
        """Sets the bootstrap up, with the matrices of both transforms where the program bootstraps."""
        if self.table:
            return  # which is set up with its keys, where it is wanted
        if program.bootstraps:
            self._object_to(program, most_slots)
        context.EvalBootstrapSetup(
            self.budget, [0, 0], self.slots or most_slots, self.correction, program.bootstraps
        )

    def _object_to(self, program: Program, most_slots: int) -> None:
        """Refuses a program that cannot be bootstrapped like this.

        OpenFHE ends the process at a wrong number of slots, and leaves a value at too high a level as it is.
        """
        slots = self.slots or most_slots
        if program.slots != slots or slots > most_slots:
            words = f"a bootstrap of {slots} slots in a program of {program.slots}; {most_slots} fit"
            raise Refusal(BAD_REQUEST, words)
        if program.levels != self.levels:
            words = f"the program has {program.levels} levels, and a bootstrap leaves {self.levels}"
            raise Refusal(BAD_REQUEST, words)

    def make_keys(self, context: Any, secret: Any, slots: int) -> None:
        """OpenFHE leaves out the rotations that it has keys for."""
        context.EvalBootstrapKeyGen(secret, slots)

    def refresh(self, context: Any, x: Cipher, level: int) -> Cipher:
        """The value as OpenFHE leaves it: not yet rescaled."""
        if not LEAST_LEVEL <= level <= self.levels:
            words = f"a value at level {level}, and OpenFHE bootstraps those of levels {LEAST_LEVEL}"
            raise Refusal(UNSUPPORTED, f"bootstrap: {words} to {self.levels}")
        return context.EvalBootstrap(x, self.iterations, self.bits)

    def key_bytes(self, context: Any, secret: Any, slots: int) -> int:
        """The file of the keys that the bootstrap alone needs."""
        save, tag = openfhe.SerializeEvalBootstrapKey, secret.GetKeyTag()
        return size(lambda path: save(path, openfhe.BINARY, context, tag, slots))
