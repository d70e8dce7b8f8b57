"""A program of table look-ups on clear digits: what each step gives, and whether digits stay in range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step, Values, digits_of, from_digits


class OutOfRange(Exception):
    """A value left [0, modulus): a fault of whoever made the program, or data outside their range."""


def computed(program: LookupProgram, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Each output by name, of shape (length,): Python's integers, or float64 for real numbers. OutOfRange
    where a value leaves [0, modulus)."""
    given = {each.name: digits_of(inputs[each.name], each) for each in program.inputs}
    known: dict[int, Values] = {}
    for step in program.steps:
        known[step.out] = _value(program, step, known, given)
    return {out.name: from_digits(_of(out, known), out) for out in program.outputs}


def _of(out: Digits, known: dict[int, Values]) -> list[Values]:
    return [np.broadcast_to(known[v], (out.length,)) for v in out.values]


def _value(
    program: LookupProgram, step: LookupStep, known: dict[int, Values], given: dict[str, list[Values]]
) -> Values:
    made = np.broadcast_to(_made(program, step, known, given), (step.length,))
    if len(made) and (int(made.min()) < 0 or int(made.max()) >= program.modulus):
        raise OutOfRange(
            f"value {step.out} ({step.step.value}) lies in [{made.min()}, {made.max()}], outside [0, "
            f"{program.modulus})"
        )
    return made


def _made(
    program: LookupProgram, step: LookupStep, known: dict[int, Values], given: dict[str, list[Values]]
) -> Values:
    args = [known[a] for a in step.args]
    match step.step:
        case Step.ENCRYPT:
            return given[step.source][step.digit]
        case Step.TRIVIAL:
            assert step.plain is not None
            return step.plain
        case Step.LINEAR:
            total = np.zeros(step.length, dtype=np.int64) if step.plain is None else step.plain
            for weight, each in zip(step.weights, args, strict=True):
                total = total + weight * each
            return total
        case Step.PICK:
            assert step.plain is not None
            picked: Values = args[0][step.plain]
            return picked
        case Step.JOIN:
            return np.concatenate(args)
        case Step.FOLD:
            return np.add.reduceat(args[0], np.arange(0, len(args[0]), step.group))
        case Step.LOOKUP:
            return np.array(program.tables[step.table], dtype=np.int64)[args[0]]
