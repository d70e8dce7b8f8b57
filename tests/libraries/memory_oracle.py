"""Memory followed value by value and buffer by buffer, as slowly as one would by hand."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from fheasible.libraries.lattigo import resident as lattigo
from fheasible.libraries.lattigo.resident import GROWTH
from fheasible.libraries.openfhe import resident as openfhe
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import resident as seal
from fheasible.libraries.steps import StepKind
from fheasible.program.types import Action, Operation, Program


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
        if self.grown - self.collected > max(GROWTH * (self.before + self.collected), self.least):
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

    def follow(self, o: Operation) -> StepKind:
        product = o.action in (Action.MUL, Action.SQUARE)
        before = max((self.depths[a] for a in o.args), default=0)
        parts = max((self.parts[a] for a in o.args), default=2)
        self.levels[o.out] = o.level
        self.depths[o.out] = before + product
        self.parts[o.out] = 3 if product else 2 if o.action is Action.RELINEARIZE else parts
        operands = o.args or (o.out,)
        return StepKind(
            o.action,
            o.kind,
            max(self.parts[a] for a in operands),
            max(self.limbs(a) for a in operands),
            self.parts[o.out],
            self.limbs(o.out),
            before if self.bfv else 0,
        )


def kept_digits(digits: dict[int, int], o: Operation, made: int) -> Mapping[int, int]:
    """Limbs of the digits of each value that rotations share, after an operation."""
    if o.hoist == "first":
        digits[o.args[0]] = made
    if o.hoist == "last":
        del digits[o.args[0]]
    return digits


def openfhe_evaluation(program: Program, p: Parameters) -> float:
    """Alive at most."""
    values, alive, peak, digits = Values(program, p), 0, 0.0, dict[int, int]()
    for o in program.operations:
        step = values.follow(o)
        shape = openfhe.ContextShape.of(p, max(values.depths.values()))
        peak = max(peak, alive + sum(digits.values()) + openfhe.operation(shape, step))
        kept_digits(digits, o, shape.sizes(step.kind, step).digit_limbs)
        alive += step.result - sum(values.size(v) for v in o.frees)
    outputs = [v for packed in program.outputs for v in packed.values]
    return max(peak, *(alive + openfhe.decryption(p.scheme, values.limbs(v)) for v in outputs))


def seal_evaluation(program: Program, p: Parameters) -> float:
    """What a pool of exact sizes takes."""
    values, pool, rooms, chain = Values(program, p), Pool(), dict[int, int](), seal.ContextChain.of(p)
    for o in program.operations:
        step = values.follow(o)
        pool.borrow(*seal.temporaries(chain, step))
        rooms[o.out] = seal.capacity(chain, step)
        pool.take(rooms[o.out])
        pool.used.subtract(rooms[v] for v in o.frees)
    outputs = [values.limbs(v) for packed in program.outputs for v in packed.values]
    for k in outputs if p.scheme == "ckks" else ():
        pool.borrow(k, k, 2)
    secret = p.limbs + len(p.p)
    return pool.limbs + secret + (0 if p.scheme == "ckks" else 3 * max(outputs))


def lattigo_heap(program: Program, p: Parameters, shape: "lattigo.ChainShape") -> Heap:
    """Objects, with garbage collected between operations; the first fresh value stays."""
    values, alive, digits = Values(program, p), 0, dict[int, int]()
    heap = Heap(shape.before, shape.least)
    first = next(o.out for o in program.operations if o.action is Action.ENCRYPT)
    for o in program.operations:
        step = values.follow(o)
        heap.allocate(lattigo.allocated(shape, step))
        kept_digits(digits, o, shape.digits(step))
        alive += step.result - sum(values.size(v) for v in o.frees if v != first)
        heap.settle(alive + sum(digits.values()))
    return heap
