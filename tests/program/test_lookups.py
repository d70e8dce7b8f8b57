"""A program of table look-ups on clear digits, worked out by hand."""

import numpy as np
import pytest

from fheasible.program.lookup_values import OutOfRange, computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step, digits_of, from_digits


def sums_of_pairs(limit: int) -> LookupProgram:
    """The sums of pairs of x, each cut off at `limit`, x in [-2, 1] of two bits, below 8 values."""
    table = tuple(min(v, limit) for v in range(8))
    steps = (
        LookupStep(Step.ENCRYPT, 0, 5, source="x"),
        LookupStep(Step.FOLD, 1, 3, (0,), group=2),
        LookupStep(Step.LOOKUP, 2, 3, (1,), table=0),
    )
    return LookupProgram(8, steps, (table,), (Digits("x", 5, (0,), 4, -2),), (Digits("y", 3, (2,), 8),))


def test_sums_of_neighbours_and_a_table() -> None:
    found = computed(sums_of_pairs(4), {"x": np.array([-2, 1, 1, 1, -1])})
    assert list(found["y"]) == [3, 4, 1]
    assert sums_of_pairs(4).lookups == 3


def test_a_value_outside_the_range_is_said() -> None:
    steps = (LookupStep(Step.TRIVIAL, 0, 1, plain=np.array([3])), LookupStep(Step.LINEAR, 1, 1, (0,), (3,)))
    with pytest.raises(OutOfRange, match="outside"):
        computed(LookupProgram(8, steps, (), (), ()), {})


@pytest.mark.parametrize(("low", "modulus"), [(0, None), (-100, None), (-128, 256), (0, 2**64)])
def test_digits_give_the_number_back(low: int, modulus: int | None) -> None:
    digits = Digits("x", 3, tuple(range(32 if modulus == 2**64 else 4)), 4, low, modulus)
    numbers = [low, low + 77, low + 255]
    back = [128, -51, 127] if modulus == 256 else numbers
    assert list(from_digits(digits_of(np.array(numbers), digits), digits)) == back


@pytest.mark.parametrize("modulus", [2, 7, 10, 256, 257, 2**32, 2**64])
def test_residues_come_back_with_their_signs(modulus: int) -> None:
    """As the cleartext results have them: (-t/2, t/2], and signed words for t = 2^64."""
    digits = Digits("x", 5, tuple(range(64)), 2, 0, modulus)
    most = 2**63 - 1 if modulus == 2**64 else modulus // 2
    numbers = np.array([0, 1, most, most + 1, modulus - 1], dtype=object)
    found = list(from_digits(digits_of(numbers, digits), digits))
    assert found == [0, 1, most, most + 1 - modulus, -1 if modulus > 2 else 1]
    assert from_digits(digits_of(numbers, digits), digits).dtype == np.int64


def test_joined_values_are_picked_in_any_order() -> None:
    steps = (
        LookupStep(Step.ENCRYPT, 0, 2, source="x"),
        LookupStep(Step.TRIVIAL, 1, 1, plain=np.array([5])),
        LookupStep(Step.JOIN, 2, 3, (0, 1)),
        LookupStep(Step.PICK, 3, 4, (2,), plain=np.array([2, 0, 2, 1])),
    )
    program = LookupProgram(8, steps, (), (Digits("x", 2, (0,), 8),), (Digits("y", 4, (3,), 8),))
    assert list(computed(program, {"x": np.array([1, 2])})["y"]) == [5, 1, 5, 2]


def test_reals_are_rounded_to_the_fraction() -> None:
    digits = Digits("x", 2, (0, 1), 4, -8, fraction=2)
    found = digits_of(np.array([-1.9, 1.26]), digits)
    assert [list(d) for d in found] == [[0, 1], [0, 3]]
    assert list(from_digits(found, digits)) == [-2.0, 1.25]
