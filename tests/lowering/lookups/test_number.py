"""Sums of numbers whose terms are not added up: all at once, they are what they are one after the other."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from fheasible.lowering.lookups.number import Number, Term, total

terms = st.builds(Term, st.integers(0, 4), st.integers(1, 15), st.integers(-2, 2))
numbers = st.builds(
    Number,
    st.integers(1, 3),
    st.integers(-9, 9),
    st.lists(st.lists(terms, max_size=4).map(tuple), max_size=3).map(tuple),
)


@given(st.lists(numbers, max_size=6))
def test_a_total_is_what_one_sum_after_the_other_gives(found: list[Number]) -> None:
    assert total([Number(1, 0), *found]) == reduce(Number.plus, found, Number(1, 0))


def test_terms_that_cancel_are_left_out_and_may_come_again() -> None:
    one, other = Term(3, 7), Term(5, 7)
    first, second = Number(2, 4, ((one,), (other,))), Number(2, 4, ((one.times(-1),), (other,)))
    parts = [first, second, Number(2, 1, ((other, one),))]
    assert total(parts) == Number(2, 9, ((other, one), (other.times(2),)))
