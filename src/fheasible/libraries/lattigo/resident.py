"""The resident set of Lattigo 6.1.1 in limbs of 8n bytes.

Every result is a new object, and our worker collects garbage between operations only, once the heap has grown
by a quarter or 8 MiB (workers/lattigo/memory.go). Buffers of evaluators become resident when they are first
written. From core/rlwe, schemes/ckks and schemes/bgv [Lattigo], counted with runtime.MemStats and by the
kernel's figure of the resident set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from typing import Final

from fheasible.libraries.lattigo.besides import encoding_garbage
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import Step, data_bytes, output_limbs, steps
from fheasible.program.types import Action, Program

SMALL_GARBAGE_BYTES: Final = 8 << 20
GROWTH: Final = 0.25
OTHER_OBJECTS_BYTES: Final = 1_600_000  # of the worker itself: requests, samples
_SWITCHES: Final = (Action.RELINEARIZE, Action.ROTATE, Action.SWAP_ROWS)


@dataclass(slots=True)
class Heap:
    """Limbs of objects, alive or garbage, beside the `before` that were there before the program."""

    before: float
    least: float  # growth that is never worth a collection
    grown: float = 0.0
    collected: float = 0.0  # what was alive after the last collection
    peak: float = 0.0

    def allocate(self, limbs: float) -> None:
        self.grown += limbs
        self.peak = max(self.peak, self.grown)

    def settle(self, alive: float) -> None:
        """Collects where the heap has grown enough since the last time."""
        if self.grown - self.collected > max(GROWTH * (self.before + self.collected), self.least):
            self.grown = self.collected = alive


def context(program: Program, p: Parameters) -> float:
    """Two tables of roots for each prime, and the tables of the encoders."""
    extended = p.limbs + len(p.p)
    if p.scheme == "ckks":
        return 2 * extended + 10
    return 2 * extended + 2 * _second_base(p) + 6


def keys(program: Program, p: Parameters, switching_keys: int) -> float:
    """The pair, and two polynomials for each digit, all over QP; a table for each automorphism.

    The inputs are read between the context and the keys.
    """
    extended, turns = p.limbs + len(p.p), switching_keys - program.relinearizes
    inputs = data_bytes(program) / (8 * p.ring_dimension)
    return extended * (3 + 2 * p.digits * switching_keys) + turns + inputs


def key_generation(p: Parameters) -> float:
    """Nothing that lasts: the generator's buffers are given back, and an encryption needs more."""
    return 0.0


def evaluation(program: Program, p: Parameters, switching_keys: int) -> float:
    """What the heap grows by from the first encryption to the last decryption, and the buffers written."""
    return _heap(program, p, switching_keys) + sum(_buffers(program, p))


def _heap(program: Program, p: Parameters, switching_keys: int) -> float:
    """The most objects beside context and keys, once the program has run before: the spaces that a
    decryption's big integers leave are too small for anything else."""
    heap, alive, held = _started(program, p, switching_keys), 0.0, dict[int, int]()
    first = next((o.out for o in program.operations if o.action is Action.ENCRYPT), None)  # kept for its size
    for step in steps(program, p):
        heap.allocate(allocated(p, step))
        held[step.operation.out] = step.result
        alive += step.result - sum(held[v] for v in step.frees if v != first)
        heap.settle(alive)
    outputs = output_limbs(program, p)
    integers = sum(big_integers(p, k) for k in outputs)
    heap.allocate(integers + sum(k + 3 for k in outputs))
    return integers + heap.peak


def _started(program: Program, p: Parameters, switching_keys: int) -> Heap:
    """With context, keys, encryptor and decryptor."""
    per_limb, users = 8 * p.ring_dimension, 4 * (p.limbs + len(p.p)) + p.limbs
    before = _objects(p) + keys(program, p, switching_keys) + users + OTHER_OBJECTS_BYTES / per_limb
    return Heap(before, SMALL_GARBAGE_BYTES / per_limb)


def _objects(p: Parameters) -> float:
    """Of the context, written to or not: the buffers of the evaluator above all."""
    q, s = p.limbs, len(p.p)
    if p.scheme == "ckks":
        return q * q + q * s + 18 * q + 9 * s + 14.5
    return q * q + q * s + 19 * q + 9 * s + 12 * _second_base(p) + 8


def allocated(p: Parameters, step: Step) -> float:
    """New limbs of one operation: the result, a plaintext, what is thrown away."""
    k = step.limbs
    match step.action:
        case Action.ENCRYPT:
            return 3 * k + 0.15 + _encoding_garbage(p)
        case Action.ADD_PLAIN | Action.MUL_PLAIN:
            return step.result + k + _encoding_garbage(p)
        case Action.DROP if p.scheme != "ckks":
            return sum(step.parts * j for j in range(step.made_limbs, k))
    return step.result


def _encoding_garbage(p: Parameters) -> int:
    return encoding_garbage(p.limbs) if p.scheme == "ckks" else 0


def big_integers(p: Parameters, k: int) -> float:
    """Thrown away by the decoding of CKKS above level 0: some for every coefficient and limb, fitted to heaps
    of chains of 40 to 58 bits."""
    if p.scheme != "ckks" or k == 1:
        return 0
    bits = sum(log2(q) for q in p.q[:k]) / k
    return 0.67 * bits - 14 + k * (0.16 * bits - 0.35)


def _buffers(program: Program, p: Parameters) -> Iterator[float]:
    """Limbs of each kind of buffer that the program writes, at its longest operand."""
    longest: dict[Action, int] = {}
    for step in steps(program, p):
        longest[step.action] = max(longest.get(step.action, 0), step.limbs)
    if Action.ENCRYPT in longest:
        yield 2 * p.limbs + 5
    if switched := max((longest.get(a, 0) for a in _SWITCHES), default=0):
        yield switched + 4 * (switched + len(p.p))
    if multiplied := max(longest.get(Action.MUL, 0), longest.get(Action.SQUARE, 0)):
        yield 2 * multiplied
        if p.scheme == "bfv":
            yield 8 * _second_base(p) + multiplied
    yield 1 + max(output_limbs(program, p), default=0)


def _second_base(p: Parameters) -> int:
    """Limbs of 61 bits of the base that BFV multiplies in; BGV has it too."""
    return ceil((sum(log2(q) for q in p.q) + log2(p.ring_dimension)) / 61)
