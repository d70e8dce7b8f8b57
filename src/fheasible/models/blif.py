"""Circuits of bits in BLIF (Berkeley Logic Interchange Format), as PAnTHErS reads them: each table is a
look-up.

A file describes one circuit: `.model`, `.inputs`, `.outputs`, `.names` with its cover, and `.end`. A line
that ends in a backslash goes on in the next one, and # begins a comment.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Never

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.data import given, read
from fheasible.circuit.declared import integers
from fheasible.circuit.trace import App, app
from fheasible.circuit.vector import Vector
from fheasible.circuit.where import at, place
from fheasible.errors import CircuitError, UsageError
from fheasible.models.look_up import looked_up
from fheasible.models.model import Data, Model
from fheasible.models.names import unique
from fheasible.units import listing

MOST_INPUTS: Final = 16  # of a table, whose cover stands for 2^16 rows
_KEYWORDS: Final = (".model", ".inputs", ".outputs", ".names", ".end")
_REMEDY: Final = f"a circuit of bits has {listing(_KEYWORDS)}; synthesise it flat and without memory"
_OTHERS: Final[Mapping[str, str]] = {
    ".latch": "a latch remembers a bit from one run to the next, and an encrypted run remembers nothing",
    ".subckt": "a circuit within a circuit is not read",
    ".gate": "a gate of a library of cells is not read",
    ".search": "other files are not read",
    ".exdc": "don't-care conditions are not read",
}


@dataclass(slots=True)
class Table:
    """A table: the line where it begins, the names of its inputs, and the rows of its cover with the bit that
    they give."""

    line: int
    inputs: tuple[str, ...]
    rows: list[tuple[str, str]] = field(default_factory=list)

    def entries(self) -> NDArray[np.int64]:
        """The bit for each combination of the inputs; the first input is the lowest bit of the place."""
        count = len(self.inputs)
        bits = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
        covered = np.zeros(1 << count, dtype=bool)
        for pattern, _ in self.rows:
            asked = [(i, int(c)) for i, c in enumerate(pattern) if c != "-"]
            covered |= np.all([bits[:, i] == value for i, value in asked] or [covered | True], axis=0)
        value = self.rows[0][1] == "1" if self.rows else True
        found: NDArray[np.int64] = (covered == value).astype(np.int64)
        return found


@dataclass(slots=True)
class Netlist:
    """A circuit: its inputs and outputs by name, with the lines where they are declared, and the table of
    each other signal."""

    file: Path
    name: str = ""
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)

    def fail(self, line: int, message: str, remedy: str = _REMEDY) -> Never:
        raise CircuitError(at(self.place(line), message), remedy)

    def place(self, line: int) -> str:
        return place(str(self.file), line)


def load_blif(file: Path, data: Data) -> Model:
    """The circuit as an application on bits.

    UsageError where the file cannot be read, CircuitError with the line for what it cannot describe,
    DataError for data that do not fit.
    """
    netlist = parsed(file)
    made = _application(netlist)
    if data is None:
        return Model(made)
    if isinstance(data, Mapping):
        return Model(made, given(data, made.inputs), "the given data")
    return Model(made, read(data, made.inputs), str(data))


# -- reading -----------------------------------------------------------------------------------------


def parsed(file: Path) -> Netlist:
    """The circuit that the file describes."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read as text: {error}", _REMEDY) from error
    found, table, ended = Netlist(file), None, False
    for line, words in _lines(text):
        if ended:
            found.fail(line, f"{words[0]} after .end: a file describes one circuit", "remove what follows")
        if words[0].startswith("."):
            table = _command(found, line, words)
            ended = words[0] == ".end"
        elif table is None:
            found.fail(line, f"{' '.join(words)[:60]} stands in no table", "put it below a line with .names")
        else:
            _row(found, table, line, words)
    _check(found)
    return found


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each line, with the number of the line where it begins."""
    words: list[str] = []
    begun = 0
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.partition("#")[0].rstrip()
        going_on = bare.endswith("\\")
        begun = begun if words else number
        words += bare.removesuffix("\\").split()
        if not going_on and words:
            yield begun, words
            words = []
    if words:
        yield begun, words


def _command(found: Netlist, line: int, words: Sequence[str]) -> Table | None:
    """What the line says; the table that it begins, if it begins one."""
    command, *names = words
    if command == ".model":
        if found.name:
            found.fail(line, "a second circuit begins here", "give a file with one circuit")
        found.name = names[0] if names else found.file.stem
    elif command in (".inputs", ".outputs"):
        declared = found.inputs if command == ".inputs" else found.outputs
        for name in names:
            if name in declared:
                found.fail(line, f"{name} is declared twice", f"name it once after {command}")
            declared[name] = line
    elif command == ".names":
        return _table(found, line, names)
    elif command != ".end":
        found.fail(line, _OTHERS.get(command, f"{command} is not known"))
    return None


def _table(found: Netlist, line: int, names: Sequence[str]) -> Table:
    if not names:
        found.fail(line, ".names without a name", "write .names a b result")
    *inputs, output = names
    if output in found.tables:
        first = found.tables[output].line
        found.fail(line, f"{output} has a table already, in line {first}", "give each signal one table")
    if len(inputs) > MOST_INPUTS:
        found.fail(
            line,
            f"the table of {output} has {len(inputs)} inputs, and at most {MOST_INPUTS} are read",
            "synthesise the circuit for smaller tables, such as abc's if -K 6",
        )
    found.tables[output] = Table(line, tuple(inputs))
    return found.tables[output]


def _row(found: Netlist, table: Table, line: int, words: Sequence[str]) -> None:
    """Adds a row of a cover to its table."""
    pattern, bit = ("", words[0]) if len(words) == 1 else (words[0], words[-1])
    count = len(table.inputs)
    if (
        len(words) > 2
        or len(pattern) != count
        or not re.fullmatch("[01-]*", pattern)
        or bit not in ("0", "1")
    ):
        form = "1-0 1" if count == 3 else f"{'1' * count} 1".strip()
        found.fail(
            line,
            f"{' '.join(words)[:60]} is no row of a table of {count} inputs",
            f"write {count} of the signs 0, 1 and -, a blank, and the bit 0 or 1, such as {form}",
        )
    if table.rows and table.rows[0][1] != bit:
        found.fail(
            line,
            "a table has rows that give 1, or rows that give 0, but not both",
            "give the rows of one of them: all others give the other bit",
        )
    table.rows.append((pattern, bit))


def _check(found: Netlist) -> None:
    """Raises CircuitError for a circuit without inputs or outputs, and for signals that nothing gives."""
    if not found.inputs or not found.outputs:
        missing = ".outputs" if found.inputs else ".inputs"
        raise CircuitError(f"{found.file} has no {missing}", "give a circuit with inputs and outputs")
    for name in found.inputs:
        if name in found.tables:
            found.fail(found.tables[name].line, f"{name} is an input, and has a table, too", "rename one")
    users = {name: found.outputs[name] for name in found.outputs}
    users |= {name: table.line for table in found.tables.values() for name in table.inputs}
    for name, line in users.items():
        if name not in found.inputs and name not in found.tables:
            found.fail(line, f"nothing gives {name}", f"add a table for it, or name it after .inputs: {name}")


# -- the application ---------------------------------------------------------------------------------


def _application(netlist: Netlist) -> App:
    names = dict(zip(netlist.inputs, unique(netlist.inputs), strict=True))
    results = dict(zip(netlist.outputs, unique(netlist.outputs), strict=True))
    order = _ordered(netlist)

    def circuit(**bits: Vector) -> dict[str, Vector]:
        known: dict[str, Vector | int] = {name: bits[own] for name, own in names.items()}
        for name in order:
            table = netlist.tables[name]
            where = netlist.place(table.line)
            known[name] = looked_up([known[i] for i in table.inputs], table.entries(), where)
        return {own: _result(netlist, name, known[name]) for name, own in results.items()}

    circuit.__name__ = re.sub(r"\W", "_", netlist.name) or "circuit"
    specs: dict[str, Any] = {own: integers(1, low=0, high=1) for own in names.values()}
    made = app(**specs)(circuit)
    return App(made.name, made.inputs, circuit, where=str(netlist.file))


def _result(netlist: Netlist, name: str, value: Vector | int) -> Vector:
    if isinstance(value, int):
        line = netlist.tables[name].line
        netlist.fail(line, f"the output {name} is {value} for all inputs", "leave it out of .outputs")
    return value


def _ordered(netlist: Netlist) -> list[str]:
    """The signals that the outputs need, each after those that it is made of."""
    found: list[str] = []
    begun, done = set[str](), set(netlist.inputs)
    stack = list(reversed(netlist.outputs))
    while stack:
        name = stack[-1]
        if name in done:
            stack.pop()
        elif name in begun:  # what it is made of is there
            done.add(name)
            found.append(stack.pop())
        else:
            begun.add(name)
            table = netlist.tables[name]
            waiting = [i for i in table.inputs if i not in done]
            if begun.intersection(waiting):
                netlist.fail(
                    table.line, f"{name} depends on itself", "cut the loop: a circuit of tables has no memory"
                )
            stack.extend(reversed(waiting))
    return found
