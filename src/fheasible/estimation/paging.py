"""What a program moves to and from swap where its process has less memory than it needs.

The kernel is taken to keep what was used last (LRU). The objects are those that a library has in memory: its
tables, keys, buffers and values. They are followed through key generation and three runs of the program; the
last run stands for every further one. Memory that was read from swap and not written since need not be
written again, unless swap is more than half full: then Linux gives the place in swap away when it is read
(`vm_swap_full`).

A key switch on k limbs reads a part of its key alone: ceil(k / digit) digits, each two polynomials of k limbs
and of those of P. So a key is divided into shells; shell k is what a switch on k limbs reads, and one on
k - 1 does not.
"""

import heapq
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from fheasible.estimation.memory import MemoryModel, needs, resident_set
from fheasible.estimation.sizes import WORD, evaluation_key_count
from fheasible.libraries.block import Block, Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import Layout
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layouts_of
from fheasible.libraries.working import Working, WorkingMemory
from fheasible.program.phases import PHASES
from fheasible.program.schedule import flow
from fheasible.program.types import Action, Operation, Program

RUNS: Final = 3  # of the program; what the first two leave in memory is what every further one finds
IN_USE: Final = 0.25  # the part of a bare process that it uses all the time; the rest is used at its start


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes that each of `PHASES` reads from and writes to swap in one run after the first ones."""

    read_bytes: tuple[int, ...]
    written_bytes: tuple[int, ...]


def moved(program: Program, p: Sets, model: MemoryModel, limit: int, swap: int | None = None) -> Moved:
    """What a program moves where its process may keep `limit` bytes in memory, and needs more, with `swap`
    bytes of swap; None for plenty. The sets of a block are taken to move as much as the first."""
    found = resident_set(model, needs(program, p))
    layout = layouts_of(p if isinstance(p, Block) else [p])[0]
    full = swap is not None and 2 * (int(np.max(found.peak_bytes)) - limit) > swap
    return _moved(program, layout, p.ring_dimension, found.baseline_bytes, limit, full)


@lru_cache(maxsize=4096)
def _moved(program: Program, layout: Layout, n: int, baseline: int, limit: int, full: bool) -> Moved:
    p = replace(layout.parameters(), ring_dimension=n)
    return _Run(program, p, baseline, Memory(limit, full)).moved()


@dataclass
class Memory:
    """A memory of `limit` bytes that keeps what was used last. `read` and `written` count bytes of swap.
    Where swap is `full`, what is read from it has no place there any more."""

    limit: int
    full: bool = False
    read: int = 0
    written: int = 0
    _held: int = 0
    _here: OrderedDict[Hashable, int] = field(default_factory=OrderedDict)
    _changed: set[Hashable] = field(default_factory=set)  # since it was in swap last
    _away: set[Hashable] = field(default_factory=set)

    def use(self, thing: Hashable, size: int, writes: bool = False) -> None:
        """Uses a thing of that size, which is read from swap where it is there. It grows where it is larger
        than before."""
        before = self._here.get(thing)
        if before is not None:
            self._here.move_to_end(thing)
            size = max(size, before)
        elif thing in self._away:
            self.read += size
            writes = writes or self.full
        if writes:
            self._changed.add(thing)
        if size != before:
            self._here[thing] = size
            self._held += size - (before or 0)
            self._evict()

    def _evict(self) -> None:
        while self._held > self.limit and len(self._here) > 1:
            thing, size = self._here.popitem(last=False)
            self._held -= size
            self._away.add(thing)
            if thing in self._changed:
                self._changed.remove(thing)
                self.written += size


class _Buffers:
    """Buffers by size, taken and given back."""

    def __init__(self, lowest_first: bool) -> None:
        self._take: Any = heapq.heappop if lowest_first else list.pop
        self._give: Any = heapq.heappush if lowest_first else list.append
        self._free: dict[int, list[int]] = defaultdict(list)
        self._made: dict[int, int] = defaultdict(int)
        self._garbage: list[tuple[int, int]] = []

    def take(self, size: int) -> tuple[int, int]:
        free = self._free[size]
        if free:
            return size, self._take(free)
        self._made[size] += 1
        return size, self._made[size]

    def give_back(self, buffers: Iterable[tuple[int, int]], collects: bool) -> None:
        """Gives buffers back, which can be taken again once garbage is collected."""
        self._garbage += buffers
        if collects:
            for size, number in reversed(self._garbage):
                self._give(self._free[size], number)
            self._garbage = []


class _Run:
    """A process that makes keys and runs a program, as its memory sees it."""

    def __init__(self, program: Program, p: Parameters, baseline: int, memory: Memory) -> None:
        self.program, self.p, self.memory = program, p, memory
        self.limb = WORD * p.ring_dimension
        self.baseline = baseline
        lib = library(p.library)
        self.keys = evaluation_key_count(program, p)
        self.of, self.digit = lib.resident, max(lib.limbs_per_digit(p), 1)
        self.sums = tuple(("turn", step) for step in lib.sum_steps(p)) if program.sums_slots else ()
        self.working: WorkingMemory = self.of.working(program, p, self.keys)
        self.buffers = _Buffers(self.working.lowest_first)
        self.values: dict[int, list[tuple[int, int]]] = {}
        self.counts = [[0, 0] for _ in PHASES]

    def moved(self) -> Moved:
        self._start()
        self._generate_keys()
        for run in range(RUNS):
            if run == RUNS - 1:
                self.counts[1:] = [[0, 0] for _ in PHASES[1:]]
            self._run()
        read, written = zip(*self.counts, strict=True)
        return Moved(tuple(read), tuple(written))

    def _start(self) -> None:
        self._use(("start",), (1 - IN_USE) * self.baseline / self.limb, writes=True)
        self._use(("process",), IN_USE * self.baseline / self.limb, writes=True)
        self._use(("context",), self.of.context(self.program, self.p), writes=True)
        self.memory.read = self.memory.written = 0

    # -- key generation

    def _generate_keys(self) -> None:
        pair = self.of.keys(self.program, self.p, 0)
        self._use(("pair",), pair, writes=True)
        for key in self._all_keys():
            self._use(("generator",), self.of.key_generation(self.p), writes=True)
            for shell, size in self._shells(self.p.limbs):
                self._use((key, shell), size, writes=True)
        self._counted("keygen")

    def _all_keys(self) -> Iterator[Hashable]:
        program = self.program
        if program.relinearizes:
            yield "relinearization"
        yield from (
            ("turn", steps) for steps in dict.fromkeys((*program.rotations, *(s for _, s in self.sums)))
        )
        if program.swaps_rows:
            yield "swap"

    def _shells(self, limbs: int) -> Sequence[tuple[int, int]]:
        special = 0 if self.p.key_switching == "bv" else len(self.p.p)
        return _shells(limbs, 1 if self.p.key_switching == "bv" else self.digit, special)

    # -- a run

    def _run(self) -> None:
        limbs = [level + 1 for level in flow(self.program).operand_levels]
        for o, k, worked in zip(self.program.operations, limbs, self.working.operations, strict=True):
            self._operate(o, self.p.limbs if self.p.scheme == "bfv" else k, worked)
            self._counted("encrypt" if o.action is Action.ENCRYPT else "evaluate")
        outputs = [v for packed in self.program.outputs for v in packed.values]
        for value, worked in zip(outputs, self.working.decryptions, strict=True):
            self._use(("pair",), 1)
            self._touch(self.values.get(value, ()))
            self._work(worked)
        self.buffers.give_back((b for value in self.values.values() for b in value), collects=True)
        self.values.clear()
        self._counted("decrypt")

    def _operate(self, o: Operation, limbs: int, worked: Working) -> None:
        if o.action is Action.ENCRYPT:
            self._use(("input", o.source, o.chunk), self.program.slots / self.p.ring_dimension)
            self._use(("pair",), 1)
        if o.plain is not None and self.program.plains[o.plain].size > 1:
            self._use(("plain", o.plain), self.program.plains[o.plain].size / self.p.ring_dimension)
        for value in o.args:
            self._touch(self.values.get(value, ()))
        for key in self._keys_of(o):
            for shell, size in self._shells(limbs):
                self._use((key, shell), size)
        self.values[o.out] = self._work(worked)
        freed = [b for value in o.frees for b in self.values.pop(value, ())]
        self.buffers.give_back(freed, worked.collects)

    def _keys_of(self, o: Operation) -> tuple[Hashable, ...]:
        match o.action:
            case Action.RELINEARIZE | Action.EVAL_CHEBYSHEV:
                return ("relinearization",)
            case Action.ROTATE:
                return (("turn", o.steps),)
            case Action.SWAP_ROWS:
                return ("swap",)
            case Action.EVAL_SUM:
                return self.sums
        return ()

    def _work(self, worked: Working) -> list[tuple[int, int]]:
        """The buffers of the result; the others are given back."""
        self._use(("process",), 0)
        for name, size in worked.read.items():
            self._use(name, size)
        for name, size in worked.written.items():
            self._use(name, size, writes=True)
        result = [self.buffers.take(size) for size in worked.result]
        temporary = [self.buffers.take(size) for size in worked.temporary]
        for buffer in (*temporary, *result):
            self._use(buffer, buffer[0], writes=True)
        self.buffers.give_back(temporary, worked.collects)
        return result

    def _touch(self, buffers: Iterable[tuple[int, int]]) -> None:
        for buffer in buffers:
            self._use(buffer, buffer[0])

    def _use(self, thing: Hashable, limbs: float, writes: bool = False) -> None:
        self.memory.use(thing, round(limbs * self.limb), writes)

    def _counted(self, phase: str) -> None:
        """Adds what was moved since the last call to that phase."""
        count = self.counts[PHASES.index(phase)]
        count[0] += self.memory.read
        count[1] += self.memory.written
        self.memory.read = self.memory.written = 0


@lru_cache(maxsize=1024)
def _shells(limbs: int, digit: int, special: int) -> tuple[tuple[int, int], ...]:
    """(k, limbs of the key's shell k) for every k up to `limbs`."""
    whole = [0] + [2 * -(-k // digit) * (k + special) for k in range(1, limbs + 1)]
    return tuple([(k, whole[k] - whole[k - 1]) for k in range(1, limbs + 1)])
