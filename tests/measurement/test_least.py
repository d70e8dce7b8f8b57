"""Samples are reduced to the figures that were computed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.measurement.least import (
    CONFIDENCE,
    Clock,
    failures,
    least,
    least_interval,
    least_phase,
    least_running,
    summaries,
    wall_factor,
)
from fheasible.measurement.sampled import Record, record_of

from .sampled_jobs import a_job, a_measurement

HERE = {"machine": "m", "load_before": 0.25, "load_after": 0.5, "seed": 1}


def a_record(label: str, number: int, operations: object, **environment: object) -> Record:
    measured = a_measurement(np.array(operations, dtype=np.float64))
    return record_of(a_job(label), "c", number, 0, 1, HERE | environment, "measured", "", measured)


# seconds [cpu, wall] of (repetition, operation): four operations, two repetitions, two passes
FIRST = [[(4, 5), (10, 11), (2, 2), (1, 1)], [(3, 6), (12, 12), (2, 3), (1, 2)]]
SECOND = [[(6, 6), (9, 20), (2, 2), (1, 1)], [(6, 7), (9, 18), (4, 4), (1, 1)]]
PASSES = [a_record("one", 0, FIRST), a_record("one", 1, SECOND, load_after=3.0)]


def test_the_least_of_an_operation_is_over_repetitions_and_passes() -> None:
    assert least(PASSES).tolist() == [3, 9, 2, 1]
    assert least(PASSES, Clock.WALL).tolist() == [5, 11, 2, 1]
    assert least(PASSES[1:]).tolist() == [6, 9, 2, 1]


def test_the_least_of_a_phase_is_that_of_a_whole_repetition() -> None:
    # of operations 1 to 3 in each repetition: 13, 15, 12, 14 CPU seconds and 14, 17, 23, 23 wall seconds
    assert least_phase(PASSES, "evaluate") == 12
    assert least_phase(PASSES, "evaluate", Clock.WALL) == 14
    assert least_phase(PASSES, "encrypt") == 3
    assert least_phase(PASSES, "keygen") == 0.2
    assert least_phase(PASSES, "decrypt", Clock.WALL) == 0.006


def test_a_summary_says_how_far_passes_differ_and_how_busy_the_machine_was() -> None:
    other = a_record("two", 0, FIRST)
    lost = record_of(a_job("three"), "c", 0, 0, 1, HERE, "died", "last words")
    found, second = summaries([PASSES[0], other, lost, PASSES[1]])
    assert [r.number for r in found.records] == [0, 1]
    assert (found.first.label, second.first.label) == ("one", "two")
    assert found.cpu.tolist() == [3, 9, 2, 1]
    assert found.wall.tolist() == [5, 11, 2, 1]
    # the passes' least CPU times: 3 and 6, 10 and 9, 2 and 2, 1 and 1
    assert found.spread == pytest.approx([1.0, 1 / 9, 0, 0])
    assert found.load == 3.0
    assert second.spread.tolist() == [0, 0, 0, 0]


def test_the_wall_factor_is_the_median_over_repetitions() -> None:
    # 14/13, 17/15, 23/12, 23/14
    assert wall_factor(PASSES) == pytest.approx((17 / 15 + 23 / 14) / 2)


def test_a_run_on_another_machine_is_another_summary() -> None:
    elsewhere = a_record("one", 0, FIRST, machine="other")
    assert len(summaries([PASSES[0], elsewhere])) == 2


def test_failures_are_what_has_no_right_result() -> None:
    lost = record_of(a_job("three"), "c", 0, 0, 1, HERE, "refused", "no")
    wrong = replace(PASSES[0], outcome="wrong")
    assert failures([*PASSES, lost, wrong]) == [lost, wrong]


def test_samples_in_which_the_thread_had_to_wait_do_not_count() -> None:
    # of the first operation the quickest wall time is taken; of the second none is undisturbed
    samples = np.array([[(1.0, 1.05), (1.0, 1.5)], [(0.2, 0.9), (1.0, 1.2)], [(1.1, 1.2), (0.1, 3.0)]])
    found = least_running(samples)
    assert found[0] == 1.05
    assert np.isnan(found[1])


@given(st.lists(st.floats(1e-6, 10), min_size=1, max_size=8), st.floats(1, 5))
def test_the_least_undisturbed_wall_time_is_no_less_than_the_least_of_all(
    cpu: list[float], factor: float
) -> None:
    samples = np.array([(c, c * factor) for c in cpu])
    found = float(least_running(samples))
    assert np.isnan(found) or found >= samples[:, Clock.WALL].min()
    assert (factor > 1.1 + 2.0) <= bool(np.isnan(found))


def test_the_interval_of_the_least_time_follows_from_the_two_least_passes() -> None:
    low, high = least_interval([5.0, 4.1, 4.0])
    assert (low, high) == (pytest.approx(4.0 - 19 * 0.1), 4.0)  # 0.95 / 0.05 = 19
    assert least_interval([4.0]) == (0.0, 4.0)  # one pass tells nothing
    assert least_interval([4.0, 4.0]) == (4.0, 4.0)
    assert least_interval([4.0, 5.0]) == (0.0, 4.0)  # no time is below 0


@pytest.mark.parametrize("passes", [2, 5, 20])
def test_the_interval_holds_the_true_least_as_often_as_it_says(passes: int) -> None:
    """Times that are 1 at the least, and anything up to 2 more, drawn ten thousand times."""
    draws = np.random.default_rng(passes).uniform(1, 3, (10_000, passes))
    held = np.mean([least_interval(d)[0] <= 1 for d in draws.tolist()])
    assert held == pytest.approx(CONFIDENCE, abs=0.01)


def test_the_interval_is_cautious_where_times_are_skewed() -> None:
    """Noise on a machine adds to the least time, mostly a little."""
    draws = 1 + np.random.default_rng(1).exponential(0.1, (10_000, 5))
    held = np.mean([least_interval(d)[0] <= 1 for d in draws.tolist()])
    assert held > CONFIDENCE - 0.02
