"""What values share of their noise, by hand."""

from fheasible.noise.shared import correlated_sums, products
from fheasible.program.types import Action, Operation, Program, Scheme


def of(*operations: tuple[Action, int, tuple[int, ...]]) -> Program:
    made = tuple(Operation(action, out, args) for action, out, args in operations)
    return Program(Scheme.BFV, 4, 0, made, (), (), ())


ENCRYPT, ADD, SUB, MUL, SQUARE = Action.ENCRYPT, Action.ADD, Action.SUB, Action.MUL, Action.SQUARE


def test_a_factor_that_returns_is_counted() -> None:
    found = products(
        of(
            (ENCRYPT, 0, ()),
            (ENCRYPT, 1, ()),
            (SQUARE, 2, (0,)),
            (MUL, 3, (2, 0)),
            (MUL, 4, (1, 3)),
            (MUL, 5, (4, 0)),
        )
    )
    assert found[2] == (1, (1, 1))
    assert found[3] == (2, (2, 1))  # x^2 was made by x already
    assert found[4] == (3, (1, 1))
    assert found[5] == (4, (3, 1))  # x, x and again x


def test_the_longer_path_decides() -> None:
    found = products(
        of((ENCRYPT, 0, ()), (SQUARE, 1, (0,)), (ADD, 2, (1, 0)), (SQUARE, 3, (2,)), (MUL, 4, (3, 0)))
    )
    assert found[3].depth == 2
    assert found[4] == (3, (2, 1))


def test_sums_of_what_has_a_common_ancestor_are_correlated() -> None:
    rotate = Action.ROTATE
    program = of(
        (ENCRYPT, 0, ()),
        (ENCRYPT, 1, ()),
        (ADD, 2, (0, 1)),
        (rotate, 3, (0,)),
        (SUB, 4, (0, 3)),
        (MUL, 5, (3, 1)),
        (ADD, 6, (5, 1)),
        (ADD, 7, (3, 1)),
    )
    assert correlated_sums(program) == {4, 6}
