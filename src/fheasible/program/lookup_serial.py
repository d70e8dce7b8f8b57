"""Writes a program of table look-ups as the message that workers read (workers/PROTOCOL.md)."""

import numpy as np

from fheasible.aliases import Json
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Values, digits_of


def to_message(program: LookupProgram) -> Json:
    """The JSON form of a program, which holds all its tables and plain numbers."""
    return {
        "modulus": program.modulus,
        "tables": [list(table) for table in program.tables],
        "steps": [_step(step) for step in program.steps],
        "inputs": [_digits(each) for each in program.inputs],
        "outputs": [_digits(each) for each in program.outputs],
    }


def input_rows(numbers: Values, digits: Digits) -> Values:
    """An input as workers read it: its digits, least first, of shape (digits, length)."""
    return np.array(digits_of(numbers, digits), dtype=np.int64).reshape(len(digits.values), digits.length)


def _step(step: LookupStep) -> Json:
    fields: Json = {"step": step.step.value, "out": step.out, "length": step.length}
    numbers = {"args": step.args, "weights": step.weights, "frees": step.frees}
    fields |= {name: [int(x) for x in found] for name, found in numbers.items() if found}
    if step.plain is not None:
        fields["plain"] = [int(x) for x in step.plain]
    own = {"group": step.group, "table": step.table, "source": step.source, "digit": step.digit}
    return fields | {name: found for name, found in own.items() if found}


def _digits(digits: Digits) -> Json:
    return {"name": digits.name, "length": digits.length, "values": list(digits.values)}
