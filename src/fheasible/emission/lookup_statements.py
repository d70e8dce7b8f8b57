"""A program of table look-ups as statements on named values, grouped by the application's lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from fheasible.emission.source import Line, Source, identifier
from fheasible.emission.statements import Given, Names
from fheasible.program.lookups import LookupProgram, LookupStep, Step


@dataclass(frozen=True, slots=True)
class LookupStatement:
    """One step. `frees`: the names that nothing later needs."""

    step: LookupStep
    out: str
    args: tuple[str, ...]
    frees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LookupSection:
    """The statements that one line of the application becomes, one after the other."""

    line: Line
    statements: tuple[LookupStatement, ...]


@dataclass(frozen=True, slots=True)
class WrittenLookups:
    """A whole program in names; an input or output has a name for each of its digits, least first."""

    inputs: tuple[Given, ...]
    sections: tuple[LookupSection, ...]
    outputs: tuple[Given, ...]

    def statements(self) -> Iterator[LookupStatement]:
        for section in self.sections:
            yield from section.statements


def written_lookups(program: LookupProgram, source: Source) -> WrittenLookups:
    """The program as statements. Encryptions are not among them: they are the client's."""
    names = Names()
    for given in program.inputs:
        for value in given.values:
            names.new(value, identifier(given.name, "input"))
    over = {value for s in program.steps if s.step is Step.ENCRYPT for value in s.frees}
    inputs = [
        Given(i.name, tuple(names[v] for v in i.values), tuple(names[v] for v in i.values if v in over))
        for i in program.inputs
    ]
    rest = [s for s in program.steps if s.step is not Step.ENCRYPT]
    sections = []
    for where, part in groupby(rest, key=lambda s: s.where):
        line = source.line(where)
        sections.append(LookupSection(line, tuple(_statement(s, line, names) for s in part)))
    outputs = [Given(o.name, tuple(names[v] for v in o.values)) for o in program.outputs]
    return WrittenLookups(tuple(inputs), tuple(sections), tuple(outputs))


def _statement(s: LookupStep, line: Line, names: Names) -> LookupStatement:
    out, args = names.new(s.out, identifier(line.name)), tuple(names[a] for a in s.args)
    return LookupStatement(s, out, args, tuple(names[v] for v in s.frees))
