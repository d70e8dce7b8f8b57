"""Programs of table look-ups as the message that workers read."""

import json

import numpy as np

from fheasible.program.lookup_serial import input_rows, to_message
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step


def test_a_program_is_written_as_the_protocol_has_it() -> None:
    steps = (
        LookupStep(Step.ENCRYPT, 0, 2, source="x", digit=1),
        LookupStep(Step.LINEAR, 1, 2, (0,), (-3,), np.array([7]), frees=(0,)),
        LookupStep(Step.LOOKUP, 2, 2, (1,), table=1),
    )
    inputs, outputs = (Digits("x", 2, (5, 0), 4),), (Digits("y", 2, (2,), 8),)
    program = LookupProgram(8, steps, ((0,) * 8, (1,) * 8), inputs, outputs)
    assert json.loads(json.dumps(to_message(program))) == {
        "modulus": 8,
        "tables": [[0] * 8, [1] * 8],
        "steps": [
            {"step": "encrypt", "out": 0, "length": 2, "source": "x", "digit": 1},
            {
                "step": "linear",
                "out": 1,
                "length": 2,
                "args": [0],
                "weights": [-3],
                "frees": [0],
                "plain": [7],
            },
            {"step": "lookup", "out": 2, "length": 2, "args": [1], "table": 1},
        ],
        "inputs": [{"name": "x", "length": 2, "values": [5, 0]}],
        "outputs": [{"name": "y", "length": 2, "values": [2]}],
    }


def test_inputs_are_rows_of_digits_least_first() -> None:
    digits = Digits("x", 3, (0, 1), 4, low=-8)
    assert input_rows(np.array([-8, 7, 0]), digits).tolist() == [[0, 3, 0], [0, 3, 2]]
