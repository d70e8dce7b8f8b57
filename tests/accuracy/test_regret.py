"""Regret is the recommended set's measured time over the least of all that were run, less one."""

from dataclasses import replace
from pathlib import Path

import pytest

from accuracy.made import a_measurement, a_record
from fheasible.accuracy.applications import ChosenRun, problem_of
from fheasible.accuracy.regret import regret, to_run
from fheasible.calibration.defaults import default_profile
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.sampled import Record

SQUARES = """
import fheasible as fh

@fh.app(x=fh.reals(8, low=0.5, high=1))
def squares(x):
    return x * x
"""
NAMES = ("seal", "openfhe")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    file = tmp_path_factory.mktemp("app") / "squares.py"
    Path(file).write_text(SQUARES)
    profiles = {name: p for name in NAMES if (p := default_profile(name)) is not None}
    libraries = [CATALOGUE[name] for name in NAMES]
    return explore(problem_of(file), Wish(precision=bits(15)), libraries, profiles)


@pytest.fixture
def choices(found: Exploration) -> list[ChosenRun]:
    return to_run(found, 6, 60.0)


def run_in(choice: ChosenRun, seconds: float, outcome: str = "measured", number: int = 0) -> Record:
    """A run whose encryptions, evaluation and decryption take a third of that each, and more the second
    time."""
    part = seconds / 3
    measured = a_measurement(choice.job, encrypt_phase=part, evaluate=part, decrypt=part, keygen=9.0)
    return a_record(choice.job, measured, number, outcome)


def recommended_first(found: Exploration, choices: list[ChosenRun]) -> list[ChosenRun]:
    return sorted(choices, key=lambda c: c.candidate is not found.best)


def test_half_are_the_quickest_predicted_and_the_recommended_is_among_them(
    found: Exploration, choices: list[ChosenRun]
) -> None:
    assert len(choices) == 6
    assert len({c.job.key for c in choices}) == 6
    assert found.best in {c.candidate for c in choices}
    least = sorted({c.cost("time") for c in found.candidates})[:2]
    assert {c.candidate.cost("time") for c in choices} >= {*least}


def test_sets_that_differ_in_their_primes_alone_are_run_once(choices: list[ChosenRun]) -> None:
    kinds = [
        (c.candidate.library, c.candidate.parameters.technique, c.candidate.cost("time")) for c in choices
    ]
    assert len(set(kinds)) == len(kinds)


def test_sets_that_take_too_long_are_not_run(found: Exploration) -> None:
    whole = [c.estimate.cpu_seconds["keygen"] + c.estimate.cpu_seconds["total"] for c in found.candidates]  # type: ignore[index]
    limit = sorted(whole)[len(whole) // 2]
    for choice in to_run(found, len(whole), limit):
        times = choice.candidate.estimate.cpu_seconds
        assert times is not None
        assert times["keygen"] + times["total"] <= limit


def test_the_regret_of_a_recommendation_that_takes_a_fifth_longer(
    found: Exploration, choices: list[ChosenRun]
) -> None:
    """Of the total without the keys, by the least over passes and repetitions."""
    choices = recommended_first(found, choices)
    seconds = [1.2, 1.3, 1.0, 1.4, 1.5, 1.6]
    records = [run_in(c, s, number=n) for n in (0, 1) for c, s in zip(choices, seconds, strict=True)]
    records[2] = run_in(choices[2], 5.0)  # disturbed in the first pass
    came = regret(choices, found, records)
    assert came.application == "squares, precision >= 15 bits"
    assert came.regret == pytest.approx(0.2)
    assert came.recommended.measured == pytest.approx(1.2)
    by_time = sorted(choices, key=lambda c: c.candidate.cost("time"))
    assert came.place == 1 + by_time.index(choices[2])
    assert came.best.label == choices[2].job.label


def test_orders_that_agree_correlate(found: Exploration, choices: list[ChosenRun]) -> None:
    by_cost = {c.candidate.cost("time"): c for c in choices}  # no two alike
    by_time = [by_cost[cost] for cost in sorted(by_cost)]
    assert len(by_time) > 3
    alike = [run_in(c, 1.0 + i) for i, c in enumerate(by_time)]
    other = [run_in(c, 10.0 - i) for i, c in enumerate(by_time)]
    first = replace(found, candidates=(by_time[0].candidate,))
    assert regret(choices, first, alike).agreement == pytest.approx(1)
    assert regret(choices, first, alike).regret == 0
    assert regret(choices, first, other).agreement == pytest.approx(-1)


def test_what_has_no_right_result_is_told_and_never_the_best(
    found: Exploration, choices: list[ChosenRun]
) -> None:
    choices = recommended_first(found, choices)
    records = [run_in(c, 1.0) for c in choices[:4]] + [run_in(choices[4], 0.1, "wrong")]
    came = regret(choices, found, records)
    assert set(came.failed) == {choices[4].job.label, choices[5].job.label}
    assert came.best.measured == pytest.approx(1.0)


def test_a_recommendation_without_a_right_result_is_no_regret(
    found: Exploration, choices: list[ChosenRun]
) -> None:
    choices = recommended_first(found, choices)
    records = [run_in(choices[0], 1.0, "wrong"), run_in(choices[1], 1.0)]
    with pytest.raises(ValueError, match="squares gave no right result"):
        regret(choices, found, records)
