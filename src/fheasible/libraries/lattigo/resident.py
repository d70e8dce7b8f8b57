"""The resident set of Lattigo 6.1.1 in limbs of 8n bytes.

Every result is a new object. Our worker collects garbage between operations only, once the heap has grown by
the larger of a quarter and 8 MiB (workers/lattigo/memory.go). Buffers of evaluators become resident when they
are first written. The figures are from core/rlwe, schemes/ckks and schemes/bgv [Lattigo]; they were counted
with runtime.MemStats and by the kernel's figure of the resident set.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, log2
from typing import Any, Final, NamedTuple

import numpy as np

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.block import Sets
from fheasible.libraries.lattigo.corrections import encoding_garbage
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import StepKind, Timeline, data_bytes, output_limbs, timeline
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS, Action, Program

SMALL_GARBAGE_BYTES: Final = 8 << 20
GROWTH: Final = 0.25
OTHER_OBJECTS_BYTES: Final = 1_600_000  # objects of the worker itself: requests, samples
_PRODUCTS: Final = ("mul", "square")
_THERE: Final = frozenset((HAS_DIGITS,))
_HOISTED: Final = frozenset((MAKES_DIGITS, HAS_DIGITS))
_SWITCHING: Final = frozenset(("relinearize", "rotate", "swap_rows")) | _HOISTED


def context(program: Program, p: Sets) -> float:
    """The limbs of the context: two tables of roots for each prime, and the tables of the encoders."""
    extended = p.limbs + len(p.p)
    if p.scheme == "ckks":
        return 2 * extended + 10
    found: float = 2 * extended + 2 * second_base(p) + 6
    return found


def keys(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs of the keys and the inputs, which are read between the context and the keys.

    There are the pair of keys and two polynomials for each digit of a switching key, all over QP, and a table
    for each automorphism.
    """
    extended, turns = p.limbs + len(p.p), switching_keys - program.relinearizes
    inputs = data_bytes(program) / (8 * p.ring_dimension)
    return extended * (3 + 2 * p.digits * switching_keys) + turns + inputs


def key_generation(p: Sets) -> float:
    """No limbs: the generator's buffers are given back, and an encryption needs more than they took."""
    return 0.0


def evaluation(program: Program, p: Sets, switching_keys: int) -> Any:
    """The limbs by which the heap grows from the first encryption to the last decryption, and those of the
    buffers written. For a block of CKKS they are an array."""
    found, grown = _heap(program, ChainShape.of(program, p, switching_keys))
    integers, decoded = _decrypted(program, p)
    return integers + _larger(max(found, default=0.0), grown + decoded) + _buffers(program, p)


def over_time(program: Program, p: Parameters, switching_keys: int) -> list[float]:
    """The limbs that `evaluation` counts, at each operation and at the last decryption.

    They are those of a process in which the program has run before.
    """
    found, grown = _heap(program, ChainShape.of(program, p, switching_keys))
    integers, decoded = _decrypted(program, p)
    always = integers + _buffers(program, p)
    return [always + limbs for limbs in (*found, grown + decoded)]


class ChainShape(NamedTuple):
    """The parts of the parameters that the heap depends on.

    `before`, the limbs of objects before the program, and `least` decide when garbage is collected.
    """

    scheme: str
    chain: int
    special: int
    before: float
    least: float

    @staticmethod
    def of(program: Program, p: Sets, switching_keys: int) -> "ChainShape":
        """The shape where context, keys, encryptor and decryptor are there before the program."""
        per_limb, users = 8 * p.ring_dimension, 4 * (p.limbs + len(p.p)) + p.limbs
        before = _objects(p) + keys(program, p, switching_keys) + users + OTHER_OBJECTS_BYTES / per_limb
        return ChainShape(p.scheme, p.limbs, len(p.p), before, SMALL_GARBAGE_BYTES / per_limb)

    def digits(self, step: StepKind) -> int:
        """The limbs of the digits that a rotation makes for others; without P it makes no digits."""
        number = -(-step.limbs // self.special) if self.special else 0
        return number * (step.limbs + self.special)


@lru_cache(maxsize=4096)
def _heap(program: Program, shape: ChainShape) -> tuple[list[float], float]:
    """(limbs of objects beside context and keys at each operation, those at the end).

    They are those of a process in which the program has run before: the spaces that the big integers of its
    decryption have left are too small for anything else.
    """
    followed = timeline(program, shape.chain)
    new = [allocated(shape, step) for step in followed.steps]
    return heap([new[place] for place in followed.places], _alive(followed, shape), shape.before, shape.least)


def heap(
    new: Iterable[float], alive: Iterable[float], before: float, least: float
) -> tuple[list[float], float]:
    """(limbs of objects, alive or garbage, when each operation has made its `new` ones; those at the end).

    After an operation garbage is collected, so that only the limbs `alive` are left, if the heap has grown
    since the last collection by more than a quarter and by more than `least`. `before` is the limbs of the
    objects that were there before the program.
    """
    found, grown, collected, limit = [], 0.0, 0.0, max(GROWTH * before, least)
    for made, left in zip(new, alive, strict=True):
        grown += made
        found.append(grown)
        if grown - collected > limit:
            grown = collected = left
            limit = max(GROWTH * (before + collected), least)
    return found, grown


def _alive(followed: Timeline, shape: ChainShape) -> Iterable[int]:
    """The limbs of values and of digits that rotations share, after each operation.

    The first fresh value is never freed, because the worker tells its size.
    """
    values, digits = followed.kept_first[1:], followed.digits[1:]
    if not followed.shares_digits:
        return values
    return [held + _shared(followed, shape, kept) for held, kept in zip(values, digits, strict=True)]


def _shared(followed: Timeline, shape: ChainShape, digits: tuple[int, ...]) -> int:
    return sum([shape.digits(followed.steps[place]) for place in digits]) if digits else 0


def _decrypted(program: Program, p: Sets) -> tuple[Any, Any]:
    """(limbs of big integers, limbs of all that decryption and decoding throw away)."""
    outputs = output_limbs(program, p)
    integers = sum([big_integers(p, k) for k in outputs])
    return integers, integers + sum([k + 3 for k in outputs])


def _objects(p: Sets) -> float:
    """The limbs of the context's objects, written to or not; most of them are the evaluator's buffers."""
    q, s = p.limbs, len(p.p)
    if p.scheme == "ckks":
        return q * q + q * s + 18 * q + 9 * s + 14.5
    found: float = q * q + q * s + 19 * q + 9 * s + 12 * second_base(p) + 8
    return found


def allocated(shape: ChainShape, step: StepKind) -> float:
    """The new limbs of one operation: its result, a plaintext, and what is thrown away."""
    k = step.limbs
    match step.action:
        case Action.ENCRYPT:
            return 3 * k + 0.15 + _encoding_garbage(shape)
        case Action.ADD_PLAIN | Action.MUL_PLAIN:
            return step.result + k + _encoding_garbage(shape)
        case Action.DROP if shape.scheme != "ckks":
            return sum(step.parts * j for j in range(step.made_limbs, k))
        case Action.ROTATE if step.kind == MAKES_DIGITS:
            return step.result + shape.digits(step)
        case Action.EVAL_SUM | Action.EVAL_CHEBYSHEV:
            raise UnsupportedOperation(f"Lattigo has no {step.action}", "lower the program for its style")
    return step.result


def _encoding_garbage(shape: ChainShape) -> int:
    return encoding_garbage(shape.chain) if shape.scheme == "ckks" else 0


def big_integers(p: Sets, k: int) -> Any:
    """The limbs of big integers that decoding throws away in CKKS above level 0.

    There are some for every coefficient and limb. The formula was fitted to heaps of chains with primes of 40
    to 58 bits.
    """
    if p.scheme != "ckks" or k == 1:
        return 0
    bits = sum(_log2(q) for q in p.q[:k]) / k
    return 0.67 * bits - 14 + k * (0.16 * bits - 0.35)


def _buffers(program: Program, p: Sets) -> int:
    """The limbs of all buffers that the program writes, each as long as its longest operand needs it."""
    found, longest = 1 + max(output_limbs(program, p), default=0), timeline(program, p.limbs).longest

    def most(kinds: Iterable[str]) -> int:
        return max((longest.get(kind, 0) for kind in kinds), default=0)

    if "encrypt" in longest:
        found += 2 * p.limbs + 5
    if turned := most(_SWITCHING):
        found += 3 * (turned + len(p.p)) + most(_SWITCHING - _THERE if p.p else _SWITCHING)
    if alone := most(_SWITCHING - _HOISTED if p.p else _SWITCHING):
        found += alone + len(p.p)  # digit by digit
    if multiplied := most(_PRODUCTS):
        found += 2 * multiplied
        if p.scheme == "bfv":
            found += 8 * second_base(p) + multiplied
    return found


def second_base(p: Sets) -> Any:
    """The number of limbs, each of 61 bits, of the base that BFV multiplies in. BGV has this base too.

    Nothing else in this file follows from the values of BGV's and BFV's primes.
    """
    limbs = (sum(_log2(q) for q in p.q) + log2(p.ring_dimension)) / 61
    return np.ceil(limbs).astype(np.int64) if isinstance(limbs, np.ndarray) else ceil(limbs)


def _log2(prime: Any) -> Any:
    return np.log2(prime) if isinstance(prime, np.ndarray) else log2(prime)


def _larger(x: Any, y: Any) -> Any:
    return np.maximum(x, y) if isinstance(y, np.ndarray) else max(x, y)
