"""Interpret a program on plain slots: what an ideal, noiseless execution decrypts to."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.program.types import Action, Operation, Packed, Program, Scheme, chunk

Slots = NDArray[Any]


def simulate(program: Program, data: Mapping[str, Slots], modulus: int | None = None) -> dict[str, Slots]:
    """The logical output vectors. Integers are reduced to (-modulus/2, modulus/2] when it is given."""
    slots = run(program, data, modulus)
    return {p.name: unpack(p, [slots[v] for v in p.values]) for p in program.outputs}


def run(program: Program, data: Mapping[str, Slots], modulus: int | None = None) -> dict[int, Slots]:
    """The slots of every value."""
    kind = _number(program, modulus)
    chunks = {p.name: chunk(np.asarray(data[p.name]).astype(kind), program.slots) for p in program.inputs}
    values: dict[int, Slots] = {}
    for operation in program.operations:
        values[operation.out] = _centre(_apply(program, operation, values, chunks), modulus)
    return values


def unpack(packed: Packed, slots: list[Slots]) -> Slots:
    """The logical vector in the given slots of its values."""
    return np.concatenate(slots)[: packed.length]


def _apply(program: Program, o: Operation, values: dict[int, Slots], chunks: Mapping[str, Slots]) -> Slots:
    args = [values[a] for a in o.args]
    plain = program.plains[o.plain] if o.plain is not None else None
    match o.action:
        case Action.ENCRYPT:
            return chunks[o.source][o.chunk]
        case Action.ADD:
            return args[0] + args[1]
        case Action.SUB:
            return args[0] - args[1]
        case Action.NEG:
            return -args[0]
        case Action.MUL:
            return args[0] * args[1]
        case Action.SQUARE:
            return args[0] * args[0]
        case Action.ADD_PLAIN | Action.ADD_SCALAR:
            return args[0] + plain
        case Action.MUL_PLAIN | Action.MUL_SCALAR:
            return args[0] * plain
        case Action.ROTATE:
            return rotate(args[0], o.steps, program.two_rows)
        case Action.SWAP_ROWS:
            return np.roll(args[0], program.slots // 2) if program.two_rows else args[0]
        case _:  # relinearize, rescale, drop: other ciphertext, same plaintext
            return args[0]


def rotate(slots: Slots, steps: int, two_rows: bool) -> Slots:
    """Slot i receives slot i + steps of its row."""
    rows = slots.reshape(2 if two_rows else 1, -1)
    return np.roll(rows, -steps, axis=1).reshape(-1)


def _number(program: Program, modulus: int | None) -> Any:
    """A type in which no product of two slots overflows."""
    if program.scheme is Scheme.CKKS:
        return np.float64
    return np.int64 if modulus is not None and modulus < 2**31 else object


def _centre(slots: Slots, modulus: int | None) -> Slots:
    if modulus is None:
        return slots
    half = (modulus - 1) // 2
    return (slots + half) % modulus - half
