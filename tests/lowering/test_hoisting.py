"""Which rotations share digits: those of one value, from the first to the last, and nothing else changes."""

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.hoisting import hoisted
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import Lowerings
from fheasible.program.style import Style
from fheasible.program.types import Action, Hoist, Operation, Packed, Program, Scheme

CKKS = Style(Scheme.CKKS)
SLOTS = 8
turns = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), max_size=20)


def grown(turned: list[tuple[int, int]]) -> Program:
    """Each operation takes one of the values made before: a rotation by 1, 2, 3 steps, or a negation."""
    operations = [Operation(Action.ENCRYPT, 0, source="x")]
    for i, (value, steps) in enumerate(turned, 1):
        action = Action.ROTATE if steps else Action.NEG
        operations.append(Operation(action, i, (value % i,), steps=steps))
    x, result = Packed("x", SLOTS, (0,)), Packed("result", SLOTS, (len(turned),))
    return Program(Scheme.BFV, SLOTS, 0, tuple(operations), (), (x,), (result,))


def of_each_value(program: Program) -> dict[int, list[Hoist]]:
    found = defaultdict(list)
    for o in program.operations:
        if o.action is Action.ROTATE:
            found[o.args[0]].append(o.hoist)
    return dict(found)


@given(turns)
def test_the_first_rotation_of_several_makes_the_digits_and_the_last_lets_them_go(
    turned: list[tuple[int, int]],
) -> None:
    for marks in of_each_value(hoisted(grown(turned))).values():
        if len(marks) == 1:
            assert marks == [Hoist.NONE]
        else:
            assert (marks[0], marks[-1]) == (Hoist.FIRST, Hoist.LAST)
            assert set(marks[1:-1]) <= {Hoist.NEXT}


@given(turns)
def test_nothing_but_marks_changes(turned: list[tuple[int, int]]) -> None:
    program = grown(turned)
    marked = hoisted(program)
    for kept in ("scheme", "slots", "levels", "plains", "inputs", "outputs", "automatic", "two_rows"):
        assert getattr(marked, kept) == getattr(program, kept)
    assert tuple(replace(o, hoist=Hoist.NONE) for o in marked.operations) == program.operations
    for o in marked.operations:
        assert o.hoist is Hoist.NONE or o.action is Action.ROTATE
    assert marked.rotations == program.rotations


@given(turns)
def test_a_program_without_shared_rotations_stays_the_same_object(turned: list[tuple[int, int]]) -> None:
    program = grown(turned)
    shares = any(len(marks) > 1 for marks in of_each_value(program).values())
    assert (hoisted(program) is program) == (not shares)


def neighbours() -> Circuit:
    @fh.app(x=fh.reals(SLOTS, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.rotate(x, 1) * fh.rotate(x, 2) - fh.rotate(x, 3)

    return application.trace()


def summing() -> Circuit:
    @fh.app(x=fh.reals(SLOTS, low=0, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.sum(x * x)

    return application.trace()


def test_a_style_says_whether_programs_are_marked() -> None:
    circuit = neighbours()
    plain, marked = lower(circuit, CKKS, SLOTS), lower(circuit, replace(CKKS, hoists=True), SLOTS)
    assert list(of_each_value(plain).values()) == [[Hoist.NONE] * 3]
    assert list(of_each_value(marked).values()) == [[Hoist.FIRST, Hoist.NEXT, Hoist.LAST]]


def test_styles_that_differ_in_hoisting_alone_share_a_program_that_has_nothing_to_hoist() -> None:
    """Sums rotate another value each time."""
    lowerings = Lowerings(summing())
    hoisting = replace(CKKS, hoists=True)
    assert lowerings.program(CKKS, 1024) is lowerings.program(hoisting, 1024)
    lowerings = Lowerings(neighbours())
    assert lowerings.program(CKKS, 1024) is not lowerings.program(hoisting, 1024)
    assert lowerings.program(hoisting, 1024) is lowerings.program(hoisting, 1024)


@pytest.mark.parametrize("scheme", Scheme)
def test_openfhe_and_lattigo_share_digits_and_seal_does_not(scheme: Scheme) -> None:
    hoists = {name: found.style(scheme.value, None).hoists for name, found in CATALOGUE.items()}
    assert hoists == {"openfhe": True, "lattigo": True, "seal": False}
