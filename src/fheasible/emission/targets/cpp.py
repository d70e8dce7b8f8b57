"""An evaluation as a C++ function."""

from collections.abc import Iterator

from fheasible.emission.statements import Given, Section, Statement, Written
from fheasible.emission.targets.python import quoted
from fheasible.emission.targets.target import Calls, Steps, call
from fheasible.program.types import Hoist

STEPS = Steps(
    need="",
    build=("cmake -S . -B build", "cmake --build build"),
    keys="build/client keys",
    encrypt="build/client encrypt",
    evaluate="build/server",
    decrypt="build/client decrypt",
)
_HEAD = """// The application, line by line.

#include "server/evaluate.h"

Values evaluate(Server &s, Values inputs) {"""


def evaluation(written: Written, calls: Calls, constants: str, digits: str = "") -> str:
    """The file. `constants` are the server's plain vectors; `digits` makes the digits that rotations of {x}
    share."""
    lines = [_HEAD, *(f"    {line}" for given in written.inputs for line in _received(given))]
    for section in written.sections:
        lines += ["", *(f"    {line}" for line in _section(section, calls, constants, digits))]
    lines += ["", "    Values outputs;"]
    for out in written.outputs:
        lines.append(f"    outputs[{quoted(out.name)}] = {{{', '.join(out.values)}}};")
    return "\n".join([*lines, "    return outputs;", "}"]) + "\n"


def _received(given: Given) -> Iterator[str]:
    for i, name in enumerate(given.values):
        if name not in given.unused:
            yield f"Ciphertext {name} = std::move(inputs.at({quoted(given.name)})[{i}]);"
    yield f"inputs.erase({quoted(given.name)});"


def _section(section: Section, calls: Calls, constants: str, digits: str) -> Iterator[str]:
    if section.line.place:
        yield f"// {section.line.place}: {section.line.text.rstrip(chr(92))}"
    for s in section.statements:
        yield from _lines(s, calls, constants, digits)


def _lines(s: Statement, calls: Calls, constants: str, digits: str) -> Iterator[str]:
    if s.operation.hoist is Hoist.FIRST:
        yield f"auto {s.digits} = {digits.format(x=s.args[0])};"
    vector = "" if s.vector is None else f"s.{constants}[{s.vector}]"
    yield f"Ciphertext {s.out} = {call(calls, s, repr(s.number), vector)};"
    gone = [*s.frees, *([s.digits] if s.last_turn else [])]
    if gone:
        yield f"s.release({', '.join(gone)});"
