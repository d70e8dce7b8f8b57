"""Means with their intervals, and what is said of them."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from fheasible.accuracy.noise_compare import ABSOLUTE, BITS, BUDGET, MeanError, NoiseFailure, NoiseRow
from fheasible.accuracy.noise_verdict import MET, MISSED, UNDECIDED, NoiseJudgement, groups, verdict

ROW = NoiseRow(
    label="a row", application="sums", library="seal", scheme="ckks", technique="", key_switching="hybrid",
    n=4096, limbs=3, scale_bits=40, secure=False, encryptions=32, keys=8, figure=BITS, predicted=20.0,
    measured=20.0, interval=0.1, variance_ratio=1.0,
)  # fmt: skip


def off(bits: float, interval: float = 0.1, figure: str = BITS) -> NoiseRow:
    return replace(ROW, predicted=20 + bits, interval=interval, figure=figure)


def test_the_interval_is_that_of_the_sets_of_keys() -> None:
    """Student's t at 97.5 % and 3 degrees of freedom is 3.1824 (any table has it)."""
    found = MeanError.of([[1.0, 3.0], [3.0, 5.0], [2.0, 2.0], [4.0, 4.0]])
    deviation = np.std([2, 4, 2, 4], ddof=1)
    assert found.mean == 3
    assert found.interval == pytest.approx(3.1824 * deviation / sqrt(4), rel=1e-4)


def test_one_set_of_keys_has_no_interval() -> None:
    assert MeanError.of([[1.0, 2.0]]).interval == float("inf")


def test_the_bits_of_a_mean_error_have_its_relative_interval() -> None:
    found = MeanError(1 / 8, 1 / 80).as_bits
    assert found.mean == 3
    assert found.interval == pytest.approx(0.1 / np.log(2))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (off(0.0), MET),
        (off(0.39), MET),
        (off(0.45), UNDECIDED),
        (off(0.61), MISSED),
        (off(-0.89), MET),
        (off(-1.05), UNDECIDED),
        (off(-1.11), MISSED),
        (off(-1.11, figure=ABSOLUTE), MISSED),
        (off(-2.8, figure=BUDGET), MET),
        (off(-3.2, figure=BUDGET), MISSED),
        (off(0.61, figure=BUDGET), MISSED),
        (off(5.0, interval=float("inf")), UNDECIDED),
        (off(0.0, interval=1.2), UNDECIDED),
    ],
)
def test_a_target_is_missed_only_where_the_whole_interval_is_outside(row: NoiseRow, expected: str) -> None:
    assert verdict(row) == expected


def test_groups_name_the_extremes_and_the_geometric_mean_of_variances() -> None:
    rows = [replace(off(0.7), variance_ratio=4.0), replace(off(-0.5), variance_ratio=1.0)]
    (group,) = groups(rows)
    assert (group.optimistic, group.pessimistic) == pytest.approx((0.7, -0.5))
    assert group.mean == pytest.approx(0.1)
    assert group.variance_ratio == pytest.approx(2.0)
    assert group.variance_spread == pytest.approx(2.0)
    assert (group.met, group.undecided, group.missed) == (1, 0, 1)


def test_the_most_optimistic_misses_come_first() -> None:
    found = NoiseJudgement((off(-2.0), off(0.0), off(0.7), off(3.0)), (), None)
    assert [round(row.difference, 1) for row in found.missed()] == [3.0, 0.7, -2.0]


def test_a_failure_that_was_predicted_is_no_surprise() -> None:
    foreseen = NoiseFailure("a", "refused", "too much noise", -0.3)
    surprises = NoiseFailure("b", "wrong", "", 5.0), NoiseFailure("c", "died", "", None)
    assert NoiseJudgement((), (foreseen, *surprises), None).unforeseen == list(surprises)


def test_lower_bounds_of_variances_are_no_part_of_their_mean() -> None:
    rows = [replace(ROW, variance_ratio=4.0), replace(ROW, variance_ratio=0.1, all_noise=False)]
    assert groups(rows)[0].variance_ratio == pytest.approx(4.0)
    assert groups(rows[1:])[0].variance_ratio is None
