"""Memory followed value by value and buffer by buffer, as slowly as one would by hand.

Nothing here asks the models under test. What an operation needs is told by the caller, as a function of a
`Step`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Action, Operation, Program


class Step(NamedTuple):
    """What an operation works on and what it makes; the kind tells rotations that share digits from others.

    `depth` is the number of products before it in BFV, and 0 in the other schemes.
    """

    kind: str
    parts: int
    limbs: int
    made_parts: int
    made_limbs: int
    depth: int

    @property
    def made(self) -> int:
        return self.made_parts * self.made_limbs


@dataclass
class Pool:
    """Buffers in use and the most that ever were, by their size in limbs."""

    used: Counter[int] = field(default_factory=Counter)
    most: Counter[int] = field(default_factory=Counter)

    def take(self, *sizes: int) -> None:
        for size in sizes:
            self.used[size] += 1
            self.most[size] = max(self.most[size], self.used[size])

    def borrow(self, *sizes: int) -> None:
        self.take(*sizes)
        self.used.subtract(sizes)

    @property
    def limbs(self) -> int:
        return sum(size * count for size, count in self.most.items())


@dataclass
class Heap:
    """Limbs of objects, alive or garbage, beside the `before` that were there before the program."""

    before: float
    least: float
    grown: float = 0.0
    collected: float = 0.0
    peak: float = 0.0

    def allocate(self, limbs: float) -> None:
        self.grown += limbs
        self.peak = max(self.peak, self.grown)

    def settle(self, alive: float) -> None:
        """Collect garbage if the heap has grown by more than a quarter, and by more than `least`."""
        if self.grown - self.collected > max((self.before + self.collected) / 4, self.least):
            self.grown = self.collected = alive


class Values:
    """What each value of a program is: polynomials, limbs, products before it."""

    def __init__(self, program: Program, p: Parameters) -> None:
        self.bfv, self.p = p.scheme == "bfv", p
        self.parts: dict[int, int] = {}
        self.levels: dict[int, int] = {}
        self.depths: dict[int, int] = {}

    def limbs(self, v: int) -> int:
        return self.p.limbs if self.bfv else self.levels[v] + 1

    def size(self, v: int) -> int:
        return self.parts[v] * self.limbs(v)

    def follow(self, o: Operation) -> Step:
        product = o.action in (Action.MUL, Action.SQUARE)
        before = max((self.depths[a] for a in o.args), default=0)
        parts = max((self.parts[a] for a in o.args), default=2)
        self.levels[o.out] = o.level
        self.depths[o.out] = before + product
        self.parts[o.out] = 3 if product else 2 if o.action is Action.RELINEARIZE else parts
        operands = o.args or (o.out,)
        return Step(
            o.kind,
            max(self.parts[a] for a in operands),
            max(self.limbs(a) for a in operands),
            self.parts[o.out],
            self.limbs(o.out),
            before if self.bfv else 0,
        )


Needed = Callable[[Step], float]


def steps(program: Program, p: Parameters) -> Iterator[Step]:
    values = Values(program, p)
    return map(values.follow, program.operations)


def limbs_of(program: Program, p: Parameters, value: int) -> int:
    """The limbs of each polynomial of a value."""
    level = next(o.level for o in program.operations if o.out == value)
    return p.limbs if p.scheme == "bfv" else level + 1


def keep_digits(digits: dict[int, float], o: Operation, step: Step, made: Needed) -> None:
    """Note the limbs of the digits that are kept for each value whose rotations share them."""
    if o.hoist == "first":
        digits[o.args[0]] = made(step)
    if o.hoist == "last":
        del digits[o.args[0]]


def most_alive(
    program: Program, p: Parameters, needed: Needed, digits_made: Needed, decrypted: Callable[[int], float]
) -> float:
    """The most limbs alive at once, where freed memory is used again.

    `needed`: during an operation, beside its operands, its result included; `digits_made`: the digits that a
    rotation leaves for others; `decrypted`: while a value of so many limbs is decrypted.
    """
    values, alive, peak, digits = Values(program, p), 0, 0.0, dict[int, float]()
    for o in program.operations:
        step = values.follow(o)
        peak = max(peak, alive + sum(digits.values()) + needed(step))
        keep_digits(digits, o, step, digits_made)
        alive += step.made - sum(values.size(v) for v in o.frees)
    outputs = [v for packed in program.outputs for v in packed.values]
    return max(peak, *(alive + decrypted(values.limbs(v)) for v in outputs))


def pool_of(
    program: Program,
    p: Parameters,
    borrowed: Callable[[Step], Iterable[int]],
    room: Callable[[Step], int],
    decoding: Callable[[int], Iterable[int]],
) -> int:
    """The limbs of a pool that keeps a list of buffers for each exact size and gives none back.

    `borrowed`: the sizes in use during an operation only; `room`: the size of its result; `decoding`: the
    sizes in use while a result of so many limbs is decoded.
    """
    values, pool, rooms = Values(program, p), Pool(), dict[int, int]()
    for o in program.operations:
        step = values.follow(o)
        pool.borrow(*borrowed(step))
        rooms[o.out] = room(step)
        pool.take(rooms[o.out])
        pool.used.subtract(rooms[v] for v in o.frees)
    for packed in program.outputs:
        for v in packed.values:
            pool.borrow(*decoding(values.limbs(v)))
    return pool.limbs


def heap_of(program: Program, p: Parameters, heap: Heap, allocated: Needed, digits_made: Needed) -> Heap:
    """The heap after the program, with garbage collected between operations; the first fresh value stays."""
    values, alive, digits = Values(program, p), 0, dict[int, float]()
    first = next(o.out for o in program.operations if o.action is Action.ENCRYPT)
    for o in program.operations:
        step = values.follow(o)
        heap.allocate(allocated(step))
        keep_digits(digits, o, step, digits_made)
        alive += step.made - sum(values.size(v) for v in o.frees if v != first)
        heap.settle(alive + sum(digits.values()))
    return heap
