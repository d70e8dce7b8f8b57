"""A name for a program's content: equal for equal programs, on any machine."""

from dataclasses import astuple
from hashlib import sha256

from fheasible.program.types import Program


def digest(program: Program) -> str:
    """The first 16 hexadecimal digits of SHA-256 over all that the program is."""
    facts = (program.scheme, program.slots, program.levels, program.automatic, program.two_rows)
    state = sha256(repr(facts).encode())
    for operation in program.operations:
        state.update(repr(astuple(operation)).encode())
    for packed in (*program.inputs, *program.outputs):
        state.update(repr(astuple(packed)).encode())
    for plain in program.plains:
        state.update(f"{plain.dtype} {plain.shape}".encode() + plain.tobytes())
    return state.hexdigest()[:16]
