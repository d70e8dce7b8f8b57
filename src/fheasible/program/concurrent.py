"""A program as several threads execute it: which operations wait for which, and in which order they run."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from heapq import heapify, heappop, heappush

from fheasible.program.schedule import frees
from fheasible.program.types import Action, Hoist, Operation, Program

Successors = Sequence[Sequence[int]]


@lru_cache(maxsize=1024)
def successors(program: Program) -> tuple[tuple[int, ...], ...]:
    """For each operation, the places of those that cannot begin before it has ended.

    They take its result, or they are rotations that share the digits which it makes.
    """
    makers: dict[int, int] = {}
    turning: dict[int, int] = {}  # from a value to the rotation that makes its digits
    found: list[list[int]] = [[] for _ in program.operations]
    for place, o in enumerate(program.operations):
        before = {makers[value] for value in o.args}
        if o.hoist is Hoist.FIRST:
            turning[o.args[0]] = place
        elif o.hoist is not Hoist.NONE:
            before.add(turning[o.args[0]])
        for maker in before:
            found[maker].append(place)
        makers[o.out] = place
    return tuple(map(tuple, found))


@lru_cache(maxsize=1024)
def phases(program: Program) -> tuple[tuple[int, int], ...]:
    """The stretches of places, from and up to, that are of one phase. The next phase waits for all of one."""
    kinds = [o.action is Action.ENCRYPT for o in program.operations]
    begins = [i for i in range(len(kinds)) if i == 0 or kinds[i] is not kinds[i - 1]]
    return tuple(zip(begins, [*begins[1:], len(kinds)], strict=True))


@lru_cache(maxsize=1024)
def together(program: Program, threads: int) -> Program:
    """The program in the order in which so many threads begin its operations, if each takes equally long.

    Of the operations whose operands are there, a thread takes the first in the program's order, as workers
    do. A value is freed once the operations that run beside its last use have ended, too.
    """
    if threads == 1:
        return program
    order = [place for span in phases(program) for place in _rounds(program, *span, threads)]
    operations = _digits_in_order([program.operations[place] for place in order])
    dying = frees(operations, [v for packed in program.outputs for v in packed.values])
    late: list[tuple[int, ...]] = [()] * len(operations)
    for place, dead in enumerate(dying):
        end = min(place + threads - 1, len(operations) - 1)
        late[end] = (*late[end], *dead)
    freed = (replace(o, frees=dead) for o, dead in zip(operations, late, strict=True))
    return replace(program, operations=tuple(freed))


def _rounds(program: Program, begin: int, end: int, threads: int) -> list[int]:
    """The places of one phase, in rounds of as many operations as there are threads."""
    after, left = successors(program), waiting(program, begin, end)
    ready = [place for place in range(begin, end) if not left[place - begin]]
    found: list[int] = []
    while ready:
        now = [heappop(ready) for _ in range(min(threads, len(ready)))]
        for place in now:
            for other in after[place]:
                if other < end:
                    left[other - begin] -= 1
                    if not left[other - begin]:
                        heappush(ready, other)
        found += now
    return found


def waiting(program: Program, begin: int, end: int) -> list[int]:
    """How many operations of the same phase each operation from `begin` up to `end` waits for."""
    found = [0] * (end - begin)
    for places in successors(program)[begin:end]:
        for place in places:
            if place < end:
                found[place - begin] += 1
    return found


def _digits_in_order(operations: Sequence[Operation]) -> list[Operation]:
    """The operations with the last rotation of each value that shares its digits marked in this order."""
    last = {o.args[0]: i for i, o in enumerate(operations) if o.hoist in (Hoist.NEXT, Hoist.LAST)}
    return [
        replace(o, hoist=Hoist.LAST if last[o.args[0]] == i else Hoist.NEXT)
        if o.hoist in (Hoist.NEXT, Hoist.LAST)
        else o
        for i, o in enumerate(operations)
    ]


def makespan(
    program: Program, begin: int, end: int, seconds: Sequence[float], slowed: Sequence[float], threads: int
) -> float:
    """The seconds until so many threads have executed the operations of one phase.

    `seconds[place]` is what an operation takes alone, and `slowed[place]` how much longer it takes, as a
    share, for each other thread that is busy when it begins. A thread that is free takes the first operation
    in the program's order whose operands are there.
    """
    after, left = successors(program), waiting(program, begin, end)
    ready = [place for place in range(begin, end) if not left[place - begin]]
    heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        if ready and len(running) < threads:
            taken = [heappop(ready) for _ in range(min(threads - len(running), len(ready)))]
            others = len(running) + len(taken) - 1
            for place in taken:
                heappush(running, (now + seconds[place] * (1 + slowed[place] * others), place))
        now = running[0][0]
        ended = [heappop(running)[1]]
        while running and running[0][0] == now:
            ended.append(heappop(running)[1])
        for other in (other for done in ended for other in after[done] if other < end):
            left[other - begin] -= 1
            if not left[other - begin]:
                heappush(ready, other)
    return now
