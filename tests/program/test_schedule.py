"""What lives when, counted again from the operations alone."""

import pytest

from fheasible.program.schedule import late_encryptions, reachable, value_sizes, with_frees
from fheasible.program.types import Action, Operation, Program

from .programs import SOME


def alive_at(program: Program, i: int) -> set[int]:
    """Values that exist once operation i is done: what it uses, what is used later, and what is returned."""
    made = {o.out for o in program.operations[: i + 1]}
    needed = {a for o in program.operations[i:] for a in o.args}
    returned = {v for p in program.outputs for v in p.values}
    return made & (needed | returned | {program.operations[i].out})


def degrees_in_the_secret(program: Program) -> dict[int, int]:
    """A ciphertext of s + 1 polynomials is one polynomial of degree s in the secret."""
    found: dict[int, int] = {}
    for o in program.operations:
        degrees = [found[a] for a in o.args] or [1]
        if o.action in (Action.MUL, Action.SQUARE):
            found[o.out] = degrees[0] + degrees[-1]
        else:
            found[o.out] = 1 if o.action is Action.RELINEARIZE else max(degrees)
    return found


@pytest.mark.parametrize("name", SOME)
def test_sizes_are_two_polynomials_or_three_before_relinearisation(name: str) -> None:
    degrees = degrees_in_the_secret(SOME[name])
    assert value_sizes(SOME[name]) == {v: d + 1 for v, d in degrees.items()}
    assert set(degrees.values()) == {1, 2}


def chain(*operations: tuple[int, tuple[int, ...]]) -> list[Operation]:
    return [Operation(Action.ADD if args else Action.ENCRYPT, out, args) for out, args in operations]


def test_values_are_freed_after_their_last_use() -> None:
    scheduled = with_frees(chain((0, ()), (1, ()), (2, (0, 1)), (3, (0, 0)), (4, (3, 2))), [4, 1])
    assert [set(o.frees) for o in scheduled] == [set(), set(), set(), {0}, {2, 3}]


def test_a_value_that_nothing_needs_is_freed_at_once() -> None:
    assert [o.frees for o in with_frees(chain((0, ()), (1, ())), [1])] == [(0,), ()]


def test_only_what_an_output_depends_on_is_reachable() -> None:
    operations = chain((0, ()), (1, ()), (2, (0, 0)), (3, (1, 1)), (4, (2, 2)))
    assert [o.out for o in reachable(operations, [4])] == [0, 2, 4]
    assert [o.out for o in reachable(operations, [3, 0])] == [0, 1, 3]


def test_encryptions_come_first_and_the_rest_keeps_its_order() -> None:
    operations = chain((0, ()), (1, (0, 0)), (2, ()), (3, (1, 2)))
    assert [o.out for o in late_encryptions(operations)] == [0, 2, 1, 3]
