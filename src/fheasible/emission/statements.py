"""A program as statements on named values, grouped by the lines of the application that they compute."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from fheasible.emission.source import Line, Source, identifier
from fheasible.program.types import Action, Hoist, Operation, Program


@dataclass(frozen=True, slots=True)
class Statement:
    """One operation. `frees`: the names that nothing later needs. `number`: its plain operand, where that is
    a single number; `vector`: the index of its plain vector among the program's constants. `digits`: the
    name of the digits that its rotation shares."""

    operation: Operation
    out: str
    args: tuple[str, ...]
    frees: tuple[str, ...]
    number: float | int | None = None
    vector: int | None = None
    digits: str = ""

    @property
    def action(self) -> Action:
        return self.operation.action

    @property
    def last_turn(self) -> bool:
        """Whether the shared digits are not needed afterwards."""
        return self.operation.hoist is Hoist.LAST


@dataclass(frozen=True, slots=True)
class Section:
    """The statements that one line of the application becomes, one after the other."""

    line: Line
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """An input as the server receives it: a name for each ciphertext. `unused`: those that nothing needs."""

    name: str
    values: tuple[str, ...]
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A whole program in names."""

    inputs: tuple[Given, ...]
    sections: tuple[Section, ...]
    outputs: tuple[Given, ...]

    def statements(self) -> Iterator[Statement]:
        for section in self.sections:
            yield from section.statements


class Names:
    """Names of values by their numbers: the name of what the line makes, with a counter."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()
        self._known: dict[int, str] = {}

    def __getitem__(self, value: int) -> str:
        return self._known[value]

    def new(self, value: int, base: str) -> str:
        self._used[base] += 1
        found = self._known[value] = f"{base}_{self._used[base]}"
        return found


def vectors_of(program: Program) -> dict[int, int]:
    """The place of each plain vector of the program among its constants; single numbers have none."""
    several = [i for i, plain in enumerate(program.plains) if len(plain) > 1]
    return {plain: place for place, plain in enumerate(several)}


def written(program: Program, source: Source) -> Written:
    """The program as statements. Encryptions are not among them: they are the client's."""
    names, vectors = Names(), vectors_of(program)
    for packed in program.inputs:
        for value in packed.values:
            names.new(value, identifier(packed.name, "input"))
    fresh = [o for o in program.operations if o.action is Action.ENCRYPT]
    over = {value for o in fresh for value in o.frees}
    inputs = [
        Given(p.name, tuple(names[v] for v in p.values), tuple(names[v] for v in p.values if v in over))
        for p in program.inputs
    ]
    rest = [o for o in program.operations if o.action is not Action.ENCRYPT]
    sections = [
        _section(source.line(where), list(part), program, names, vectors)
        for where, part in groupby(rest, key=lambda o: o.where)
    ]
    outputs = [Given(p.name, tuple(names[v] for v in p.values)) for p in program.outputs]
    return Written(tuple(inputs), tuple(sections), tuple(outputs))


def _section(
    line: Line, operations: Sequence[Operation], program: Program, names: Names, vectors: dict[int, int]
) -> Section:
    base = identifier(line.name)
    made = [_statement(o, base, program, names, vectors) for o in operations]
    return Section(line, tuple(made))


def _statement(o: Operation, base: str, program: Program, names: Names, vectors: dict[int, int]) -> Statement:
    out, args = names.new(o.out, base), tuple(names[a] for a in o.args)
    plain = None if o.plain is None else program.plains[o.plain]
    number = plain[0].item() if plain is not None and len(plain) == 1 else None
    vector = vectors.get(o.plain) if o.plain is not None else None
    digits = f"digits_of_{args[0]}" if o.hoist else ""
    return Statement(o, out, args, tuple(names[v] for v in o.frees), number, vector, digits)
