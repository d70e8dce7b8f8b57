"""Requests as they come in, read and checked before anything runs."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.refusal import BAD_REQUEST, UNSUPPORTED, Refusal, reading

Json = dict[str, Any]
Plain = Any  # a number, or an array of `slots` of them

HOISTS = ("", "first", "next", "last")
ARITY = {"encrypt": 0, "add": 2, "sub": 2, "mul": 2}  # all others take one


@dataclass(frozen=True)
class Operation:
    action: str
    out: int
    args: tuple[int, ...]
    level: int
    plain: int | None
    steps: int
    source: str
    chunk: int
    frees: tuple[int, ...]
    hoist: str = ""

    @property
    def kind(self) -> str:
        """The action; of rotations that share digits "rotate_hoisted"."""
        return "rotate_hoisted" if self.hoist else self.action


@dataclass(frozen=True)
class Packed:
    name: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    scheme: str
    slots: int
    levels: int
    automatic: bool
    two_rows: bool
    plains: dict[int, Plain]
    operations: tuple[Operation, ...]
    inputs: tuple[Packed, ...]
    outputs: tuple[Packed, ...]
    rotations: tuple[int, ...]
    swaps_rows: bool
    relinearizes: bool
    sums_slots: bool

    @property
    def bootstraps(self) -> bool:
        return any(o.action == "bootstrap" for o in self.operations)


@dataclass(frozen=True)
class Options:
    """What is wanted beside times and the last results; see the protocol."""

    wrong_key: bool = False
    check_inputs: bool = False
    sizes: bool = True
    every_output: bool = False
    noise: bool = False


@dataclass(frozen=True)
class Plan:
    repetitions: int
    warmup: int
    min_seconds: float
    keygens: int
    threads: int | None  # None leaves it to the library; the environment said so when this process began


def read_plan(message: Json) -> Plan:
    with reading("plan"):
        return Plan(
            max(1, int(message.get("repetitions", 1))),
            max(0, int(message.get("warmup", 0))),
            float(message.get("min_seconds", 0)),
            max(1, int(message.get("keygens", 1))),
            None if (threads := message.get("threads", 1)) is None else int(threads),
        )


def read_counters(message: Json) -> tuple[int, ...] | None:
    """The file descriptors of the kernel's counters; None where no marks are wanted."""
    with reading("counters"):
        told = message.get("counters")
        return None if told is None else tuple(map(int, told))


def read_options(message: Json) -> Options:
    with reading("options"):
        known = {f.name: bool(message[f.name]) for f in fields(Options) if f.name in message}
    return Options(**known)


def read_program(message: Json) -> Program:
    with reading("program"):
        return Program(
            str(message["scheme"]),
            int(message["slots"]),
            int(message["levels"]),
            bool(message.get("automatic", False)),
            bool(message.get("two_rows", False)),
            _plains(message),
            tuple(_operation(o) for o in message["operations"]),
            tuple(_packed(p) for p in message["inputs"]),
            tuple(_packed(p) for p in message["outputs"]),
            tuple(int(s) for s in message.get("rotations", ())),
            bool(message.get("swaps_rows", False)),
            bool(message.get("relinearizes", False)),
            bool(message.get("sums_slots", False)),
        )


def _operation(o: Json) -> Operation:
    return Operation(
        str(o["action"]),
        int(o["out"]),
        tuple(int(a) for a in o.get("args", ())),
        int(o.get("level", 0)),
        None if o.get("plain") is None else int(o["plain"]),
        int(o.get("steps", 0)),
        str(o.get("source", "")),
        int(o.get("chunk", 0)),
        tuple(int(f) for f in o.get("frees", ())),
        str(o.get("hoist", "")),
    )


def _packed(p: Json) -> Packed:
    return Packed(str(p["name"]), tuple(int(v) for v in p["values"]))


def _plains(message: Json) -> dict[int, Plain]:
    number = float if message["scheme"] == "ckks" else int
    plains: dict[int, Plain] = {int(i): number(v) for i, v in message.get("scalars", {}).items()}
    if message.get("plains"):
        with np.load(message["plains"]) as file:
            plains.update((int(name), contiguous(file[name], message["scheme"])) for name in file.files)
    return plains


def read_inputs(message: Json, program: Program) -> dict[str, NDArray[Any]]:
    """The arrays of the program's inputs, of shape (chunks, slots)."""
    with reading("inputs"):
        arrays = {p.name: contiguous(np.load(message[p.name]), program.scheme) for p in program.inputs}
    for packed in program.inputs:
        expected = (len(packed.values), program.slots)
        _require(
            arrays[packed.name].shape == expected,
            f"input {packed.name} has shape {arrays[packed.name].shape}, but the program wants {expected}",
        )
    return arrays


def contiguous(array: NDArray[Any], scheme: str) -> NDArray[Any]:
    wanted = np.float64 if scheme == "ckks" else np.int64
    if not np.can_cast(array.dtype, wanted, casting="safe"):
        raise ValueError(f"an array of {array.dtype} where {scheme} has {wanted.__name__}")
    return np.ascontiguousarray(array, dtype=wanted)


def check(program: Program, actions: frozenset[str]) -> None:
    """Refuses a program that is not well formed, or that has an action which is not in `actions`."""
    _require(program.slots > 0 and program.slots & (program.slots - 1) == 0, "slots must be a power of two")
    unknown = sorted({o.kind for o in program.operations} - actions)
    if unknown:
        can = ", ".join(sorted(actions))
        raise Refusal(UNSUPPORTED, f"{program.scheme} has no {', '.join(unknown)} here; it has {can}")
    _check_values(program)
    _check_sizes(program)
    _check_hoists(program)
    for o in program.operations:
        _check_operand(o, program)


def sizes(program: Program) -> dict[int, int]:
    """How many polynomials each value has: 3 for a product that is not relinearized yet."""
    known: dict[int, int] = {}
    for o in program.operations:
        made = {"encrypt": 2, "relinearize": 2, "mul": 3, "square": 3}.get(o.action)
        known[o.out] = made or max(known[a] for a in o.args)
    return known


def _check_sizes(program: Program) -> None:
    known = sizes(program)
    for i, o in enumerate(program.operations):
        if o.action in ("mul", "square", "rotate", "swap_rows", "bootstrap"):
            _require(all(known[a] == 2 for a in o.args), f"operation {i} ({o.action}) of a value of size 3")


def _check_values(program: Program) -> None:
    alive: set[int] = set()
    for i, o in enumerate(program.operations):
        arity = ARITY.get(o.action, 1)
        _require(len(o.args) == arity, f"operation {i} ({o.action}) has {len(o.args)} arguments, not {arity}")
        _require(alive.issuperset(o.args), f"operation {i} ({o.action}) uses a value that is not there")
        alive.add(o.out)
        _require(alive.issuperset(o.frees), f"operation {i} ({o.action}) frees a value that is not there")
        alive.difference_update(o.frees)
    for packed in program.outputs:
        _require(alive.issuperset(packed.values), f"output {packed.name} has a value that is not there")


def _check_hoists(program: Program) -> None:
    """Digits are made by the first rotation that shares them, and go after the last."""
    there: set[int] = set()
    for i, o in enumerate(program.operations):
        if o.hoist:
            rotates = o.action == "rotate" and o.hoist in HOISTS
            _require(rotates, f"operation {i} ({o.action}) is {o.hoist!r} of no rotations")
            made = (o.hoist == "first") != (o.args[0] in there)
            _require(made, f"operation {i} ({o.hoist}): the digits of value {o.args[0]} are not as it says")
            there ^= {o.args[0]} if o.hoist != "next" else set()
        _require(there.isdisjoint(o.frees), f"operation {i} ({o.action}) frees a value before its digits")
    _require(not there, f"the digits of {', '.join(map(str, sorted(there)))} have no last rotation")


def _check_operand(o: Operation, program: Program) -> None:
    if o.action == "encrypt":
        chunks = {p.name: len(p.values) for p in program.inputs}.get(o.source, 0)
        _require(0 <= o.chunk < chunks, f"no chunk {o.chunk} of an input {o.source!r}")
    elif o.action in ("add_scalar", "mul_scalar"):
        scalar = None if o.plain is None else program.plains.get(o.plain)
        _require(isinstance(scalar, (int, float)), f"no scalar {o.plain}")
    elif o.action in ("add_plain", "mul_plain"):
        shape = None if o.plain is None else getattr(program.plains.get(o.plain), "shape", None)
        _require(shape == (program.slots,), f"plain {o.plain} is no vector of {program.slots} numbers")
    elif o.action == "eval_chebyshev":
        series = None if o.plain is None else getattr(program.plains.get(o.plain), "shape", ())
        _require(series is not None and len(series) == 1 and series[0] > 3, f"plain {o.plain} is no series")
    elif o.action == "rotate":
        _require(o.steps in program.rotations, f"rotation by {o.steps} is not among `rotations`")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Refusal(BAD_REQUEST, otherwise)
