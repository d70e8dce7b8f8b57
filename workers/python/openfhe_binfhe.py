"""OpenFHE's BinFHE: gates on bits and functions of small integers, each operation timed by itself."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import openfhe

from worker import memory
from worker.execute import Clocks, timed
from worker.refusal import BAD_REQUEST, Refusal, calling_library, reading
from worker.request import Json
from worker.serialized import size

Progress = Callable[[str, int, int], None]
Item = tuple[Callable[[], Any], int | None, int]  # a call, its right result if any, and the modulus of that
KEYGEN = "binfhe_keygen"
FLOORED_BITS = 3  # that the operation floor takes away


class Bits:
    """A context with its keys, and inputs with the results that they should have."""

    def __init__(self, told: Json) -> None:
        with reading("parameters"):
            name, method = str(told["set"]), str(told["method"]).upper()
            log_q = told.get("log_q")
            arbitrary = bool(told.get("arbitrary", False))
        try:
            parameters, way = (
                openfhe.BINFHE_PARAMSET.__members__[name],
                openfhe.BINFHE_METHOD.__members__[method],
            )
        except KeyError as error:
            raise Refusal(BAD_REQUEST, f"BinFHE has no {error}") from None
        self._log_q = None if log_q is None else int(log_q)
        self.context = openfhe.BinFHEContext()
        with calling_library("context"):
            if self._log_q is None:
                self.context.GenerateBinFHEContext(parameters, way)
            else:
                self.context.GenerateBinFHEContext(parameters, arbitrary, self._log_q, 0, way, False)
        self._secret: Any = None

    @property
    def for_functions(self) -> bool:
        return self._log_q is not None

    def keygen(self) -> Any:
        self._secret = self.context.KeyGen()
        self.context.BTKeyGen(self._secret)
        return self._secret

    def sizes(self) -> Json:
        """A file of the keys is gigabytes at 128 bits: it is not written there."""
        sample = self.context.Encrypt(self._secret, 1)
        return {"ciphertext": _written(sample), "secret_key": _written(self._secret)}

    def key_bytes(self) -> int:
        return _written(self.context.GetBTKey())

    def items(self, operation: str) -> Iterator[Item]:
        """Calls without end, each with its right result and the modulus in which it is decrypted."""
        makers: dict[str, Callable[[int], Item]] = {
            "binfhe_secret": lambda number: (self.context.KeyGen, None, 0),
            "binfhe_encrypt": self._encrypted,
            "binfhe_decrypt": self._clear,
            "binfhe_gate": self._gate,
            "binfhe_negacyclic": self._negacyclic,
            "binfhe_function": self._function,
            "binfhe_floor": self._floor,
            "binfhe_sign": self._sign,
        }
        if operation not in makers:
            raise Refusal(BAD_REQUEST, f"no operation {operation}; there are {', '.join(makers)}")
        number = 0
        while True:
            yield makers[operation](number)
            number += 1

    def _encrypted(self, number: int) -> Item:
        bit = number & 1
        return lambda: self.context.Encrypt(self._secret, bit), bit, 4

    def _clear(self, number: int) -> Item:
        bit = number & 1
        x = self.context.Encrypt(self._secret, bit)
        return lambda: self.context.Decrypt(self._secret, x), bit, 4

    def _gate(self, number: int) -> Item:
        a, b = number & 1, number >> 1 & 1
        x, y = (self.context.Encrypt(self._secret, bit) for bit in (a, b))
        return lambda: self.context.EvalBinGate(openfhe.NAND, x, y), 1 - (a & b), 4

    def _negacyclic(self, number: int) -> Item:
        half = self._space() // 2
        return self._looked_up(number, lambda m, p: (2 * (m % half) + 1) * (1 if m < half else -1) % p)

    def _function(self, number: int) -> Item:
        return self._looked_up(number, lambda m, p: (m**3 + 1) % p)

    def _looked_up(self, number: int, f: Callable[[int, int], int]) -> Item:
        p = self._space()
        table, value = self.context.GenerateLUTviaFunction(f, p), number % p
        x = self.context.Encrypt(self._secret, value, openfhe.FRESH, p)
        return lambda: self.context.EvalFunc(x, table), f(value, p), p

    def _space(self) -> int:
        return int(self.context.GetMaxPlaintextSpace())

    def _wide(self, number: int) -> tuple[Any, int, int]:
        """A ciphertext of a large number, the number, and how many there are."""
        assert self._log_q is not None
        wide = 1 << self._log_q
        p = self._space() * (wide // int(self.context.Getq()))
        value = (p // 2 - 2 + number) % p
        return self.context.Encrypt(self._secret, value, openfhe.FRESH, p, wide), value, p

    def _floor(self, number: int) -> Item:
        x, value, p = self._wide(number)
        return lambda: self.context.EvalFloor(x, FLOORED_BITS), value >> FLOORED_BITS, p >> FLOORED_BITS

    def _sign(self, number: int) -> Item:
        x, value, p = self._wide(number)
        return lambda: self.context.EvalSign(x), int(value >= p // 2), 2

    def decrypted(self, x: Any, p: int) -> int:
        """The number in a ciphertext, or a number as it is."""
        return int(x if isinstance(x, int) else self.context.Decrypt(self._secret, x, p)) % p


def binfhe(message: Json, progress: Progress) -> Json:
    """The fields of `timed_bits`."""
    with reading("request"):
        operations = [str(name) for name in message["operations"]]
        repetitions, warmup = int(message["repetitions"]), int(message.get("warmup", 1))
        written = bool(message.get("key_file", False))
    memory.settle()
    baseline = memory.resident()
    bits = Bits(message.get("parameters", {}))
    items = []
    with calling_library(KEYGEN):
        _, clocks = timed(bits.keygen)
    progress("keygen", 1, 1)
    memory.trim()
    used = {"baseline_bytes": baseline, "keys_bytes": memory.resident() - baseline}
    for done, name in enumerate(operations):
        if name == KEYGEN:
            items.append({"operation": name, "seconds": [clocks], "wrong": 0, "total": 0, "refused": None})
        else:
            items.append(_timed(bits, name, repetitions, warmup))
        progress("run", done + 1, len(operations))
    sizes = bits.sizes() | ({"keys": bits.key_bytes()} if written else {})
    context = bits.context
    told = {
        "n": context.Getn(),
        "ring": context.GetN(),
        "q": int(context.Getq()),
        "ring_modulus": str(context.GetQ()),
    }
    used["peak_bytes"] = memory.peak()
    return {**told, "items": items, "sizes": sizes, "memory": used}


def _timed(bits: Bits, name: str, repetitions: int, warmup: int) -> Json:
    """The samples of an operation and how many of its results are wrong; or why the library refuses it."""
    samples: list[Clocks] = []
    wrong = 0
    gc.collect()
    try:
        for number, (call, right, p) in zip(range(warmup + repetitions), bits.items(name), strict=False):
            with calling_library(name):
                made, clocks = timed(call)
            wrong += right is not None and bits.decrypted(made, p) != right
            if number >= warmup:
                samples.append(clocks)
    except (Refusal, RuntimeError) as error:
        why = error.message if isinstance(error, Refusal) else str(error)
        return {"operation": name, "seconds": [], "wrong": 0, "total": 0, "refused": why}
    return {
        "operation": name,
        "seconds": samples,
        "wrong": wrong,
        "total": warmup + repetitions,
        "refused": None,
    }


def _written(thing: Any) -> int:
    return size(lambda path: openfhe.SerializeToFile(path, thing, openfhe.BINARY))
