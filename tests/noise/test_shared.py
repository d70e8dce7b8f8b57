"""What values share of their noise, by hand."""

from dataclasses import replace

import numpy as np

from fheasible.noise.integers.returning import secrets
from fheasible.noise.integers.shared import Relation, relations, repeats
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Program, Scheme

ENCRYPT, ADD, SUB, MUL, SQUARE = Action.ENCRYPT, Action.ADD, Action.SUB, Action.MUL, Action.SQUARE
ROTATE, SWAP, WEIGH, RELINEARIZE = Action.ROTATE, Action.SWAP_ROWS, Action.MUL_PLAIN, Action.RELINEARIZE
APART, TURNED, SAME = Relation.APART, Relation.TURNED, Relation.SAME

Made = tuple[Action, int, tuple[int, ...]] | tuple[Action, int, tuple[int, ...], int]
PLAINS = tuple(np.random.default_rng(1).integers(0, 1000, (4, 8)))
XY: tuple[Made, ...] = ((ENCRYPT, 0, ()), (ENCRYPT, 1, ()))


def of(*made: Made, two_rows: bool = False) -> Program:
    """Operations; a fourth number is a plain operand, or steps."""
    operations = []
    for action, out, args, *number in made:
        steps, plain = (number[0] if number else 0), (number[0] if number else None)
        one = Operation(action, out, args)
        one = replace(one, steps=steps) if action is ROTATE else replace(one, plain=plain)
        operations.append(one)
    frees = with_frees(operations, [operations[-1].out])
    return Program(Scheme.BFV, 8, 0, frees, PLAINS, (), (), two_rows=two_rows)


def relation(*made: Made, two_rows: bool = False) -> Relation:
    """Of the last operation's operands."""
    return relations(of(*XY, *made, two_rows=two_rows))[made[-1][1]]


def test_a_factor_that_returns_is_counted() -> None:
    found = repeats(of(*XY, (SQUARE, 2, (0,)), (MUL, 3, (2, 0)), (MUL, 4, (1, 3)), (MUL, 5, (4, 0))))
    assert found[2] == (1, 1)
    assert found[3] == (2, 1)  # x^2 was made by x already
    assert found[4] == (1, 1)
    assert found[5] == (3, 1)  # x, x and again x


def test_sums_with_numbers_and_negatives_are_the_same_factor() -> None:
    moved: tuple[Made, ...] = ((Action.ADD_SCALAR, 2, (0,), 0), (Action.NEG, 3, (2,)), (MUL, 4, (0, 3)))
    program = of(*XY, *moved, (MUL, 5, (4, 2)), (MUL, 6, (5, 1)))
    assert repeats(program) == {4: (1, 1), 5: (2, 1), 6: (1, 1)}
    assert secrets(program) == {0: 0, 1: 1, 2: 0, 3: 0, 4: 4, 5: 5, 6: 6}


def test_the_path_with_most_repetitions_decides() -> None:
    found = repeats(of(*XY, (SQUARE, 2, (0,)), (ADD, 3, (2, 0)), (SQUARE, 5, (3,)), (MUL, 4, (5, 0))))
    assert found[4] == (2, 1)


def test_two_encryptions_have_nothing_in_common() -> None:
    assert relation((ADD, 2, (0, 1))) is APART
    assert relation((RELINEARIZE, 2, (0,)), (ADD, 3, (2, 1))) is APART


def test_a_value_and_itself_or_a_sum_with_it_are_the_same() -> None:
    assert relation((ADD, 2, (0, 0))) is SAME
    assert relation((ADD, 2, (0, 1)), (SUB, 3, (2, 0))) is SAME
    assert relation((Action.NEG, 2, (0,)), (Action.ADD_PLAIN, 3, (2,), 0), (ADD, 4, (3, 0))) is SAME


def test_a_rotated_copy_is_the_same_turned() -> None:
    assert relation((ROTATE, 2, (0,), 1), (ADD, 3, (0, 2))) is TURNED
    assert relation((SWAP, 2, (0,)), (ADD, 3, (0, 2))) is TURNED
    assert relation((ROTATE, 2, (0,), 1), (ROTATE, 3, (0,), 1), (ADD, 4, (2, 3))) is SAME
    assert relation((SWAP, 2, (0,)), (SWAP, 3, (2,)), (ADD, 4, (0, 3))) is SAME


def test_a_sum_of_copies_meets_itself_where_a_rotation_returns() -> None:
    pair: tuple[Made, ...] = ((ROTATE, 2, (0,), 1), (ADD, 3, (0, 2)))  # x + x turned by 1
    assert relation(*pair, (ROTATE, 4, (3,), 2), (ADD, 5, (3, 4))) is TURNED  # 0, 1 and 2, 3
    assert relation(*pair, (ROTATE, 4, (3,), 1), (ADD, 5, (3, 4))) is SAME  # 0, 1 and 1, 2


def test_rows_are_as_long_as_is_known() -> None:
    around: tuple[Made, ...] = ((ROTATE, 2, (0,), 3), (ROTATE, 3, (2,), 1), (ADD, 4, (0, 3)))
    assert relation(*around, two_rows=True) is SAME  # rows of four
    assert relation(*around) is TURNED  # the ring's rows are longer than the slots repeat


def test_products_with_different_factors_have_nothing_in_common() -> None:
    assert relation((WEIGH, 2, (0,), 0), (WEIGH, 3, (0,), 1), (ADD, 4, (2, 3))) is APART
    assert relation((WEIGH, 2, (0,), 0), (ADD, 3, (2, 0))) is APART
    assert relation((MUL, 2, (0, 1)), (SQUARE, 3, (0,)), (ADD, 4, (2, 3))) is APART


def test_products_with_the_same_factor_share_what_the_others_share() -> None:
    both: tuple[Made, ...] = ((ADD, 2, (0, 1)), (WEIGH, 3, (2,), 0), (WEIGH, 4, (0,), 0), (ADD, 5, (3, 4)))
    assert relation(*both) is SAME
    third: tuple[Made, ...] = ((ENCRYPT, 2, ()), (ADD, 3, (0, 1)))
    assert relation(*third, (MUL, 4, (3, 2)), (MUL, 5, (0, 2)), (ADD, 6, (4, 5))) is SAME


def test_a_product_with_a_square_has_the_noise_there_was_before() -> None:
    """A square has a mean, and a mean times the noise is the noise."""
    once: tuple[Made, ...] = ((WEIGH, 2, (0,), 0), (ADD, 3, (2, 1)))
    assert relation(*once, (WEIGH, 4, (3,), 0), (ADD, 5, (4, 0))) is SAME
    assert relation(*once, (WEIGH, 4, (3,), 1), (ADD, 5, (4, 0))) is APART
    assert relation(*once, (WEIGH, 4, (3,), 1), (WEIGH, 5, (4,), 0), (ADD, 6, (5, 0))) is APART
    between: tuple[Made, ...] = (*once, (WEIGH, 4, (3,), 1), (WEIGH, 5, (4,), 0))
    assert relation(*between, (WEIGH, 6, (0,), 1), (ADD, 7, (5, 6))) is SAME
    assert relation(*once, (ROTATE, 4, (3,), 1), (WEIGH, 5, (4,), 0), (ADD, 6, (5, 0))) is TURNED


def test_in_two_rows_it_has_where_they_were_swapped() -> None:
    assert relation((WEIGH, 2, (0,), 0), (WEIGH, 3, (2,), 0), (ADD, 4, (3, 0)), two_rows=True) is APART
    swapped: tuple[Made, ...] = ((WEIGH, 2, (0,), 0), (SWAP, 3, (2,)), (WEIGH, 4, (3,), 0))
    assert relation(*swapped, (SWAP, 5, (0,)), (ADD, 6, (4, 5)), two_rows=True) is SAME
    assert relation(*swapped, (ADD, 5, (4, 0)), two_rows=True) is TURNED


def test_many_sources_in_a_product_become_one() -> None:
    many = [(ENCRYPT, i, ()) for i in range(100)]
    sums: list[Made] = [(ADD, 100, (0, 1))]
    sums += [(ADD, 100 + i, (99 + i, i + 1)) for i in range(1, 99)]
    whole = of(*many, *sums, (SQUARE, 300, (198,)), (WEIGH, 301, (300,), 0), (ADD, 302, (300, 300)))
    assert relations(whole)[302] is SAME


def test_a_product_keeps_64_sources_apart_and_takes_more_as_one() -> None:
    for count, found in ((64, SAME), (65, APART)):
        many: list[Made] = [(ENCRYPT, i, ()) for i in range(count)]
        many += [(ADD, 100 + i, (99 + i if i > 1 else 0, i)) for i in range(1, count)]
        whole = 99 + count
        plain: list[Made] = [(WEIGH, 300, (whole,), 0), (WEIGH, 301, (0,), 0), (ADD, 302, (300, 301))]
        assert relations(of(*many, *plain))[302] is found
    for count, found in ((63, SAME), (64, APART), (65, APART)):  # and the other factor's
        many = [(ENCRYPT, i, ()) for i in (*range(count), 99)]
        many += [(ADD, 100 + i, (99 + i if i > 1 else 0, i)) for i in range(1, count)]
        for product in ((99 + count, 99), (99, 99 + count)):
            products: list[Made] = [(MUL, 300, product), (MUL, 301, (0, 99)), (ADD, 302, (300, 301))]
            assert relations(of(*many, *products))[302] is found
