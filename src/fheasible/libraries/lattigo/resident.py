"""The resident set of Lattigo 6.1.1 in limbs of 8n bytes.

Every result is a new object. Our worker collects garbage between operations only, once the heap has grown by
the larger of a quarter and 8 MiB (workers/lattigo/memory.go). Buffers of evaluators become resident when they
are first written. What an action makes and writes is in `buffers`. The other figures are from core/rlwe,
schemes/ckks and schemes/bgv [Lattigo]; they were counted with runtime.MemStats and by the kernel's figure of
the resident set.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.libraries.block import Sets
from fheasible.libraries.lattigo import bootstrap_memory
from fheasible.libraries.lattigo.bootstrap import widened
from fheasible.libraries.lattigo.buffers import Memory, integers, memory
from fheasible.libraries.lattigo.case import LattigoCase, product_limbs
from fheasible.libraries.refreshing import refreshed, refreshing
from fheasible.libraries.steps import OutputSize, StepKind, Timeline, data_bytes, outputs, timeline
from fheasible.libraries.working import Working, WorkingMemory
from fheasible.program.concurrent import together
from fheasible.program.types import Action, Program

SMALL_GARBAGE_BYTES: Final = 8 << 20
GROWTH: Final = 0.25
GO_SMALL_GARBAGE_BYTES: Final = 4 << 20  # where the collector is left to Go: its least heap,
GO_GROWTH: Final = 1.0  # and GOGC=100
OTHER_OBJECTS_BYTES: Final = 1_600_000  # objects of the worker itself: requests, samples


def context(program: Program, p: Sets) -> float:
    """The limbs of the context: two tables of roots for each prime, and the tables of the encoders.

    A bootstrap adds its own tables, its matrices, and the buffers of its evaluator, which are made where the
    garbage of the matrices lay.
    """
    extended, own = p.limbs + len(p.p), refreshing(p)
    found = 2 * extended + (10 if p.scheme == "ckks" else 2 * product_limbs(p) + 6)
    if own is None:
        return found
    roots = 2 * (own.limbs + own.special)
    return found + roots + bootstrap_memory.context(own) + _objects(widened(own))


def keys(program: Program, p: Sets, switching_keys: int) -> float:
    """The limbs of the keys and the inputs, which are read between the context and the keys.

    There are the pair of keys and two polynomials for each digit of a switching key, all over QP, and a table
    for each automorphism. A bootstrap's keys are among `switching_keys`, and are modulo its own QP.
    """
    own, bootstrapping = switching_keys, 0
    if program.bootstraps:
        own -= bootstrap_memory.count(refreshed(p))
        bootstrapping = bootstrap_memory.keys(refreshed(p))
    extended, turns = p.limbs + len(p.p), own - program.relinearizes
    inputs = data_bytes(program) / (8 * p.ring_dimension)
    return extended * (3 + 2 * p.digits * own) + turns + inputs + bootstrapping


def key_generation(p: Sets) -> float:
    """No limbs: the generator's buffers are given back, and an encryption needs more than they took."""
    return 0.0


def evaluation(program: Program, p: Sets, switching_keys: int, threads: int | None = 1) -> float:
    """The limbs by which the heap grows from the first encryption to the last decryption, and those of the
    buffers written."""
    return max(_in_threads(program, p, switching_keys, threads))


def over_time(program: Program, p: Sets, switching_keys: int, threads: int | None = 1) -> list[float]:
    """The limbs that `evaluation` counts, at each operation and at the last decryption.

    With several threads, operations are those of `together`, in its order.
    """
    return list(_in_threads(program, p, switching_keys, threads))


def _in_threads(program: Program, p: Sets, switching_keys: int, threads: int | None) -> tuple[float, ...]:
    """The limbs over time where each goroutine has buffers of its own, and values wait for others to end."""
    if threads is None:
        return _over_time(
            program, ChainShape.of(program, p, switching_keys, GO_SMALL_GARBAGE_BYTES), GO_GROWTH
        )
    shape = ChainShape.of(program, p, switching_keys)
    return _over_time(together(program, threads), shape, GROWTH, threads)


def working(program: Program, p: Sets, switching_keys: int) -> WorkingMemory:
    """The objects that each operation makes, all of them garbage until they are collected, and the buffers
    that it writes. All primes have one table of roots."""
    shape = ChainShape.of(program, p, switching_keys)
    followed, results = timeline(program, shape.chain), outputs(program, shape.chain)
    used = [shape.operation(step) for step in followed.steps]
    new = [used[place].made for place in followed.places]
    held, end = heap(new, _alive(followed, shape), shape.before, shape.least)
    grown = [before + made for before, made in zip(held, (*new[1:], 0.0), strict=True)]
    collects = [after < most for after, most in zip((*held[1:], end), grown, strict=True)]
    roots = {"roots": 2 * (p.limbs + len(p.p))}
    each = [
        _worked(used[place], followed.steps[place].result, roots, frees)
        for place, frees in zip(followed.places, collects, strict=True)
    ]
    ends = [_worked(shape.decryption(o), 0, roots, collects=False) for o in results]
    return WorkingMemory(tuple(each), tuple(ends), lowest_first=True)


def _worked(used: Memory, result: int, roots: dict[str, int], collects: bool) -> Working:
    return Working((1,) * result, (1,) * max(round(used.made) - result, 0), used.written, roots, collects)


class ChainShape(NamedTuple):
    """The parts of the parameters that the heap depends on.

    `before`, the limbs of objects before the program, and `least` decide when garbage is collected.
    `product` is the number of limbs of QMul.
    """

    scheme: str
    chain: int
    special: int
    product: int
    before: float
    least: float
    refresh: int = 0  # the limbs that a bootstrap makes

    @staticmethod
    def of(
        program: Program, p: Sets, switching_keys: int, small_bytes: int = SMALL_GARBAGE_BYTES
    ) -> "ChainShape":
        """The shape where context, keys, encryptor and decryptor are there before the program."""
        per_limb, users = 8 * p.ring_dimension, 4 * (p.limbs + len(p.p)) + p.limbs
        before = _objects(p) + keys(program, p, switching_keys) + users + OTHER_OBJECTS_BYTES / per_limb
        product, own = product_limbs(p) if p.scheme == "bfv" else 0, refreshing(p)
        least = small_bytes / per_limb
        if own is None:
            return ChainShape(p.scheme, p.limbs, len(p.p), product, before, least)
        made = bootstrap_memory.made(own)
        before += context(program, p)
        return ChainShape(p.scheme, p.limbs, len(p.p), product, before, least, made)

    def case(self, limbs: int, polys: int, dropped: int = 0) -> LattigoCase:
        return LattigoCase(self.scheme, limbs, polys, dropped, self.chain, self.special, self.product)

    def operation(self, step: StepKind) -> Memory:
        """The memory of an operation of a program; without P no digits are shared."""
        if step.action is Action.BOOTSTRAP:
            return Memory(self.refresh, {})
        kind = step.kind if self.special else step.action.value
        limbs = step.limbs if step.action is Action.RESCALE else step.made_limbs
        dropped = step.limbs - limbs if step.action is Action.DROP else 0
        return memory(kind, self.case(limbs, step.made_parts, dropped))

    def decryption(self, output: OutputSize) -> Memory:
        """The memory of the decryption of a result."""
        return memory("decrypt", self.case(output.limbs, output.parts))


@lru_cache(maxsize=4096)
def _over_time(
    program: Program, shape: ChainShape, growth: float = GROWTH, threads: int = 1
) -> tuple[float, ...]:
    """The limbs of objects beside context and keys, and of the buffers written, over time.

    They are those of a process in which the program has run before: the spaces that the big integers of its
    decryption have left are too small for anything but the big integers of the next one.
    """
    followed, results = timeline(program, shape.chain), outputs(program, shape.chain)
    used = [shape.operation(step) for step in followed.steps]
    new = [used[place].made for place in followed.places]
    found, grown = heap(new, _alive(followed, shape), shape.before, shape.least, growth)
    decrypted = [shape.decryption(output) for output in results]
    left = sum([integers(shape.case(output.limbs, output.parts)) for output in results])
    buffers = threads * _kept([*used, *decrypted])
    at_the_end = grown + sum([each.made for each in decrypted])  # the big integers among them
    return (*[buffers + left + limbs for limbs in found], buffers + at_the_end)


def _kept(used: Iterable[Memory]) -> int:
    """The limbs of all buffers that are written, each as long as is needed at most."""
    longest: dict[str, int] = {}
    for each in used:
        for name, limbs in each.written.items():
            longest[name] = max(longest.get(name, 0), limbs)
    return sum(longest.values())


def heap(
    new: Iterable[float], alive: Iterable[float], before: float, least: float, growth: float = GROWTH
) -> tuple[list[float], float]:
    """(limbs of objects, alive or garbage, when each operation has made its `new` ones; those at the end).

    After an operation garbage is collected, so that only the limbs `alive` are left, if the heap has grown
    since the last collection by more than `growth`, as a share, and by more than `least`. `before` is the
    limbs of the objects that were there before the program.
    """
    found, grown, collected, limit = [], 0.0, 0.0, max(growth * before, least)
    for made, left in zip(new, alive, strict=True):
        grown += made
        found.append(grown)
        if grown - collected > limit:
            grown = collected = left
            limit = max(growth * (before + collected), least)
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
    makers = (followed.steps[place] for place in digits)
    return sum([shape.case(step.limbs, 2).digit_limbs for step in makers]) if digits else 0


def _objects(p: Sets) -> float:
    """The limbs of the context's objects, written to or not; most of them are the evaluator's buffers."""
    q, s = p.limbs, len(p.p)
    if p.scheme == "ckks":
        return q * q + q * s + 18 * q + 9 * s + 14.5
    found: float = q * q + q * s + 19 * q + 9 * s + 12 * product_limbs(p) + 8
    return found
