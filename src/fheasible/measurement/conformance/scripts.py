"""Programs written twice in one go: as the message a worker reads, and as what numpy makes of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.measurement.conformance.toys import PLAIN_MODULUS, Toy

Json = dict[str, Any]
Array = NDArray[Any]


@dataclass(frozen=True)
class Value:
    id: int
    level: int
    expected: Array


class Script:
    """Records operations; every method returns the new value with its expected cleartext."""

    def __init__(self, toy: Toy, slots: int, by_hand: bool = True) -> None:
        self.toy, self.slots, self.two_rows = toy, slots, slots == toy.n
        self.by_hand = (by_hand or not toy.automatic) and toy.scheme != "bfv"  # rescaling
        self.exact = toy.scheme != "ckks"
        self.operations: list[Json] = []
        self.scalars: Json = {}
        self.vectors: dict[str, Array] = {}
        self.inputs: dict[str, list[Array]] = {}
        self.input_values: dict[str, list[int]] = {}
        self.outputs: dict[str, list[Value]] = {}

    def _emit(
        self, action: str, expected: Array, level: int, args: tuple[Value, ...] = (), **more: Any
    ) -> Value:
        out = len(self.operations)
        operation = {"action": action, "out": out, "level": level, **more}
        self.operations.append({**operation, "args": [a.id for a in args]} if args else operation)
        return Value(out, level, self._reduced(expected))

    def _reduced(self, x: Array) -> Array:
        """Centred modulo t in BGV and BFV."""
        half = PLAIN_MODULUS // 2
        return (x + half) % PLAIN_MODULUS - half if self.exact else x

    def encrypt(self, name: str, data: Array, level: int | None = None) -> Value:
        chunk = len(self.inputs.setdefault(name, []))
        self.inputs[name].append(data)
        at = self.toy.fresh if level is None else level
        value = self._emit("encrypt", data, at, source=name, chunk=chunk)
        self.input_values.setdefault(name, []).append(value.id)
        return self.rescale(value) if at > self.toy.levels else value  # FLEXIBLEAUTOEXT starts at degree 2

    def add(self, x: Value, y: Value) -> Value:
        return self._emit("add", x.expected + y.expected, min(x.level, y.level), (x, y))

    def sub(self, x: Value, y: Value) -> Value:
        return self._emit("sub", x.expected - y.expected, min(x.level, y.level), (x, y))

    def neg(self, x: Value) -> Value:
        return self._emit("neg", -x.expected, x.level, (x,))

    def mul(self, x: Value, y: Value) -> Value:
        return self._emit("mul", x.expected * y.expected, min(x.level, y.level), (x, y))

    def square(self, x: Value) -> Value:
        return self._emit("square", x.expected * x.expected, x.level, (x,))

    def relinearize(self, x: Value) -> Value:
        return self._emit("relinearize", x.expected, x.level, (x,))

    def rescale(self, x: Value) -> Value:
        """Where the script rescales by hand; otherwise nothing is recorded."""
        return self._emit("rescale", x.expected, x.level - 1, (x,)) if self.by_hand else x

    def drop(self, x: Value, level: int) -> Value:
        by_hand = self.by_hand and not self.toy.automatic
        return self._emit("drop", x.expected, level, (x,)) if by_hand else x

    def add_plain(self, x: Value, plain: Array) -> Value:
        return self._emit("add_plain", x.expected + plain, x.level, (x,), plain=self._vector(plain))

    def mul_plain(self, x: Value, plain: Array) -> Value:
        return self._emit("mul_plain", x.expected * plain, x.level, (x,), plain=self._vector(plain))

    def add_scalar(self, x: Value, plain: float) -> Value:
        return self._emit("add_scalar", x.expected + plain, x.level, (x,), plain=self._scalar(plain))

    def mul_scalar(self, x: Value, plain: float) -> Value:
        return self._emit("mul_scalar", x.expected * plain, x.level, (x,), plain=self._scalar(plain))

    def rotate(self, x: Value, steps: int, hoist: str = "") -> Value:
        rows = x.expected.reshape(2, -1) if self.two_rows else x.expected.reshape(1, -1)
        turned = np.roll(rows, -steps, axis=1).reshape(-1)
        mark = {"hoist": hoist} if hoist else {}
        return self._emit("rotate", turned, x.level, (x,), steps=steps, **mark)

    def swap_rows(self, x: Value) -> Value:
        swapped = x.expected.reshape(2, -1)[::-1].reshape(-1)
        return self._emit("swap_rows", swapped, x.level, (x,))

    def output(self, name: str, *values: Value) -> None:
        self.outputs[name] = list(values)

    def expected(self, name: str) -> Array:
        return np.stack([v.expected for v in self.outputs[name]])

    def data(self) -> dict[str, Array]:
        return {name: np.stack(chunks) for name, chunks in self.inputs.items()}

    def _vector(self, plain: Array) -> int:
        index = len(self.vectors) + len(self.scalars)
        self.vectors[str(index)] = plain
        return index

    def _scalar(self, plain: float) -> int:
        index = len(self.vectors) + len(self.scalars)
        self.scalars[str(index)] = str(plain) if self.exact else plain
        return index

    def message(self) -> Json:
        """The program as `workers/PROTOCOL.md` has it; vectors are still arrays, under "vectors"."""
        actions = [o["action"] for o in self.operations]
        return {
            "scheme": self.toy.scheme,
            "slots": self.slots,
            "levels": self.toy.levels,
            "automatic": self.toy.automatic,
            "two_rows": self.two_rows,
            "scalars": self.scalars,
            "vectors": self.vectors,
            "operations": self._with_frees(),
            "inputs": [self._packed(name, values) for name, values in self.input_values.items()],
            "outputs": [self._packed(name, [v.id for v in out]) for name, out in self.outputs.items()],
            "rotations": sorted({o["steps"] for o in self.operations if o["action"] == "rotate"}),
            "swaps_rows": "swap_rows" in actions,
            "relinearizes": "relinearize" in actions,
        }

    def _packed(self, name: str, values: list[int]) -> Json:
        return {"name": name, "length": len(values) * self.slots, "values": values}

    def _with_frees(self) -> list[Json]:
        """Each value is released by the last operation that uses it, unless it is an output."""
        last = {a: i for i, o in enumerate(self.operations) for a in o.get("args", ())}
        held = {v.id for values in self.outputs.values() for v in values}
        return [
            {**o, "frees": [a for a, at in last.items() if at == i and a not in held]}
            for i, o in enumerate(self.operations)
        ]
