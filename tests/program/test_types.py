"""What a program says of itself, and the name of its content."""

from dataclasses import replace

import numpy as np

from fheasible.program.digest import digest
from fheasible.program.types import Action, Hoist, Operation

from .programs import SOME, by_hand


def test_rotations_are_the_distinct_steps_in_order() -> None:
    turns = [Operation(Action.ROTATE, i + 1, (i,), steps=s) for i, s in enumerate((3, 1, 3, 2))]
    assert by_hand(*turns).rotations == (1, 2, 3)


def test_a_program_knows_which_keys_it_needs() -> None:
    squared = by_hand(Operation(Action.SQUARE, 1, (0,)), Operation(Action.RELINEARIZE, 2, (1,)))
    assert (squared.relinearizes, squared.swaps_rows, squared.rotations) == (True, False, ())
    swapped = by_hand(Operation(Action.SWAP_ROWS, 1, (0,)))
    assert (swapped.relinearizes, swapped.swaps_rows) == (False, True)


def test_rescaling_works_on_the_limb_that_it_takes_away() -> None:
    assert Operation(Action.RESCALE, 1, (0,), level=2).computes_at == 3
    assert Operation(Action.ROTATE, 1, (0,), level=2).computes_at == 2


def test_equal_programs_have_equal_digests_and_others_have_not() -> None:
    program = SOME["ckks"]
    assert digest(replace(program)) == digest(program)
    others = [
        replace(program, slots=8),
        replace(program, levels=9),
        replace(program, operations=program.operations[:-1]),
        replace(program, plains=(program.plains[0] + 2.0**-40, *program.plains[1:])),
        replace(program, outputs=program.outputs[::-1]),
        *(p for name, p in SOME.items() if name != "ckks"),
    ]
    assert len({digest(p) for p in (program, *others)}) == len(others) + 1
    assert len(digest(program)) == 16


def test_digests_of_programs_without_marks_are_those_of_stored_jobs() -> None:
    """As they were before operations could be marked."""
    known = {"ckks": "8540ce0e7578f8f3", "ckks by itself": "0163ab669ee56ad5", "bgv": "4120f2799c9b7cfa"}
    assert {name: digest(SOME[name]) for name in known} == known


def test_a_digest_tells_which_rotations_share_digits() -> None:
    marks = [(Hoist.NONE,) * 3, (Hoist.FIRST, Hoist.LAST, Hoist.NONE), (Hoist.FIRST, Hoist.NEXT, Hoist.LAST)]
    programs = [
        by_hand(*(Operation(Action.ROTATE, i, (0,), steps=i, hoist=mark) for i, mark in enumerate(each, 1)))
        for each in marks
    ]
    assert len({digest(p) for p in programs}) == len(marks)


def test_an_operation_costs_as_its_action_and_a_rotation_by_its_part_in_hoisting() -> None:
    kinds = {mark: Operation(Action.ROTATE, 1, (0,), steps=1, hoist=mark).kind for mark in Hoist}
    assert kinds == {
        Hoist.NONE: "rotate",
        Hoist.FIRST: "rotate_hoist",
        Hoist.NEXT: "rotate_hoisted",
        Hoist.LAST: "rotate_hoisted",
    }
    assert Operation(Action.MUL, 1, (0, 0)).kind == "mul"


def test_a_digest_tells_where_one_plain_operand_ends_and_the_next_begins() -> None:
    add = [Operation(Action.ADD_PLAIN, i + 1, (i,), plain=i) for i in range(2)]
    together = by_hand(*add, plains=(np.array([1, 2, 3, 4]), np.array([5, 6])))
    apart = by_hand(*add, plains=(np.array([1, 2]), np.array([3, 4, 5, 6])))
    assert digest(together) != digest(apart)
