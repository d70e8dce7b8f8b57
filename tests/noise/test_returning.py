"""Factors that return, by hand."""

from dataclasses import replace

import numpy as np

from fheasible.noise.integers.returning import before_squares, factors, returning
from fheasible.program.types import Action, Scheme

from .test_shared import ENCRYPT, MUL, ROTATE, SQUARE, SWAP, WEIGH, XY, Made, of

BGV = Scheme.BGV


def before(*made: Made, two_rows: bool = False, scheme: Scheme = Scheme.BFV) -> dict[int, frozenset[int]]:
    return before_squares(replace(of(*XY, *made, two_rows=two_rows), scheme=scheme))


def test_a_plain_vector_that_returns_makes_a_square_of_what_was_there_before() -> None:
    assert before((WEIGH, 2, (0,), 0), (WEIGH, 3, (2,), 1), (WEIGH, 4, (3,), 0)) == {4: {0}}
    assert before((WEIGH, 2, (0,), 0), (WEIGH, 3, (2,), 0), (WEIGH, 4, (3,), 0)) == {3: {0}, 4: {0, 2}}
    assert before((WEIGH, 2, (0,), 0), (WEIGH, 3, (1,), 0), (MUL, 4, (2, 3))) == {}


def test_all_that_is_in_a_sum_was_there_before() -> None:
    added: tuple[Made, ...] = ((WEIGH, 2, (0,), 0), (WEIGH, 3, (1,), 0), (Action.ADD, 4, (2, 3)))
    assert before(*added, (ROTATE, 5, (4,), 1), (WEIGH, 6, (5,), 0)) == {6: {0, 1}}


def test_vectors_with_coefficients_in_common_make_squares() -> None:
    program = of(*XY, (WEIGH, 2, (0,), 0), (WEIGH, 3, (2,), 1), (WEIGH, 4, (3,), 2))
    mask = np.eye(8, dtype=np.int64)[2]
    kin = replace(program, plains=(mask, program.plains[0], 5 - 3 * mask))
    assert before_squares(kin) == {4: {0}}
    assert before_squares(program) == {}
    assert [len({*factors(o, kin)} & returning(kin)) for o in kin.operations] == [0, 0, 1, 0, 1]


def test_in_two_rows_a_factor_makes_a_square_of_its_own_with_the_rows_swapped() -> None:
    again: tuple[Made, ...] = ((WEIGH, 2, (0,), 0), (WEIGH, 3, (2,), 0))
    swapped: tuple[Made, ...] = ((WEIGH, 2, (0,), 0), (SWAP, 3, (2,)), (WEIGH, 4, (3,), 0))
    assert before(*again, two_rows=True) == {}
    assert before(*swapped, two_rows=True) == {4: {0}}
    assert before(*swapped, (SWAP, 5, (4,)), (WEIGH, 6, (5,), 0), two_rows=True) == {4: {0}, 6: {3}}


def test_ciphertexts_make_squares_where_messages_multiply_noise() -> None:
    cubed: tuple[Made, ...] = ((SQUARE, 2, (0,)), (MUL, 3, (2, 0)), (MUL, 4, (3, 1)))
    assert before(*cubed) == {}
    assert before(*cubed, scheme=BGV) == {3: {0}}


def test_what_never_returns_costs_nothing() -> None:
    many: list[Made] = [(WEIGH, 2 + i, (0,), i) for i in range(4)]
    assert returning(of(*XY, *many)) == set()
    assert returning(of((ENCRYPT, 0, ()), (WEIGH, 1, (0,), 0), (ROTATE, 2, (1,), 3), (WEIGH, 3, (2,), 0)))
