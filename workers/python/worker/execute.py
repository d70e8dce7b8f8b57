"""A program executed over a backend: every sample of every operation, and the outputs."""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.backend import Backend, Cipher
from worker.clock import cpu_ns, wall_ns
from worker.marks import Mark, unmarked
from worker.refusal import calling_library
from worker.request import Operation, Options, Packed, Plan, Program

Arrays = dict[str, NDArray[Any]]
Values = list[Any]
Step = Callable[[Values], Cipher]
Found = tuple[Arrays, Arrays]  # of one repetition: outputs, and their noise
Clocks = list[float]  # [cpu seconds of this thread, wall seconds]

_UNARY = frozenset(("neg", "square", "relinearize", "rescale", "drop", "swap_rows", "eval_sum", "bootstrap"))


@dataclass
class Execution:
    """What the repetitions left: samples (repetitions, operations, 2) in seconds; the last one's outputs and
    their noise, or every one's where that is wanted."""

    samples: NDArray[np.float64]
    decrypts: list[Clocks]
    outputs: Arrays
    inputs_after: Arrays = field(default_factory=dict)
    noise: Arrays = field(default_factory=dict)


@dataclass
class Runner:
    backend: Backend
    program: Program
    inputs: Arrays
    key: Any  # that decrypts
    options: Options = field(default_factory=Options)
    mark: Mark = unmarked

    def __post_init__(self) -> None:
        self._size = 1 + max((o.out for o in self.program.operations), default=-1)
        self._steps = [self._bound(o) for o in self.program.operations]
        inputs = {v for p in self.program.inputs for v in p.values}
        kept = inputs if self.options.check_inputs else set()
        self._frees = [(*(set(o.frees) - kept), *self._digits_done(o)) for o in self.program.operations]
        steps = zip(self.program.operations, self._steps, self._frees, strict=True)
        self._stretches = [(name, list(part)) for name, part in groupby(enumerate(steps), _phase_of)]

    def _bound(self, o: Operation) -> Step:
        if o.hoist:
            return bind_hoisted(o, self.backend, self._digits_of(o))
        return bind(o, self.backend, self.program, self.inputs)

    def _digits_of(self, o: Operation) -> int:
        """Where the digits of its operand are kept: behind all values."""
        return self._size + o.args[0]

    def _digits_done(self, o: Operation) -> tuple[int, ...]:
        return (self._digits_of(o),) if o.hoist == "last" else ()

    def run(self, plan: Plan, progress: Callable[[int, int], None]) -> Execution:
        """Warm-ups, then repetitions until both their number and the time are reached."""
        samples: list[NDArray[np.int64]] = []
        decrypts: list[Clocks] = []
        found: list[Found] = []
        done, start = 0, monotonic()
        while done < plan.warmup + plan.repetitions or monotonic() - start < plan.min_seconds:
            values, sampled = self._evaluate(done)
            self.mark("decrypt", done)
            outputs, clocks = timed(partial(self._decrypt, self.program.outputs, values))
            self.mark("other", done)
            after = self._decrypt(self.program.inputs, values) if self.options.check_inputs else {}
            new = outputs, self._noise(values) if self.options.noise else {}
            del values  # so that the peak is that of one repetition
            done += 1
            if done <= plan.warmup:
                start = monotonic()
            else:
                samples.append(sampled)
                decrypts.append(clocks)
                found = [*found, new] if self.options.every_output else [new]
            progress(done, max(done, plan.warmup + plan.repetitions))
        seconds = np.array(samples, dtype=np.float64) * 1e-9
        outputs, noise = map(self._gathered, zip(*found, strict=True))
        return Execution(seconds, decrypts, outputs, after, noise)

    def _gathered(self, repetitions: tuple[Arrays, ...]) -> Arrays:
        """With the repetitions as first axis, where every one's is wanted."""
        last = repetitions[-1]
        if not self.options.every_output:
            return last
        return {name: np.stack([r[name] for r in repetitions]) for name in last}

    def _evaluate(self, repetition: int) -> tuple[Values, NDArray[np.int64]]:
        """All values still held at the end, and (cpu, wall) nanoseconds of each operation."""
        values: Values = [None] * 2 * self._size  # each with a place for its digits
        sampled = np.zeros((len(self._steps), 2), dtype=np.int64)
        wall, cpu, at = wall_ns, cpu_ns, -1
        gc.collect()
        gc.disable()
        try:
            for name, steps in self._stretches:
                self.mark(name, repetition)
                for at, (o, step, frees) in steps:
                    w0 = wall()
                    c0 = cpu()
                    made = step(values)
                    c1 = cpu()
                    w1 = wall()
                    values[o.out] = made
                    sampled[at] = c1 - c0, w1 - w0
                    for freed in frees:
                        values[freed] = None
                    made = None
        except (RuntimeError, ValueError, IndexError):
            with calling_library(f"operation {at} ({self.program.operations[at].action})"):
                raise
        finally:
            gc.enable()
        return values, sampled

    def _decrypt(self, wanted: tuple[Packed, ...], values: Values) -> Arrays:
        """An array of shape (chunks, slots) for each."""
        with calling_library("decrypt"):
            return {p.name: np.stack([self._slots_of(values[v]) for v in p.values]) for p in wanted}

    def _noise(self, values: Values) -> Arrays:
        """Of each output, of shape (chunks, n)."""
        with calling_library("noise"):
            return {
                p.name: np.stack([self.backend.noise(values[v]) for v in p.values])
                for p in self.program.outputs
            }

    def _slots_of(self, x: Cipher) -> NDArray[Any]:
        try:
            return self.backend.decrypt(x, self.key)
        except RuntimeError:
            if self.options.wrong_key:  # OpenFHE notices, and there are no numbers
                return np.full(self.program.slots, np.nan)
            raise


def _phase_of(step: tuple[int, tuple[Operation, Any, Any]]) -> str:
    """The phase of a numbered step of the loop."""
    return "encrypt" if step[1][0].action == "encrypt" else "evaluate"


def bind(o: Operation, backend: Backend, program: Program, inputs: Arrays) -> Step:
    """The operation as a function of the values alone, so that the loop has nothing left to decide."""
    method, level = getattr(backend, o.action), o.level
    if o.action == "encrypt":
        data = inputs[o.source][o.chunk]
        return lambda values: method(data, level)
    x = o.args[0]
    if len(o.args) == 2:
        y = o.args[1]
        return lambda values: method(values[x], values[y], level)
    if o.action in _UNARY:
        return lambda values: method(values[x], level)
    operand = o.steps if o.action == "rotate" else program.plains[o.plain]  # type: ignore[index]
    return lambda values: method(values[x], operand, level)


def bind_hoisted(o: Operation, backend: Backend, place: int) -> Step:
    """A rotation that shares its operand's digits, at `place` among the values; the first makes them."""
    make, rotate, x, steps, level = backend.digits, backend.rotate_hoisted, o.args[0], o.steps, o.level

    def first(values: Values) -> Cipher:
        values[place] = digits = make(values[x])
        return rotate(values[x], digits, steps, level)

    return first if o.hoist == "first" else lambda values: rotate(values[x], values[place], steps, level)


def timed(action: Callable[[], Any]) -> tuple[Any, Clocks]:
    """What `action` returns, and what it took."""
    w0, c0 = wall_ns(), cpu_ns()
    result = action()
    c1, w1 = cpu_ns(), wall_ns()
    return result, [(c1 - c0) * 1e-9, (w1 - w0) * 1e-9]


def phase(samples: NDArray[np.float64], program: Program, encryption: bool) -> list[Clocks]:
    """[cpu, wall] of each repetition, summed over the encryptions or over everything else."""
    chosen = np.array([(o.action == "encrypt") is encryption for o in program.operations], dtype=bool)
    sums: list[Clocks] = samples[:, chosen, :].sum(axis=1).tolist()
    return sums
