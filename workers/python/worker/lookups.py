"""A program of table look-ups executed over a `Looker`: LWE ciphertexts are rows of numbers modulo q.

What is linear is done here, on the rows, modulo q. The library encrypts, looks up and decrypts.
"""

import gc
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker import memory
from worker.clock import cpu_ns, wall_ns
from worker.execute import Clocks, timed
from worker.lookup_program import Digits, LookupProgram, Rows, Step, read_lookups, read_rows
from worker.marks import UNKNOWN, Mark, Marks, unmarked
from worker.refusal import calling_library, reading
from worker.request import Json, Options, Plan, read_counters, read_options, read_plan
from worker.run import save_arrays, save_marks

Row = NDArray[np.int64]  # one ciphertext: its mask, and its body last
Ciphers = NDArray[np.int64]  # of shape (length, dimension + 1)
Key = Any
Progress = Callable[[str, int, int], None]


class Looker(ABC):
    """A library's context, with keys once they are made. `q` is the modulus of ciphertexts, and `dimension`
    that of their masks. A number m in [0, values) is m * q / (2 * values)."""

    q: int
    dimension: int

    @abstractmethod
    def describe(self) -> Json: ...

    @abstractmethod
    def keygen(self) -> None: ...

    @abstractmethod
    def secret(self) -> Key: ...

    @abstractmethod
    def stranger(self) -> Key:
        """A key that has nothing to do with the secret one."""

    @abstractmethod
    def encrypt(self, number: int, values: int) -> Row: ...

    @abstractmethod
    def decrypt(self, c: Row, key: Key, values: int) -> int:
        """The number in [0, 2 * values) nearest to the phase."""

    @abstractmethod
    def phase(self, c: Row, key: Key) -> int:
        """Message and error, modulo q."""

    @abstractmethod
    def table(self, entries: Sequence[int]) -> Any:
        """The table of as many values as it has entries, as `lookup` takes it."""

    @abstractmethod
    def lookup(self, c: Row, table: Any) -> Row: ...

    def rotation(self) -> Callable[[], Any] | None:
        """A call of a blind rotation without its key switch; None where the library has none."""
        return None

    @abstractmethod
    def sizes(self) -> Json: ...


def run_lookups(open_: Callable[[Json, int], Looker], message: Json, progress: Progress) -> Json:
    """The fields of `measured`. `open_` makes a context of parameters, for so many values."""
    with reading("request"):
        folder, plan = Path(message["folder"]), read_plan(message.get("plan", {}))
        options, counters = read_options(message.get("options", {})), read_counters(message)
        parameters, paths = message["parameters"], message["inputs"]
    program = read_lookups(message["program"])
    inputs = read_rows(paths, program)
    marks = None if counters is None else Marks(counters)
    mark = marks or unmarked
    memory.settle()
    used = {"baseline_bytes": memory.resident()}
    mark("context", UNKNOWN)
    with calling_library("context"):
        looker, context = timed(partial(open_, parameters, program.modulus))
    mark("other", UNKNOWN)
    used["context_bytes"] = memory.resident()
    keygens = []
    for done in range(plan.keygens):
        mark("keygen", done)
        with calling_library("keygen"):
            keygens.append(timed(looker.keygen)[1])
        mark("other", done)
        progress("keygen", done + 1, plan.keygens)
    memory.trim()
    used["keys_bytes"] = memory.resident()
    runner = LookupRunner(looker, program, inputs, options, mark)
    runner.run(plan, lambda done, total: progress("run", done, total))
    used["peak_bytes"] = memory.peak()
    phases = {"context": [context], "keygen": keygens, **runner.phases()}
    reply = {**looker.describe(), **runner.save(folder), "phases": phases, "memory": used, "threads": 1}
    return {**reply, **save_marks(marks, folder), "sizes": _sizes(looker, program) if options.sizes else {}}


def _sizes(looker: Looker, program: LookupProgram) -> Json:
    """The sizes, with that of a ciphertext 0 where nothing is encrypted."""
    sizes = looker.sizes()
    return sizes if any(s.step == "encrypt" for s in program.steps) else {**sizes, "ciphertext": 0}


class Evaluator:
    """What each step of a program makes, of the values before it."""

    def __init__(self, looker: Looker, program: LookupProgram, inputs: Rows) -> None:
        self.looker, self.program, self.inputs = looker, program, inputs
        self.tables = [looker.table(entries) for entries in program.tables]
        self.step_size = looker.q // (2 * program.modulus)

    def made(self, step: Step, values: dict[int, Ciphers]) -> Ciphers:
        args = [values[arg] for arg in step.args]
        if step.step == "encrypt":
            numbers = self.inputs[step.source][step.digit]
            return self._rows([self.looker.encrypt(int(x), self.program.modulus) for x in numbers])
        if step.step == "lookup":
            table = self.tables[step.table]
            return self._rows([self.looker.lookup(c, table) for c in args[0]])
        if step.step == "pick":
            return args[0][step.plain]
        if step.step == "join":
            return np.concatenate(args)
        if step.step == "fold":
            starts = np.arange(0, len(args[0]), step.group)
            return np.add.reduceat(args[0], starts) % self.looker.q
        return self._linear(step, args)

    def _rows(self, rows: list[Row]) -> Ciphers:
        return np.array(rows, dtype=np.int64).reshape(-1, self.looker.dimension + 1)

    def _linear(self, step: Step, args: list[Ciphers]) -> Ciphers:
        """The weighted sum; without arguments, the plain numbers without a mask."""
        total = np.zeros((step.length, self.looker.dimension + 1), dtype=np.int64)
        for weight, each in zip(step.weights, args, strict=True):
            total += weight * each
        if step.plain is not None:
            total[:, -1] += step.plain * self.step_size
        return total % self.looker.q


class LookupRunner:
    """Executes the program again and again, and keeps every sample."""

    def __init__(
        self, looker: Looker, program: LookupProgram, inputs: Rows, options: Options, mark: Mark
    ) -> None:
        self.looker, self.program, self.options, self.mark = looker, program, options, mark
        self.evaluator = Evaluator(looker, program, inputs)
        self.key = looker.stranger() if options.wrong_key else looker.secret()
        self.samples: list[NDArray[np.int64]] = []
        self.decrypts: list[Clocks] = []
        self.found: list[tuple[Rows, dict[str, NDArray[np.float64]]]] = []
        self.after: Rows = {}
        kept = (*program.outputs, *(program.inputs if options.check_inputs else ()))
        self.kept = {value for digits in kept for value in digits.values}

    def run(self, plan: Plan, progress: Callable[[int, int], None]) -> None:
        """Warm-ups, then repetitions until both their number and the time are reached."""
        done, start = 0, monotonic()
        while done < plan.warmup + plan.repetitions or monotonic() - start < plan.min_seconds:
            values, sampled = self._evaluate(done)
            self.mark("decrypt", done)
            with calling_library("decrypt"):
                outputs, clocks = timed(partial(self._decrypted, self.program.outputs, values))
            self.mark("other", done)
            done += 1
            if done <= plan.warmup:
                start = monotonic()
            else:
                new = outputs, self._errors(values) if self.options.noise else {}
                self.found = [*self.found, new] if self.options.every_output else [new]
                self.after = self._decrypted(self.program.inputs, values) if self.options.check_inputs else {}
                self.samples.append(sampled)
                self.decrypts.append(clocks)
            progress(done, max(done, plan.warmup + plan.repetitions))

    def _evaluate(self, repetition: int) -> tuple[dict[int, Ciphers], NDArray[np.int64]]:
        values: dict[int, Ciphers] = {}
        sampled = np.zeros((len(self.program.steps), 2), dtype=np.int64)
        gc.collect()
        for name, steps in groupby(enumerate(self.program.steps), _phase_of):
            self.mark(name, repetition)
            for at, step in steps:
                with calling_library(f"operation {at} ({step.step})"):
                    w0, c0 = wall_ns(), cpu_ns()
                    made = self.evaluator.made(step, values)
                    sampled[at] = cpu_ns() - c0, wall_ns() - w0
                values[step.out] = made
                for freed in set(step.frees) - self.kept:
                    values.pop(freed, None)
        return values, sampled

    def _decrypted(self, wanted: Sequence[Digits], values: dict[int, Ciphers]) -> Rows:
        """An array of shape (values, length) for each."""
        one = partial(self.looker.decrypt, key=self.key, values=self.program.modulus)
        return {d.name: self._each(d, values, one, np.int64) for d in wanted}

    def _errors(self, values: dict[int, Ciphers]) -> dict[str, NDArray[np.float64]]:
        """Of each output, the distance of the phases from the nearest value, as a part of the torus."""
        return {d.name: self._each(d, values, self._error, np.float64) for d in self.program.outputs}

    def _error(self, c: Row) -> float:
        step = self.evaluator.step_size
        off = self.looker.phase(c, self.key) % step
        return (off - step * (2 * off >= step)) / self.looker.q

    def _each(
        self, d: Digits, values: dict[int, Ciphers], one: Callable[[Row], float], kind: type
    ) -> NDArray[Any]:
        rows = [[one(c) for c in values[v]] for v in d.values]
        filled = [row * d.length if len(row) == 1 else row for row in rows]
        return np.array(filled, dtype=kind).reshape(len(d.values), d.length)

    def phases(self) -> Json:
        """[cpu, wall] of each repetition."""
        encrypts = np.array([s.step == "encrypt" for s in self.program.steps], dtype=bool)
        seconds = np.array(self.samples, dtype=np.float64) * 1e-9
        sums = {
            name: seconds[:, chosen].sum(axis=1).tolist()
            for name, chosen in (("encrypt", encrypts), ("evaluate", ~encrypts))
        }
        return {**sums, "decrypt": self.decrypts}

    def save(self, folder: Path) -> Json:
        samples = folder / "samples.npy"
        np.save(samples, np.array(self.samples, dtype=np.float64) * 1e-9)
        outputs, noise = ({name: self._gathered(i, name) for name in self.found[-1][i]} for i in (0, 1))
        reply: Json = {"outputs": save_arrays(outputs, folder / "outputs"), "samples": str(samples)}
        if noise:
            reply["noise"] = save_arrays(noise, folder / "noise")
        if self.after:
            reply["inputs_after"] = save_arrays(self.after, folder / "inputs_after")
        return reply

    def _gathered(self, kind: int, name: str) -> NDArray[Any]:
        """With the repetitions as first axis, where every one's is wanted."""
        every = [repetition[kind][name] for repetition in self.found]
        return np.stack(every) if self.options.every_output else every[-1]


def _phase_of(step: tuple[int, Step]) -> str:
    return "encrypt" if step[1].step == "encrypt" else "evaluate"
