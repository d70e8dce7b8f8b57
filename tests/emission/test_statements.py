"""A program in names: nothing is lost, and nothing is used after it was freed."""

from collections import Counter

import pytest

from fheasible.circuit.trace import App
from fheasible.emission.lookup_statements import written_lookups
from fheasible.emission.source import Source
from fheasible.emission.statements import Written, written
from fheasible.libraries.catalogue import library
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.lowering.lower import lower
from fheasible.program.lookups import Step
from fheasible.program.types import Action, Program

from . import applications


def program_of(app: App, name: str, scheme: str) -> Program:
    technique = "fixedmanual" if name == "openfhe" else None
    return lower(app.trace(), library(name).style(scheme, technique), 1 << 10)


CASES = [
    (applications.constants, "seal", "ckks"),
    (applications.constants, "openfhe", "ckks"),
    (applications.several, "lattigo", "bgv"),
    (applications.several, "seal", "bfv"),
    (applications.with_a_branch, "lattigo", "ckks"),
]


@pytest.mark.parametrize(("app", "name", "scheme"), CASES)
def test_every_operation_is_one_statement_in_order(app: App, name: str, scheme: str) -> None:
    program = program_of(app, name, scheme)
    wanted = [o for o in program.operations if o.action is not Action.ENCRYPT]
    assert [s.operation for s in written(program, Source()).statements()] == wanted


@pytest.mark.parametrize(("app", "name", "scheme"), CASES)
def test_names_are_unique_and_alive_where_they_are_used(app: App, name: str, scheme: str) -> None:
    found = written(program_of(app, name, scheme), Source())
    alive = Counter(v for given in found.inputs for v in given.values if v not in given.unused)
    for s in found.statements():
        assert set(s.args) <= alive.keys()
        alive[s.out] += 1
        assert alive[s.out] == 1
        for over in s.frees:
            del alive[over]
    assert {v for out in found.outputs for v in out.values} == set(alive)


def texts(found: Written) -> list[str]:
    return [section.line.text for section in found.sections]


def test_every_line_of_the_application_stands_over_what_it_becomes() -> None:
    found = texts(written(program_of(applications.several, "lattigo", "bgv"), Source()))
    assert "moved = fh.rotate(x, 3) * y" in found
    assert any(text.startswith('return {"the sum": fh.sum(x * head)') for text in found)


def test_values_have_the_names_of_the_users_variables() -> None:
    found = written(program_of(applications.several, "lattigo", "bgv"), Source())
    of_moved = [
        s.out for section in found.sections if section.line.name == "moved" for s in section.statements
    ]
    assert of_moved
    assert all(name.startswith("moved_") for name in of_moved)
    assert [given.values for given in found.inputs][:2] == [("first_input_1",), ("first_input_2",)]


def test_a_statement_over_several_lines_is_one_comment() -> None:
    found = texts(written(program_of(applications.with_a_branch, "lattigo", "ckks"), Source()))
    assert any(text.startswith("total = ( total + x**power )") for text in found)


def test_a_program_of_look_ups_in_names() -> None:
    program = lower_lookups(applications.several.trace(), 4, 4)
    found = written_lookups(program, Source())
    assert [s.step for s in found.statements()] == [s for s in program.steps if s.step is not Step.ENCRYPT]
    alive = {v for given in found.inputs for v in given.values if v not in given.unused}
    for s in found.statements():
        assert set(s.args) <= alive
        assert s.out not in alive
        alive = (alive | {s.out}) - set(s.frees)
    assert {v for out in found.outputs for v in out.values} == alive
    assert "moved = fh.rotate(x, 3) * y" in [section.line.text for section in found.sections]
