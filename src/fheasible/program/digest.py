"""A name for a program's content, which is equal for equal programs, on any machine."""

from dataclasses import astuple, fields
from hashlib import sha256
from operator import attrgetter
from typing import Any

from fheasible.program.types import Operation, Packed, Program

_ALL = attrgetter(
    *(field.name for field in fields(Operation) if field.compare)
)  # `astuple` copies, which takes ten times as long


def digest(program: Program) -> str:
    """The first 16 hexadecimal digits of SHA-256 over the whole content of the program."""
    facts = (program.scheme, program.slots, program.levels, program.automatic, program.two_rows)
    state = sha256(repr(facts).encode())
    for operation in program.operations:
        state.update(repr(_facts(operation)).encode())
    for packed in (*program.inputs, *program.outputs):
        state.update(repr(_packed(packed)).encode())
    for plain in program.plains:
        state.update(f"{plain.dtype} {plain.shape}".encode() + plain.tobytes())
    return state.hexdigest()[:16]


def _packed(packed: Packed) -> tuple[Any, ...]:
    """The fields of `packed`, without the last ones where they are empty, so that older digests stay
    valid."""
    *facts, tiled, columns = astuple(packed)
    return (*facts, tiled, columns) if columns else (*facts, tiled) if tiled else tuple(facts)


def _facts(operation: Operation) -> tuple[Any, ...]:
    """The fields of the operation, without `hoist` where it is empty, so that older digests stay valid."""
    facts: tuple[Any, ...] = _ALL(operation)
    return facts if operation.hoist else facts[:-1]
