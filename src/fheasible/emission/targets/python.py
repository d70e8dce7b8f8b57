"""An evaluation as a Python function."""

import json
import re
from collections.abc import Iterator, Sequence

from fheasible.emission.statements import Given, Section, Statement, Written
from fheasible.emission.targets.target import Calls, Steps, call, kind

INDENT = "    "
STEPS = Steps(
    need="It needs Python 3.10 or later.",
    build=("python -m venv .venv", ".venv/bin/pip install -r requirements.txt"),
    keys=".venv/bin/python -m client keys",
    encrypt=".venv/bin/python -m client encrypt",
    evaluate=".venv/bin/python -m server",
    decrypt=".venv/bin/python -m client decrypt",
)


def evaluation(written: Written, calls: Calls, local: Sequence[str], digits: str = "") -> str:
    """The file. `local` are the server's attributes that the calls use, by name; `digits` makes the digits
    that rotations of {x} share."""
    lines = [
        '"""The application, line by line."""',
        "",
        "",
        "def evaluate(server, inputs):",
        f'{INDENT}"""The ciphertexts of each output, by name. `inputs` is emptied."""',
        *(f"{INDENT}{name} = server.{name}" for name in local),
        *(f"{INDENT}{line}" for given in written.inputs for line in _received(given)),
    ]
    for section in written.sections:
        lines += ["", *(f"{INDENT}{line}" for line in _section(section, calls, digits))]
    returned = ", ".join(f"{quoted(each.name)}: [{', '.join(each.values)}]" for each in written.outputs)
    lines += ["", f"{INDENT}return {{{returned}}}"]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """The text as a literal."""
    return json.dumps(text, ensure_ascii=False)


def _received(given: Given) -> Iterator[str]:
    names = ", ".join(given.values)
    yield f"[{names}] = inputs.pop({quoted(given.name)})"
    if given.unused:
        yield f"del {', '.join(given.unused)}"


def used(written: Written, calls: Calls, names: Sequence[str]) -> list[str]:
    """Those of the names that the program's calls have in them."""
    texts = {calls[kind(s.operation)] for s in written.statements()}
    texts |= {"constants" for s in written.statements() if s.vector is not None}
    return [name for name in names if any(re.search(rf"(?<![.\w]){name}\b", text) for text in texts)]


def _section(section: Section, calls: Calls, digits: str) -> Iterator[str]:
    line = section.line
    if line.place:
        yield f"# {line.place}: {line.text}"
    for s in section.statements:
        if s.operation.hoist.value == "first":
            yield f"{s.digits} = {digits.format(x=s.args[0])}"
        vector = "" if s.vector is None else f"constants[{s.vector}]"
        yield f"{s.out} = {call(calls, s, repr(s.number), vector)}"
        gone = _over(s)
        if gone:
            yield f"del {', '.join(gone)}"


def _over(s: Statement) -> list[str]:
    return [*s.frees, *([s.digits] if s.last_turn else [])]
