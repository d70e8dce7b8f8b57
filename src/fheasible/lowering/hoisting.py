"""Marks the rotations that share the digits of their operand [HS18], in a last pass over a program.

No operation is moved. The digits take memory from the first rotation of a value to the last.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fheasible.program.types import Action, Hoist, Operation, Program


def hoisted(program: Program) -> Program:
    """The program with its rotations marked where a value has several; unchanged where no value has."""
    turns = Counter(_turned(o) for o in program.operations if o.action is Action.ROTATE)
    if max(turns.values(), default=0) < 2:
        return program
    return replace(program, operations=_marked(program.operations, turns))


def _marked(operations: Sequence[Operation], turns: Counter[int]) -> tuple[Operation, ...]:
    """The operations, with rotations marked; `turns` says how often each value is rotated."""
    seen = Counter[int]()
    marked = []
    for o in operations:
        if o.action is Action.ROTATE and turns[_turned(o)] > 1:
            seen[_turned(o)] += 1
            o = replace(o, hoist=_part(seen[_turned(o)], turns[_turned(o)]))
        marked.append(o)
    return tuple(marked)


def _part(number: int, of: int) -> Hoist:
    if number == 1:
        return Hoist.FIRST
    return Hoist.LAST if number == of else Hoist.NEXT


def _turned(o: Operation) -> int:
    """The value that is rotated."""
    return o.args[0]
