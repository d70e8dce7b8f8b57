"""Which terms of a column are added up in one ciphertext."""

from hypothesis import given
from hypothesis import strategies as st

from fheasible.lowering.lookups.arithmetic import _Waiting
from fheasible.lowering.lookups.number import Term

ROOM, BASE = 15, 4


@given(
    lengths=st.lists(st.integers(1, 3), min_size=1, max_size=12),
    data=st.data(),
)
def test_a_group_takes_short_terms_first_and_of_these_the_largest_that_still_fit(
    lengths: list[int], data: st.DataObject
) -> None:
    terms = [Term(value, data.draw(st.integers(0, ROOM))) for value in range(len(lengths))]
    waiting = _Waiting(terms, lengths.__getitem__)
    order = sorted(terms, key=lambda t: (lengths[t.value], -t.bound, t.value))
    free, fitting = ROOM, []
    for term in order:
        if term.bound <= free:
            fitting.append(term)
            free -= term.bound
    found = waiting.group(ROOM, BASE)
    if len(fitting) == 1 < len(terms) and fitting[0].bound < BASE:
        assert found == [max(order, key=lambda t: (t.bound, -t.value))]
    else:
        assert found == fitting
    rest = [term for term in order if term not in found]
    assert waiting.all() == sorted(rest, key=lambda t: t.value)
