"""Names at the ends of lines lie on no other, and near their lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.reports.axes import Axis
from fheasible.reports.ends import End, part, placed
from fheasible.reports.figures import Series
from fheasible.reports.theme import BROAD, NARROW

ACROSS = Axis(0.0, 1.0, (), ())
UP = Axis(0.0, 10.0, (), ())
LOG = Axis(1.0, 1000.0, (), (), log=True)
TALL = 15 / (0.6 * BROAD.height)  # part of the height that a line of a name takes


def ends(*heights: float) -> list[End]:
    """Level lines from edge to edge."""
    return [End(Series(f"curve {i}", (0.0, 1.0), (y, y)), "#000000") for i, y in enumerate(heights)]


def places(given: list[End], up: Axis = UP) -> list[float]:
    found = placed(given, ACROSS, up, BROAD)
    assert found is not None
    assert not any(name.own for name in found)
    return [name.place for name in found]


def test_names_that_have_room_stand_where_their_lines_end() -> None:
    assert places(ends(2.0, 5.0, 8.0)) == [0.2, 0.5, 0.8]
    assert places(ends(10.0, 100.0), LOG) == pytest.approx([1 / 3, 2 / 3])
    assert part(LOG, 10.0) == pytest.approx(1 / 3)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=14))
def test_names_never_lie_on_each_other_nor_leave_the_picture(heights: list[float]) -> None:
    order = sorted(places(ends(*heights)))
    assert all(after - before >= TALL - 1e-9 for before, after in pairwise(order))
    assert order[0] >= TALL / 2 - 1e-9
    assert order[-1] <= 1 - TALL / 2 + 1e-9


@given(st.lists(st.integers(0, 10_000).map(lambda i: i / 1000), min_size=2, max_size=14, unique=True))
def test_names_keep_the_order_of_their_lines(heights: list[float]) -> None:
    found = places(ends(*heights))
    by_line = sorted(range(len(heights)), key=heights.__getitem__)
    assert [found[i] for i in by_line] == sorted(found)


def test_names_of_lines_that_stop_before_and_end_alike_have_the_order_of_the_lines() -> None:
    heights = (2.67, 2.66, 2.68, 2.65)
    stopped = [
        End(Series(f"curve {i}", (0.1 * i, 0.1 * i + 0.05), (9.0, y)), "#000000")
        for i, y in enumerate(heights)
    ]
    wall = End(Series("wall", (0.0, 1.0), (2.6, 2.6)), "#000000")  # no name has room at its own line's end
    found = placed([*stopped, wall], ACROSS, UP, BROAD)
    assert found is not None
    assert not any(name.own for name in found)
    assert [name.place for name in found[:4]] == sorted((name.place for name in found[:4]), reverse=True)


def test_a_line_that_stops_before_has_its_name_there_unless_that_would_lie_on_something() -> None:
    short = End(Series("short", (0.0, 0.4), (9.0, 3.0)), "#000000")
    beside = End(Series("beside", (0.0, 0.42), (9.0, 3.1)), "#000000")  # whose name would lie on the other's
    through = End(Series("through", (0.0, 1.0), (0.0, 7.0)), "#000000")  # is at 2.8 where the short one ends
    far = End(Series("far", (0.0, 1.0), (9.0, 9.0)), "#000000")

    def own(*given: End) -> list[bool]:
        found = placed(given, ACROSS, UP, BROAD)
        assert found is not None
        return [name.own for name in found]

    assert own(short, far) == [True, False]
    assert own(short, through) == [False, False]
    assert own(short, beside, far) in ([True, False, False], [False, True, False])
    same = End(Series("same", (0.0, 0.4), (8.0, 3.0)), "#000000")  # ends in the same point
    assert own(short, same, far) == [True, False, False]


def test_long_names_are_broken_and_too_many_have_a_legend() -> None:
    long = [End(Series("OpenFHE CKKS flexibleautoext", (0.0, 1.0), (5.0, 5.0)), "#000000")]
    narrow = placed(long, ACROSS, UP, NARROW)
    assert narrow is not None
    assert len(narrow[0].lines) > 1
    assert " ".join(narrow[0].lines) == long[0].name
    assert placed(ends(*range(40)), ACROSS, UP, BROAD) is None
    endless = End(Series("x" * 90, (0.0, 1.0), (5.0, 5.0)), "#000000")
    assert placed([endless], ACROSS, UP, BROAD) is None
