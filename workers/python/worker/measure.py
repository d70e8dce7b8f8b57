"""A `measure` request from its items to its reply."""

import gc
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker import memory
from worker.backend import Backend, Library, Tables
from worker.bench import KEYGENS, STEPS, Bench
from worker.execute import Clocks, timed
from worker.items import KEYGEN, Item, Request, read_measure
from worker.refusal import UNSUPPORTED, Refusal, calling_library
from worker.request import Json
from worker.run import opened

Progress = Callable[[str, int, int], None]  # phase, done, total


def measure(library: Library, message: Json, progress: Progress) -> Json:
    """The fields of `timed`."""
    request = read_measure(library, message, (*STEPS, *KEYGENS))
    memory.settle()
    used = {"baseline_bytes": memory.resident()}
    backend = opened(library, request.parameters, request.program)
    try:
        memory.trim()
        used["context_bytes"] = memory.resident()
        timing = Timing(backend, request, progress)
        timing.all()
        used["peak_bytes"] = memory.peak()
        if timing.switching_bytes:
            used["switching_bytes"] = timing.switching_bytes
        if timing.tables is not None:
            used["table_bytes"] = timing.tables.bytes
        items = [timing.told(number, item) for number, item in enumerate(request.items)]
        written = _sizes(backend, request)
        if timing.tables is not None:
            written["bootstrap_keys"] = timing.tables.key_bytes()
        return {**backend.describe(), "items": items, "sizes": written, "memory": used}
    finally:
        backend.close()


class Timing:
    """The items' samples, last results and refusals."""

    def __init__(self, backend: Backend, request: Request, progress: Progress) -> None:
        self._backend, self._request, self._progress = backend, request, progress
        self._last = request.plan.warmup + request.plan.repetitions - 1
        self._seconds: dict[Item, list[Clocks]] = {}
        self._found: dict[Item, NDArray[Any]] = {}
        self._refused = dict(request.lacking)
        self.switching_bytes = 0
        self.tables: Tables | None = None

    def all(self) -> None:
        """Times the kinds of keys, then all other items, level by level."""
        possible = [i for i in self._request.items if i not in self._refused]
        keygens = [i for i in possible if i.operation.startswith(KEYGEN)]
        others = sorted((i for i in possible if i not in keygens), key=lambda i: i.level)
        self._repeat(keygens, None)
        with calling_library("keygen"):
            self._backend.keygen()
            other = self._backend.stranger()
        for level, here in groupby(others, key=lambda i: i.level):
            bench = Bench(self._backend, self._request, level, other)
            self._repeat(list(here), bench)
            self.switching_bytes = max(self.switching_bytes, bench.switching_bytes)
            self.tables = bench.made_tables or self.tables

    def told(self, number: int, item: Item) -> Json:
        """The reply's entry of an item; its values are written."""
        refused, path = self._refused.get(item), self._request.folder / f"{number}.npy"
        if item in self._found:
            np.save(path, self._found[item])
        return {
            "operation": item.operation,
            "level": item.level,
            "seconds": [] if refused else self._seconds[item],
            "values": str(path) if item in self._found else None,
            "refused": refused,
        }

    def _repeat(self, items: Sequence[Item], bench: Bench | None) -> None:
        """Each item once in every repetition, so that all meet the same load.

        Garbage is collected before the first alone. A collection displaces what the caches hold of the
        operands, and the next call would take up to 8 % longer.
        """
        gc.collect()
        gc.disable()
        try:
            for done in range(self._last + 1):
                for item in items:
                    if item not in self._refused:
                        self._once(item, bench, done)
                self._progress("run", done + 1, self._last + 1)
        finally:
            gc.enable()

    def _once(self, item: Item, bench: Bench | None, done: int) -> None:
        """One sample; what the library says against the item is its refusal."""
        try:
            with calling_library(item.operation):
                clocks = self._sample(item, bench, done)
        except Refusal as refusal:
            self._refused[item] = refusal.message.removeprefix(f"{item.operation}: ")
            return
        if done >= self._request.plan.warmup:
            self._seconds.setdefault(item, []).append(clocks)

    def _sample(self, item: Item, bench: Bench | None, done: int) -> Clocks:
        try:
            step = STEPS[item.operation](bench) if bench else KEYGENS[item.operation](self._backend)
            made, clocks = timed(step)
            if bench is None:
                self._backend.forget_made()
            elif done == self._last:
                self._found[item] = bench.values(item.operation, made)
        except NotImplementedError as error:
            raise Refusal(UNSUPPORTED, "this worker cannot do it by itself") from error
        return clocks


def _sizes(backend: Backend, request: Request) -> Json:
    """Serialized bytes of a plaintext and a ciphertext at the highest level, and of one key of each kind."""
    level = request.program.levels
    known = backend.sizes(backend.encrypt(request.x, level))
    own = known.bootstrap_keys
    turned = known.rotation_keys // known.rotation_key_count if known.rotation_keys and not own else None
    return {
        "plaintext": _plain_size(backend, request.x, level),
        "ciphertext": known.ciphertext,
        "public_key": known.public_key,
        "secret_key": known.secret_key,
        "relinearization_key": known.relinearization_key or None,
        "rotation_key": turned,
        **({"bootstrap_keys": own} if own else {}),
    }


def _plain_size(backend: Backend, values: NDArray[Any], level: int) -> int | None:
    try:
        return backend.plain_size(backend.encode(values, level))
    except NotImplementedError:
        return None
