"""The child process that runs a job on the exact ring: `python -m fheasible.measurement.ring_worker`.

It reads one line of JSON, which is a job, and writes one line, which is the outcome. Nothing else reaches its
stdout.
"""

import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from fheasible.aliases import Json
from fheasible.errors import FheasibleError, WrongResult
from fheasible.measurement.ring_job import RingJob, Vectors
from fheasible.rings.element import Element
from fheasible.rings.exact import ExactRing
from fheasible.schemes import evaluate
from fheasible.schemes.call import ALL, Prepared, plainly, prepared
from fheasible.schemes.clear import right_on_polynomials
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.system import c_library, peak_bytes

Polynomial = list[int]
TINY = 16  # the least degree that is transformed


def main() -> int:
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # what native code prints lands among the last words
        try:
            answer = measured(RingJob.from_json(json.loads(sys.stdin.readline())))
        except FheasibleError as error:
            answer = {"kind": error.kind, "message": error.message, "remedy": error.remedy}
        except MemoryError:
            answer = {"kind": "MemoryError", "message": "memory ran out", "remedy": "take a smaller set"}
        print(json.dumps(answer), file=answers)
    return 0


def measured(job: RingJob) -> Json:
    """The samples [cpu, wall] in seconds by phase, the peak memory, and whether the result was right.

    `operations` has the CPU seconds of each operation of the ring, [name, seconds] in their order, by phase,
    of each itemised repetition.

    The peak counts only what exceeds the memory that the process had before. `correct` is None where nothing
    tells. For an application its outputs and sizes are added.
    """
    work = _Application(job) if job.application is not None else _Function(job)
    _rehearse(job)
    peak = _Peak()
    clock = _Clock(peak)
    checks = []
    for number in range(job.warmup + job.repetitions):
        clock.keep = number >= job.warmup
        checks.append(work(clock))
        _give_back()  # the memory that the check took
    items = []
    for _ in range(job.itemised):
        itemised = _Itemised(work.ring)
        work(itemised)
        items.append(itemised.operations)
    told = work.told() if isinstance(work, _Application) else {}
    return told | {
        "kind": "measured",
        "samples": clock.samples,
        "correct": None if None in checks else all(checks),
        "baseline_bytes": peak.before,
        "peak_bytes": peak.bytes,
        "phase_peak_bytes": peak.phases,
        "operations": items,
    }


def _rehearse(job: RingJob) -> None:
    """Runs all of it in a tiny ring, so that code loaded on its first use does not count for the job."""
    tiny = replace(job.parameters, n=TINY)
    with suppress(FheasibleError):  # the job itself shall say what is wrong with it
        prepared(job.scheme(_ring(replace(job, parameters=tiny)), tiny.spec), ALL).run(plainly)


class _Clock:
    """A caller that takes the CPU time of the process, wall time and the peak of memory."""

    def __init__(self, peak: "_Peak") -> None:
        self.samples: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        self.keep = True
        self._peak = peak

    def __call__(self, name: str, function: Callable[..., Any], *operands: Any) -> Any:
        self._peak.forget()
        cpu, wall = time.process_time(), time.perf_counter()
        result = function(*operands)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        self._peak.look(name)
        if self.keep:
            self.samples[name].append((cpu, wall))
        return result


class _TimedRing(ExactRing):
    """An exact ring that notes the CPU seconds of each operation, where there is a list for them."""

    notes: list[tuple[str, float]] | None = None

    def _interpret(self, operation: str, form: Element, *operands: Any) -> Any:
        if self.notes is None:
            return super()._interpret(operation, form, *operands)
        begun = time.process_time()
        made = super()._interpret(operation, form, *operands)
        self.notes.append((operation, time.process_time() - begun))
        return made


class _Itemised:
    """A caller that takes the CPU time of every operation of the ring."""

    keep = True

    def __init__(self, ring: _TimedRing) -> None:
        self.operations: dict[str, list[tuple[str, float]]] = {}
        self._ring = ring

    def __call__(self, name: str, function: Callable[..., Any], *operands: Any) -> Any:
        _give_back()
        self._ring.notes = self.operations.setdefault(name, [])
        result = function(*operands)
        self._ring.notes = None
        return result


class _Peak:
    """The most resident memory between `forget` and `look`, above that at the object's creation.

    For each phase it is the most above that at the phase's own beginning.
    """

    def __init__(self) -> None:
        _give_back()
        self.before, self.bytes = _resident("VmRSS"), 0
        self.phases: dict[str, int] = {}
        self._begun = self.before
        self._earlier = 0  # the peak that the kernel cannot forget

    def forget(self) -> None:
        _give_back()  # or a phase would reuse what the one before has freed
        self._begun = _resident("VmRSS")
        self._earlier = 0 if _forget_peak() else _resident("VmHWM")

    def look(self, phase: str) -> None:
        peak = _resident("VmHWM")
        if peak > self._earlier:
            self.bytes = max(self.bytes, peak - self.before)
            self.phases[phase] = max(self.phases.get(phase, 0), peak - self._begun)


def _resident(line: str) -> int:
    """VmRSS or VmHWM in bytes; without /proc, the peak in both cases."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return peak_bytes()
    return next(int(entry.split()[1]) * 1024 for entry in status.splitlines() if entry.startswith(line))


def _forget_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _give_back() -> None:
    """Gives freed memory back to the system, so that it is not mistaken for memory in use."""
    trim = getattr(c_library(), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _ring(job: RingJob) -> _TimedRing:
    modulus = job.parameters.modulus
    assert modulus is not None
    return _TimedRing(job.parameters.n, modulus, job.seed)


class _Application:
    """A job's application, run anew each time; the outputs are compared with the expected ones.

    The reported outputs are those of the first wrong run, or else of the last run; they are null where they
    cannot be read. Sizes are bytes as the ring stores keys and one fresh ciphertext. A warm-up takes
    polynomials for inputs: constants can hide a fault, for example where a result is always 0.
    """

    def __init__(self, job: RingJob) -> None:
        assert job.application is not None
        self._job, self._steps, self.ring = job, job.application, _ring(job)
        self._scheme = job.scheme(self.ring, job.parameters.spec)
        self._result: Vectors | None = None
        self._sizes: dict[str, int] = {}
        self._wrong = False
        self._draw = random.Random(job.seed)

    def __call__(self, clock: "_Clock | _Itemised") -> bool:
        def caller(name: str, function: Callable[..., Any], *operands: Any) -> Any:
            made = clock(name, function, *operands)
            self._sizes |= _sizes(name, made)
            return made

        if not clock.keep:
            return right_on_polynomials(self._steps, self._scheme, self.ring, self._draw)
        found = self._read(evaluate.run(self._steps, self._scheme, self._job.data, caller))
        if not self._wrong:
            self._result, self._wrong = found, found != self._job.expected
        return found == self._job.expected

    def _read(self, plaintexts: dict[str, list[Element]]) -> Vectors | None:
        try:
            found = evaluate.read(self._steps, self.ring, plaintexts, self._job.parameters.t)
        except WrongResult:
            return None
        return {name: values.tolist() for name, values in found.items()}

    def told(self) -> Json:
        return {"result": self._result, "sizes": self._sizes}


def _sizes(phase: str, made: Any) -> dict[str, int]:
    if phase == "keygen":
        keys: Keys = made
        parts = {"public": keys.public, "secret": keys.secret, "evaluation": keys.evaluation}
        return {f"{name}_key_bytes": _bytes(x) for name, x in parts.items()}
    if phase == "encrypt":
        return {"ciphertext_bytes": _bytes(next(iter(made.values()))[0])} if made else {}
    return {}


def _bytes(x: Element | None) -> int:
    return 0 if x is None else int(x.data.nbytes)


class _Function:
    """A job's function, called on the same operands each time. The result is decrypted and compared."""

    def __init__(self, job: RingJob) -> None:
        self._job, self.ring = job, _ring(job)
        draw = random.Random(job.seed)
        self._plain = _plaintext(job, draw), _plaintext(job, draw)
        self._scheme = job.scheme(self.ring, job.parameters.spec)
        self._call = prepared(self._scheme, job.what, *self._plain)

    def __call__(self, clock: "_Clock | _Itemised") -> bool | None:
        result, t = self._call.run(clock), self._job.parameters.t
        pairs = list(_expected(self._scheme, self._job.what, self._call, result, *self._plain, t))
        return all(_coefficients(self.ring, x) == wanted for x, wanted in pairs) if pairs else None


def _plaintext(job: RingJob, draw: random.Random) -> Polynomial:
    """A random plaintext; 1 where a scheme has only bits."""
    n, t = job.parameters.n, job.parameters.t
    return [1, *[0] * (n - 1)] if job.scheme.bits else [draw.randrange(t) for _ in range(n)]


def _coefficients(ring: ExactRing, x: Element) -> Polynomial:
    return [int(c) for c in ring.coefficients(x)[0, 0]]


def _expected(
    s: RingScheme, what: str, call: Prepared, result: Any, first: Polynomial, second: Polynomial, t: int
) -> list[tuple[Element, Polynomial]]:
    """(plaintext, what it must be) for everything that the function made.

    The list is empty where nothing can tell.
    """
    if what == ALL:
        keys, c, total, product, plain = result
        return [
            (plain, first),
            (s.decrypt(keys, c), first),
            (s.decrypt(keys, total), [2 * a % t for a in first]),
            (s.decrypt(keys, product), product_modulo(first, first, t)),
        ]
    if what == "keygen":
        keys = result
        return [(s.decrypt(keys, s.encrypt(keys, s.message(first))), first)]
    if what == "decrypt":
        return [(result, first)]
    assert call.keys is not None
    return _ciphertext(s, what, call.keys, result, first, second, t)


def _ciphertext(
    s: RingScheme, what: str, keys: Keys, result: Element, first: Polynomial, second: Polynomial, t: int
) -> list[tuple[Element, Polynomial]]:
    if what == "encrypt":
        return [(s.decrypt(keys, result), first)]
    if what == "add":
        return [(s.decrypt(keys, result), [(a + b) % t for a, b in zip(first, second, strict=True)])]
    finish = next((name for name, before in s.after.items() if before == what), None)
    if finish is not None:
        result = plainly(finish, getattr(s, finish), keys, result)
    elif what != "multiply" and s.after.get(what) is None:
        return []
    return [(s.decrypt(keys, result), product_modulo(first, second, t))]


def product_modulo(a: Polynomial, b: Polynomial, t: int) -> Polynomial:
    """The product a·b modulo X^n + 1 and t.

    It takes one product of integers, in which each coefficient has bytes of its own.
    """
    n = len(a)
    width = (2 * (t - 1).bit_length() + n.bit_length() + 7) // 8
    packed = (int.from_bytes(b"".join(c.to_bytes(width, "little") for c in x), "little") for x in (a, b))
    x, y = packed
    whole = (x * y).to_bytes(2 * n * width, "little")
    c = [int.from_bytes(whole[i * width : (i + 1) * width], "little") for i in range(2 * n)]
    return [(c[i] - c[n + i]) % t for i in range(n)]


if __name__ == "__main__":
    sys.exit(main())
