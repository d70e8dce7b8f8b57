"""What is written for workers can be read back, to the last bit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fheasible.program.serial import to_message
from fheasible.program.types import Action, Hoist, Operation, Program, Scheme

from .programs import SOME, by_hand


def read(text: str) -> tuple[dict[str, Any], dict[int, Any]]:
    """A reader that knows workers/PROTOCOL.md alone: the message, and its plain operands by index."""
    message = json.loads(text)
    exact = message["scheme"] != "ckks"
    plains: dict[int, Any] = {}
    for index, value in message["scalars"].items():
        assert isinstance(value, str if exact else (int, float))
        plains[int(index)] = int(value) if exact else value
    if message["plains"] is not None:
        with np.load(message["plains"], allow_pickle=False) as file:
            plains |= {int(name): file[name] for name in file.files}
    return message, plains


def sent(program: Program, folder: Path) -> tuple[dict[str, Any], dict[int, Any]]:
    return read(json.dumps(to_message(program, folder), allow_nan=False))


def operation(fields: dict[str, Any]) -> Operation:
    return Operation(
        Action(fields["action"]),
        fields["out"],
        tuple(fields.get("args", [])),
        fields.get("level", 0),
        fields.get("plain"),
        fields.get("steps", 0),
        fields.get("source", ""),
        fields.get("chunk", 0),
        tuple(fields.get("frees", [])),
        hoist=Hoist(fields.get("hoist", "")),
    )


@pytest.mark.parametrize("name", SOME)
def test_a_program_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    program = SOME[name]
    message, plains = sent(program, tmp_path)
    for fields, wanted in zip(message["operations"], program.operations, strict=True):
        assert (operation(fields).internal, wanted.frees) == ((), operation(fields).frees)
        assert repr(operation(fields)).split(", internal")[0] == repr(wanted).split(", internal")[0]
    assert plains.keys() == set(range(len(program.plains)))
    for i, wanted_plain in enumerate(program.plains):
        read_plain = np.atleast_1d(plains[i])
        assert read_plain.dtype == wanted_plain.dtype
        assert read_plain.tolist() == wanted_plain.tolist()


def test_marks_of_rotations_are_read_back_and_no_others_are_written(tmp_path: Path) -> None:
    marks = (Hoist.FIRST, Hoist.NEXT, Hoist.LAST, Hoist.NONE)
    turns = [Operation(Action.ROTATE, i, (0,), steps=i, hoist=mark) for i, mark in enumerate(marks, 1)]
    message, _ = sent(by_hand(*turns), tmp_path)
    assert [operation(fields) for fields in message["operations"][1:]] == turns
    assert ["hoist" in fields for fields in message["operations"]] == [False, True, True, True, False]


@pytest.mark.parametrize("name", SOME)
def test_what_stands_around_the_operations_is_read_back_too(name: str, tmp_path: Path) -> None:
    program = SOME[name]
    message, _ = sent(program, tmp_path)
    assert message["scheme"] == program.scheme.value
    for key in ("slots", "levels", "automatic", "two_rows", "swaps_rows", "relinearizes"):
        assert message[key] == getattr(program, key)
    steps = {o.steps for o in program.operations if o.action is Action.ROTATE}
    assert message["rotations"] == sorted(steps)
    for key in ("inputs", "outputs"):
        packed = [(p["name"], p["length"], tuple(p["values"])) for p in message[key]]
        assert packed == [(p.name, p.length, p.values) for p in getattr(program, key)]


@given(real=st.floats(allow_nan=False, allow_infinity=False), whole=st.integers(-(2**63), 2**63 - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_arrive_exactly(real: float, whole: int, tmp_path: Path) -> None:
    add = Operation(Action.ADD_SCALAR, 1, (0,), plain=0)
    _, plains = sent(by_hand(add, plains=(np.array([whole]),)), tmp_path)
    assert plains[0] == whole
    _, plains = sent(by_hand(add, plains=(np.array([real]),), scheme=Scheme.CKKS), tmp_path)
    assert plains[0] == real


def test_without_vectors_there_is_no_file(tmp_path: Path) -> None:
    program = by_hand(Operation(Action.NEG, 1, (0,)))
    assert to_message(program, tmp_path)["plains"] is None
    assert list(tmp_path.iterdir()) == []
