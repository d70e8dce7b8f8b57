"""Ticks that a reader can use, for any values."""

from itertools import pairwise
from math import log10

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fheasible.reports.axes import MOST_TICKS, Axis, along, upwards

POSITIVE = st.floats(1e-15, 1e15)
VALUES = st.lists(st.floats(-1e15, 1e15).filter(lambda v: v == 0 or abs(v) > 1e-15), min_size=1, max_size=6)


def read(label: str) -> float:
    """The number that a label says."""
    factor, _, power = label.replace(",", "").replace("\N{MINUS SIGN}", "-").partition("×10^")
    base, _, exponent = factor.partition("^")
    return float(base) ** int(exponent) if exponent else float(factor) * 10.0 ** int(power or 0)


def check(axis: Axis, values: list[float]) -> None:
    assert axis.low <= min(values) <= max(values) <= axis.high
    assert axis.low < axis.high
    assert 1 <= len(axis.ticks) <= MOST_TICKS
    room = 1e-9 * (axis.high - axis.low)
    assert all(axis.low - room <= tick <= axis.high + room for tick in axis.ticks)
    assert all(a < b for a, b in pairwise(axis.ticks))
    assert len(set(axis.labels)) == len(axis.labels) == len(axis.ticks)


@given(st.lists(POSITIVE, min_size=1, max_size=6))
def test_a_logarithmic_axis_holds_all_values_and_its_labels_say_its_ticks(values: list[float]) -> None:
    for axis in (along(values, log=True), upwards(values, log=True)):
        check(axis, values)
        assert [read(label) for label in axis.labels] == pytest.approx(axis.ticks, rel=1e-9)


@given(VALUES)
@example([0.3, 0.1 + 0.2])
@example([0.0])
@example([-3.0, -3.0])
def test_a_linear_axis_holds_all_values_and_its_labels_say_its_ticks(values: list[float]) -> None:
    for axis in (along(values), upwards(values)):
        check(axis, values)
        room = 1e-9 * (axis.high - axis.low)
        assert [read(label) for label in axis.labels] == pytest.approx(axis.ticks, rel=1e-9, abs=room)


@given(VALUES)
def test_values_that_are_nowhere_negative_begin_at_zero(values: list[float]) -> None:
    axis = upwards([0.0, *map(abs, values)])
    assert axis.low == 0
    assert axis.ticks[0] == 0
    assert axis.labels[0] == "0"


def test_values_close_together_are_shown_apart() -> None:
    assert upwards([121.0, 128.0]).low >= 120


def test_large_numbers_share_a_power_of_a_thousand() -> None:
    assert upwards([0, 6e10]).labels == ("0", *(f"{k}0×10^9" for k in range(1, 7)))


def test_thousands_are_separated_and_fractions_have_equal_digits() -> None:
    assert upwards([0, 3000]).labels == ("0", "500", "1,000", "1,500", "2,000", "2,500", "3,000")
    assert upwards([0, 0.3]).labels == ("0", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30")


def test_whole_values_have_whole_ticks() -> None:
    assert along([1, 2, 3]).labels == ("1", "2", "3")


def test_ring_degrees_have_ticks_at_powers_of_two() -> None:
    assert along([1024, 4096, 8192], log=True).labels == ("1,024", "2,048", "4,096", "8,192")
    assert along([2**10, 2**40], log=True).labels == tuple(f"2^{k}" for k in range(10, 41, 4))


def test_decades_are_labelled_alone_where_all_would_crowd() -> None:
    assert upwards([2e-3, 700], log=True).labels == ("0.01", "0.1", "1", "10", "100", "1,000")
    assert upwards([3, 40], log=True).labels == ("2", "5", "10", "20", "50")
    assert all(log10(tick).is_integer() for tick in upwards([1e-9, 1e9], log=True).ticks)
