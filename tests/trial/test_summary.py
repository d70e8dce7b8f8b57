"""Counts and errors of a trial, by hand."""

from typing import Any

import pytest

from fheasible.trial.found import Unfit
from fheasible.trial.summary import exit_code, group, summary
from trial.apps import found, run


def timed(predicted: float, measured: float, band: float | None = 0.11, **more: Any) -> Any:
    return run(
        predicted={"cpu_seconds": {"total": predicted}, "error_band": band, "peak_bytes": 110},
        measured={"cpu_seconds": {"total": measured}, "peak_bytes": 100, "precision_bits": None},
        **more,
    )


def test_errors_are_relative_to_what_was_measured() -> None:
    errors = group([found(0, timed(1.1, 1.0), timed(0.7, 1.0), timed(2.0, 2.0))]).time
    assert errors.runs == 3
    assert errors.median == pytest.approx(0.1)
    assert errors.bias == pytest.approx(0.0)
    assert errors.percentile_95 == pytest.approx(0.3 - 0.1 * (0.3 - 0.1))  # between the second and the third
    assert errors.inside == pytest.approx(2 / 3)


def test_short_runs_say_nothing_of_times() -> None:
    assert group([found(0, timed(1.0, 0.0199), timed(0.02, 0.02))]).time.runs == 1


def test_memory_is_that_of_fresh_processes() -> None:
    errors = group([found(0, timed(1, 1), timed(1, 1, fresh=False))]).memory
    assert (errors.runs, errors.median) == (1, pytest.approx(0.1))


def test_precision_is_measured_less_predicted() -> None:
    def precise(predicted: float, measured: float, misses: int = 0) -> Any:
        return run(
            predicted={"precision_bits": predicted}, measured={"precision_bits": measured}, misses=misses
        )

    exact = run(scheme="bfv", predicted={"precision_bits": None}, measured={"precision_bits": None})
    found_ = group([found(0, precise(20, 19), precise(20, 21, 1), precise(20, 20.5, 2), exact)]).precision
    assert (found_.runs, found_.missed_once, found_.missed_again) == (3, 2, 1)
    assert found_.median_difference == pytest.approx(0.5)


def test_groups_count_their_own_runs_and_the_last_counts_all() -> None:
    made = summary(
        [
            found(0, run("seal", "bfv"), run("openfhe", "bgv", "wrong")),
            found(1, run("seal", "bfv", "refused"), unfit=(Unfit("seal", "bgv", "too deep", {}, "right"),)),
            found(2, outcome="declined", message="app.py:3: the output result of a does not depend"),
            found(3, outcome="crashed", message="KeyError: 3", seconds=9.0),
        ]
    )
    by_name = {g.name: g for g in made.groups}
    assert by_name["seal bfv"].outcomes == {"right": 1, "refused": 1}
    assert made.total.outcomes == {"right": 1, "refused": 1, "wrong": 1}
    assert (by_name["seal bgv"].unfit, by_name["seal bgv"].refuted, made.total.doubted) == (1, 1, 1)
    assert made.faults == {"wrong": 1, "refused": 1, "refuted": 1, "declined": 1, "crashed": 1}
    assert made.exploring_seconds["most"] == 0.5  # of what was explored


def test_a_wrong_result_is_the_worst() -> None:
    assert exit_code([found(0, run())]) == 0
    assert exit_code([found(0, run(outcome="refused"))]) == 1
    assert exit_code([found(0, run(outcome="refused"), run(outcome="wrong"))]) == 3
    assert exit_code([found(0, run(outcome="not run"))]) == 0
