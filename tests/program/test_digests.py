"""Rows are told apart by what they hold, and those that cannot change are read once."""

import gc

import numpy as np

from fheasible.program import digests
from fheasible.program.digests import digest


def fixed(numbers: list[float], kind: type = np.float64) -> np.ndarray:
    row = np.array(numbers, dtype=kind)
    row.setflags(write=False)
    return row


def test_equal_rows_agree_and_others_do_not() -> None:
    rows = [fixed([1, 2]), fixed([2, 1]), fixed([1, 2], np.int64), fixed([1]), fixed([1, 2, 0])]
    assert len({digest(row) for row in rows}) == len(rows)
    assert digest(fixed([1, 2])) == digest(np.array([1.0, 2.0])) == digest(np.array([1.0, 5, 2, 5])[::2])


def test_a_row_that_may_change_is_read_anew() -> None:
    row = np.array([1.0, 2.0])
    before = digest(row)
    row[0] = 3
    assert digest(row) != before


def test_a_read_only_view_of_numbers_that_may_change_is_read_anew() -> None:
    numbers = np.array([1.0, 2.0])
    view = numbers[:]
    view.setflags(write=False)
    before = digest(view)
    numbers[0] = 3
    assert digest(view) != before


def test_nothing_is_kept_of_rows_that_are_gone() -> None:
    row = fixed([4, 5])
    digest(row)
    key = id(row)
    assert key in digests._known
    del row
    gc.collect()
    assert key not in digests._known
