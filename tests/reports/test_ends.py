"""Names at the ends of lines lie on no other, and near their lines."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fheasible.reports.axes import Axis
from fheasible.reports.ends import End, part, placed
from fheasible.reports.theme import BROAD, NARROW

UP = Axis(0.0, 10.0, (), ())
LOG = Axis(1.0, 1000.0, (), (), log=True)
TALL = 15 / (0.6 * BROAD.height)  # part of the height that a line of a name takes


def ends(*heights: float) -> list[End]:
    return [End(f"curve {i}", 1.0, y, "#000000") for i, y in enumerate(heights)]


def test_names_that_have_room_stand_where_their_lines_end() -> None:
    found = placed(ends(2.0, 5.0, 8.0), UP, BROAD)
    assert found is not None
    assert found.places == (0.2, 0.5, 0.8)
    on_log = placed(ends(10.0, 100.0), LOG, BROAD)
    assert on_log is not None
    assert [round(place, 6) for place in on_log.places] == [round(1 / 3, 6), round(2 / 3, 6)]
    assert part(LOG, 10.0) == on_log.places[0]


@given(st.lists(st.floats(0, 10), min_size=1, max_size=14))
def test_names_never_lie_on_each_other_nor_leave_the_picture(heights: list[float]) -> None:
    found = placed(ends(*heights), UP, BROAD)
    assert found is not None
    order = sorted(found.places)
    assert all(after - before >= TALL - 1e-9 for before, after in pairwise(order))
    assert order[0] >= TALL / 2 - 1e-9
    assert order[-1] <= 1 - TALL / 2 + 1e-9


@given(st.lists(st.floats(0, 10), min_size=2, max_size=14, unique=True))
def test_names_keep_the_order_of_their_lines(heights: list[float]) -> None:
    found = placed(ends(*heights), UP, BROAD)
    assert found is not None
    by_line = sorted(range(len(heights)), key=heights.__getitem__)
    assert [found.places[i] for i in by_line] == sorted(found.places)


def test_long_names_are_broken_and_too_many_have_a_legend() -> None:
    long = [End("OpenFHE CKKS flexibleautoext", 1.0, 5.0, "#000000")]
    narrow = placed(long, UP, NARROW)
    assert narrow is not None
    assert len(narrow.lines[0]) > 1
    assert " ".join(narrow.lines[0]) == long[0].name
    assert placed(ends(*range(40)), UP, BROAD) is None
    assert placed([End("x" * 90, 1.0, 5.0, "#000000")], UP, BROAD) is None
