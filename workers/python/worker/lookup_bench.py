"""A `measure` request of table look-ups: single operations, each of one ciphertext."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from worker import memory
from worker.execute import Clocks, timed
from worker.lookup_program import Digits, LookupProgram, Step
from worker.lookups import Ciphers, Evaluator, Looker, Progress
from worker.refusal import BAD_REQUEST, Refusal, calling_library, reading
from worker.request import Json, read_plan

VALUES = 4  # that the ciphertexts hold
MANY = 64  # ciphertexts of a sample, of operations that take microseconds
_TABLE = tuple((x + 1) % VALUES for x in range(VALUES))


class LookupBench:
    """Times single operations, each request with a context and keys of its own."""

    def __init__(self, open_: Callable[[Json, int], Looker]) -> None:
        self.open = open_

    def describe(self, parameters: Json) -> Json:
        """The fields of `described`."""
        with calling_library("context"):
            return self.open(parameters, VALUES).describe()

    def __call__(self, message: Json, progress: Progress) -> Json:
        """The fields of `timed`."""
        with reading("request"):
            parameters, plan = message["parameters"], read_plan(message.get("plan", {}))
            names, folder = [str(item["operation"]) for item in message["items"]], Path(message["folder"])
        memory.settle()
        used: Json = {"baseline_bytes": memory.resident(), "context_bytes": None}
        looker, keygen = self._made(parameters)
        operations = Operations(looker)
        calls = [operations.named(name) for name in names]
        samples: list[list[Clocks]] = [[] for _ in calls]
        rounds = plan.warmup + plan.repetitions
        for done in range(rounds):
            for (call, count), taken in zip(calls, samples, strict=True):
                with calling_library("measure"):
                    clocks = timed(call)[1]
                if done >= plan.warmup:
                    taken.append([seconds / count for seconds in clocks])
            progress("run", done + 1, rounds)
        used["peak_bytes"] = memory.peak()
        items = [
            {
                "operation": name,
                "seconds": taken,
                "refused": None,
                "values": operations.saved(name, i, folder),
            }
            for i, (name, taken) in enumerate(zip(names, samples, strict=True))
        ]
        return {
            **looker.describe(),
            "items": items,
            "keygen": keygen,
            "sizes": looker.sizes(),
            "memory": used,
        }

    def _made(self, parameters: Json) -> tuple[Looker, Clocks]:
        """The context with its keys, and what making the keys took."""
        with calling_library("context"):
            looker = self.open(parameters, VALUES)
        with calling_library("keygen"):
            keygen = timed(looker.keygen)[1]
        return looker, keygen


class Operations:
    """The operations by name, on ciphertexts that hold 1."""

    def __init__(self, looker: Looker) -> None:
        self._looker = looker
        inputs = (Digits("one", 1, (0,)), Digits("x", MANY, (1,)))
        rows = {d.name: np.ones((1, d.length), dtype=np.int64) for d in inputs}
        self._evaluator = Evaluator(looker, LookupProgram(VALUES, (_TABLE,), (), inputs, ()), rows)
        self._values: dict[int, Ciphers] = {}
        self._values[0] = self._evaluator.made(_step("encrypt", 1, source="one"), {})
        self._values[1] = self._evaluator.made(_step("encrypt", MANY, source="x"), {})
        self._steps: Mapping[str, Step] = {
            "encrypt": _step("encrypt", MANY, source="x"),
            "add": _step("linear", MANY, args=(1, 1), weights=(1, 1)),
            "mul_scalar": _step("linear", MANY, args=(1,), weights=(2,)),
            "lookup": _step("lookup", 1, args=(0,)),
        }

    def named(self, name: str) -> tuple[Callable[[], Any], int]:
        """A call of the operation, and of how many ciphertexts it is."""
        if name == "decrypt":
            return lambda: [self._decrypted(c) for c in self._values[1]], MANY
        rotation = self._looker.rotation()
        if name == "rotation" and rotation is not None:
            return rotation, 1
        if name not in self._steps:
            known = ", ".join((*self._steps, "decrypt", *(["rotation"] if rotation else [])))
            raise Refusal(BAD_REQUEST, f"no operation {name}; there are {known}")
        step = self._steps[name]
        return lambda: self._evaluator.made(step, self._values), step.length

    def saved(self, name: str, number: int, folder: Path) -> str:
        """The path of what the operation's result decrypts to, of shape (1,)."""
        step = self._steps.get(name)
        made = self._values[1] if step is None else self._evaluator.made(step, self._values)
        path = folder / f"{number}.npy"
        np.save(path, np.array([self._decrypted(made[0])], dtype=np.int64))
        return str(path)

    def _decrypted(self, c: Any) -> int:
        return self._looker.decrypt(c, self._looker.secret(), VALUES)


def _step(
    kind: str, length: int, args: tuple[int, ...] = (), weights: tuple[int, ...] = (), source: str = ""
) -> Step:
    return Step(kind, 2, length, args, weights, None, 0, 0, source, 0, ())
