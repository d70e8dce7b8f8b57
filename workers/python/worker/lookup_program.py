"""Programs of table look-ups as they come in, read and checked before anything runs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worker.refusal import BAD_REQUEST, Refusal, reading
from worker.request import Json

Rows = dict[str, NDArray[np.int64]]
STEPS = ("encrypt", "linear", "pick", "join", "fold", "lookup", "trivial")


@dataclass(frozen=True)
class Step:
    step: str
    out: int
    length: int
    args: tuple[int, ...]
    weights: tuple[int, ...]
    plain: NDArray[np.int64] | None
    group: int
    table: int
    source: str
    digit: int
    frees: tuple[int, ...]


@dataclass(frozen=True)
class Digits:
    name: str
    length: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class LookupProgram:
    modulus: int
    tables: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    inputs: tuple[Digits, ...]
    outputs: tuple[Digits, ...]


def is_of_lookups(message: Json) -> bool:
    """Whether a request is one of table look-ups: its parameters name the method of bootstrapping."""
    told = message.get("parameters")
    asks = message.get("type") in ("describe", "run", "measure")
    return asks and isinstance(told, dict) and "method" in told


def read_lookups(message: Json) -> LookupProgram:
    with reading("program"):
        program = LookupProgram(
            int(message["modulus"]),
            tuple(tuple(map(int, table)) for table in message["tables"]),
            tuple(_step(s) for s in message["steps"]),
            tuple(_digits(d) for d in message["inputs"]),
            tuple(_digits(d) for d in message["outputs"]),
        )
    _check(program)
    return program


def _step(s: Json) -> Step:
    plain = s.get("plain")
    return Step(
        str(s["step"]),
        int(s["out"]),
        int(s["length"]),
        tuple(map(int, s.get("args", ()))),
        tuple(map(int, s.get("weights", ()))),
        None if plain is None else np.array(plain, dtype=np.int64),
        int(s.get("group", 0)),
        int(s.get("table", 0)),
        str(s.get("source", "")),
        int(s.get("digit", 0)),
        tuple(map(int, s.get("frees", ()))),
    )


def _digits(d: Json) -> Digits:
    return Digits(str(d["name"]), int(d["length"]), tuple(map(int, d["values"])))


def read_rows(paths: Json, program: LookupProgram) -> Rows:
    """The digits of each input, of shape (digits, length)."""
    with reading("inputs"):
        rows = {each.name: np.load(paths[each.name]) for each in program.inputs}
    for each in program.inputs:
        found, expected = rows[each.name], (len(each.values), each.length)
        if found.shape != expected or found.dtype != np.int64:
            raise _bad(f"input {each.name} is {found.dtype} of shape {found.shape}, not int64 of {expected}")
        if found.size and not 0 <= found.min() <= found.max() < program.modulus:
            raise _bad(f"a digit of input {each.name} lies outside of [0, {program.modulus})")
    return rows


def _check(program: LookupProgram) -> None:
    """Refuses a program that cannot be executed as it stands."""
    modulus = program.modulus
    for place, table in enumerate(program.tables):
        if len(table) != modulus or not all(0 <= entry < modulus for entry in table):
            raise _bad(f"table {place} does not have {modulus} entries in [0, {modulus})")
    lengths: dict[int, int] = {}
    for place, step in enumerate(program.steps):
        missing = [arg for arg in step.args if arg not in lengths]
        if missing:
            raise _bad(f"step {place}: value {missing[0]} does not exist then")
        if step.step not in STEPS or not _fits(step, [lengths[arg] for arg in step.args], program):
            raise _bad(f"step {place} ({step.step}): its operands do not fit its length and tables")
        lengths[step.out] = step.length
        for freed in step.frees:
            lengths.pop(freed, None)
    for out in program.outputs:
        for value in out.values:
            if lengths.get(value) not in (1, out.length):
                raise _bad(f"output {out.name}: value {value} has length {lengths.get(value)}")


def _fits(step: Step, known: list[int], program: LookupProgram) -> bool:
    length, plain, kind = step.length, step.plain, step.step
    if kind == "encrypt":
        found = [d for d in program.inputs if d.name == step.source]
        return bool(found) and 0 <= step.digit < len(found[0].values) and found[0].length == length
    if kind == "trivial":
        return plain is not None and len(plain) in (1, length)
    if kind == "linear":
        alike = all(each in (1, length) for each in known) and len(step.weights) == len(known)
        return alike and (plain is None or len(plain) in (1, length))
    if not known:
        return False
    if kind == "join":
        return sum(known) == length
    if kind == "fold":
        return step.group > 0 and -(-known[0] // step.group) == length
    if kind == "lookup":
        return 0 <= step.table < len(program.tables) and known[0] == length
    places = plain is not None and len(plain) == length
    return places and bool(np.all((plain >= 0) & (plain < known[0])))  # type: ignore[operator]


def _bad(words: str) -> Refusal:
    return Refusal(BAD_REQUEST, words)
