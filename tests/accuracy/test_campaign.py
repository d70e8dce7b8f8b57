"""A campaign says what it still needs, goes on where it stopped, and tells stored runs apart."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from accuracy.made import a_job, a_measurement, a_record, hello, insecure, measuring, told
from fheasible.accuracy import campaign
from fheasible.accuracy.campaign import PASSES, Campaign, expected_seconds, name, outlook, run, stored
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.job import Job
from fheasible.measurement.sampled import Record, to_row
from fheasible.measurement.sampling import Attempt
from fheasible.store.store import Store

JOBS = tuple(a_job(insecure(limbs=limbs), label=f"{limbs} limbs") for limbs in (2, 3, 4))
PROFILES = {"seal": told(other=1e-3), "lattigo": told("lattigo", other=1e-3)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def test_a_second_call_runs_nothing_again(store: Store) -> None:
    done: list[Job] = []
    small, whole = Campaign("c", JOBS[:1]), Campaign("c", JOBS)
    run(small, store, PROFILES, attempted=measuring(done))
    assert len(done) == PASSES
    records = run(whole, store, PROFILES, attempted=measuring(done))
    assert len(done) == PASSES * len(JOBS)
    assert sorted((r.key, r.number) for r in records) == sorted(
        (j.key, n) for j in JOBS for n in range(PASSES)
    )


def test_the_outlook_counts_what_is_stored_and_the_seconds_of_what_is_not(store: Store) -> None:
    whole = Campaign("c", JOBS)
    before = outlook(whole, store, PROFILES)
    assert (before.runs, before.stored) == (PASSES * len(JOBS), 0)
    run(Campaign("c", JOBS[:1]), store, PROFILES, attempted=measuring([]))
    after = outlook(whole, store, PROFILES)
    assert (after.runs, after.stored) == (before.runs, PASSES)
    gone = PASSES * expected_seconds(JOBS[0], PROFILES["seal"])
    assert after.seconds == pytest.approx(before.seconds - gone)
    assert (before + after).runs == 2 * before.runs


def test_an_interrupted_pass_is_what_the_outlook_leaves(store: Store) -> None:
    def interrupted(job: Job) -> Attempt:
        if len(done) == len(JOBS) + 1:
            raise KeyboardInterrupt
        done.append(job)
        return Attempt("measured", "", a_measurement(job), hello(job.library))

    done: list[Job] = []
    whole = Campaign("c", JOBS)
    with pytest.raises(KeyboardInterrupt):
        run(whole, store, PROFILES, attempted=interrupted)
    left = outlook(whole, store, PROFILES)
    assert (left.runs, left.stored) == (PASSES * len(JOBS), len(JOBS) + 1)
    run(whole, store, PROFILES, attempted=measuring(done))
    assert len(done) == PASSES * len(JOBS)


def test_a_run_is_expected_to_take_its_keys_its_repetitions_and_its_start() -> None:
    """Two repetitions and a warm-up of five operations of 1 ms each (decryption is one), and the keys."""
    quick, slow = told(other=0.0), told(other=1e-3)
    job = JOBS[0]
    (start,) = {expected_seconds(job, quick)}
    assert expected_seconds(job, slow) - start == pytest.approx(1.5 * (3 * 5e-3 + 1e-3))


def test_progress_is_told_in_expected_seconds_and_ends_at_their_sum(store: Store) -> None:
    told_so_far: list[tuple[str, float, float]] = []
    whole = Campaign("c", JOBS)
    expected = outlook(whole, store, PROFILES).seconds
    run(whole, store, PROFILES, lambda *said: told_so_far.append(said), measuring([]))
    assert [total for _, _, total in told_so_far] == pytest.approx([expected] * len(told_so_far))
    assert all(a <= b for (_, a, _), (_, b, _) in pairwise(told_so_far))
    assert told_so_far[-1][1] == pytest.approx(expected)


def test_the_check_of_a_campaign_decides_on_right_and_wrong(store: Store) -> None:
    checked = Campaign("c", JOBS[:1], lambda job, measured: {"correct": False})
    assert {r.outcome for r in run(checked, store, PROFILES, attempted=measuring([]))} == {"wrong"}


def test_the_name_changes_with_the_version_of_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    before = name("operations")
    assert before != name("applications")
    newer = replace(CATALOGUE["seal"], version="99.0")
    monkeypatch.setattr(campaign, "CATALOGUE", CATALOGUE | {"seal": newer})
    assert name("operations") != before


def test_stored_runs_are_those_of_the_libraries_and_schemes_and_of_this_machine(store: Store) -> None:
    for library in ("seal", "lattigo"):
        job = a_job(insecure(library))
        _keep(store, a_record(job, a_measurement(job)))
    elsewhere = a_record(JOBS[1], a_measurement(JOBS[1]))
    _keep(store, replace(elsewhere, environment=elsewhere.environment | {"machine": "another"}))
    every = stored("operations", store, CATALOGUE.values())
    assert sorted(r.library for r in every) == ["lattigo", "seal"]
    (one,) = stored("operations", store, [CATALOGUE["seal"]])
    assert one.library == "seal"
    assert stored("operations", store, [replace(CATALOGUE["seal"], schemes=("bfv",))]) == []
    assert stored("applications", store, CATALOGUE.values()) == []


def _keep(store: Store, record: Record) -> None:
    kept = replace(record, campaign=name("operations"))
    store.add_sample(to_row(kept), kept.environment)
