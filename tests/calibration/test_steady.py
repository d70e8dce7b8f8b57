"""Passes that go on while times fall, beside a machine whose load is made up."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fheasible.calibration.steady import (
    LEAST_PASSES,
    MOST_PASSES,
    TOLERANCE,
    Paced,
    falling,
    unsteady,
    until_steady,
)
from fheasible.measurement.job import Job
from fheasible.measurement.pace import PACE, reference_loop
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import Attempt, sample
from measurement.sampled_jobs import HELLO, a_job, a_measurement

QUIET = Paced(lambda job: Attempt("refused"), lambda: 1.0)
Slowed = Callable[[Job, int], float]  # by the number of the pass


def campaign(slower: Slowed) -> tuple[list[Job], list[tuple[str, int]], Callable[..., list[Record]]]:
    """Jobs, what was run of them, and how to run them on a machine that load makes slower."""
    jobs, done = [a_job("one"), a_job("another"), a_job("third")], list[tuple[str, int]]()

    def sampled(wanted: Sequence[Job], first: int, passes: int) -> list[Record]:
        found = []
        for number in range(first, passes):

            def run(job: Job, number: int = number) -> Attempt:
                done.append((job.label, number))
                times = np.full((2, 4, 2), slower(job, number))
                return Attempt("measured", "", a_measurement(times), HELLO)

            found += sample(wanted, None, "made up", number + 1, run=run, first=number)
        return found

    return jobs, done, sampled


def passes_of(done: Sequence[tuple[str, int]], label: str) -> list[int]:
    return [number for name, number in done if name == label]


def test_on_a_quiet_machine_two_passes_are_enough() -> None:
    jobs, done, sampled = campaign(lambda job, number: 1e-3 * (1 + number * TOLERANCE / 2))
    records = until_steady(jobs, sampled, QUIET)
    assert len(done) == len(records) == LEAST_PASSES * len(jobs)


def test_a_run_that_was_disturbed_is_made_again_until_two_passes_agree() -> None:
    """The first pass of one job was quiet, its second and third were not; those of the others were."""
    slower = {0: 1.0, 1: 1.4, 2: 1.2, 3: 1.001, 4: 1.0}
    jobs, done, sampled = campaign(lambda job, n: 1e-3 * (slower[n] if job.label == "one" else 1))
    records = until_steady(jobs, sampled, QUIET)
    assert passes_of(done, "one") == [0, 1, 2, 3]
    assert passes_of(done, "another") == passes_of(done, "third") == [0, 1]
    assert unsteady(records, {}) == {}


def test_what_never_agrees_is_given_up_and_said() -> None:
    """Each pass takes 30 % less than the one before: the last one lowers what the others show by 1/0.7."""
    jobs, done, sampled = campaign(lambda job, n: 0.7**n if job.label == "one" else 1e-3)
    records = until_steady(jobs, sampled, QUIET)
    assert passes_of(done, "one") == list(range(MOST_PASSES))
    found = unsteady(records, {})
    assert set(found) == {jobs[0].key}
    assert found[jobs[0].key] == pytest.approx(1 / 0.7 - 1, rel=0.01)


def test_a_run_beside_which_the_reference_loop_was_never_at_its_best_is_made_again() -> None:
    """Passes that agree may all have been disturbed alike."""
    jobs, done, sampled = campaign(lambda job, number: 1e-3)
    beside = {job.key: [1.0] for job in jobs} | {jobs[1].key: [PACE + 0.05, PACE + 0.3]}
    paced = Paced(QUIET.run, QUIET.loop, beside)
    records = until_steady(jobs, sampled, paced)
    assert passes_of(done, "another") == list(range(MOST_PASSES))
    assert passes_of(done, "one") == [0, 1]
    assert unsteady(records, paced.slowed) == {jobs[1].key: pytest.approx(PACE + 0.05 - 1)}


def test_the_loop_runs_before_and_after_each_run_and_the_longer_counts() -> None:
    seconds = iter([1.0, 3.0, 2.0, 2.5, 4.0, 1.0])
    paced = Paced(lambda job: Attempt("refused"), lambda: next(seconds))
    one, another = a_job("one"), a_job("another")
    for job in (one, one, another):
        assert paced(job).outcome == "refused"
    assert paced.beside == {one.key: [3.0, 2.5], another.key: [4.0]}
    assert paced.slowed == {one.key: 0.0, another.key: 4.0 / 2.5 - 1}
    assert paced.least == 2.5
    assert Paced(paced.run, paced.loop).least is None


def test_how_much_the_quietest_pass_lowers_the_others() -> None:
    """Operation by operation: the others show 4 + 3, all of them 4 + 2."""
    assert falling(np.array([[5.0, 3.0], [4.0, 4.0], [4.0, 2.0]])) == pytest.approx(7 / 6 - 1)
    assert falling(np.array([[1.0, 2.0], [1.0, 2.0]])) == 0
    assert falling(np.array([[1.0, 2.0]])) == 1.0


def test_the_reference_loop_takes_some_time() -> None:
    assert 0 < reference_loop() < 60
