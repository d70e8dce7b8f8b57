"""Accuracy on the hosts of a Dask cluster: real schedulers, workers and coordinators, some of them killed."""

import csv
import pickle
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accuracy.made import a_job, a_measurement, a_record, every_primitive, hello, insecure, told
from dask_cluster import (
    OTHER,
    answered,
    cluster,
    coordinator,
    kill_a_host,
    kill_a_library,
    needs_dask,
    other_machine,
    wait_until,
)
from fheasible.accuracy import clustered
from fheasible.accuracy.campaign import PASSES, Campaign, of_operations
from fheasible.accuracy.clustered import SentTurn, counted, fit, run_here
from fheasible.accuracy.evaluation import evaluate, evaluate_each
from fheasible.calibration.defaults import default_profile
from fheasible.calibration.profiles import save
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.machine import this_machine
from fheasible.measurement.sampled import Record, to_row
from fheasible.measurement.sampling import Attempt
from fheasible.store.store import Store

RUNS = of_operations([CATALOGUE["seal"]], quick=True)
COUNT = PASSES * len(RUNS.jobs)
HERE, THERE = this_machine().fingerprint, "feedfeedfeedfeed"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store with profiles of SEAL for two machines."""
    profile = default_profile("seal")
    assert profile
    with Store.open(tmp_path / "results.sqlite") as store:
        for machine in (HERE, other_machine()):
            save(store, replace(profile, machine=machine, origin=""))
    return tmp_path / "results.sqlite"


def start(place: Path, address: str, *words: str) -> "subprocess.Popen[bytes]":
    return coordinator(
        place.parent, "accuracy", "--quick", "--operations", "--library", "seal", "--cluster", address,
        "--store", str(place), *words,
    )  # fmt: skip


def stored(place: Path) -> list[Record]:
    with Store.open(place) as store:
        return clustered.records(store, RUNS.name)


def until(place: Path, least: int) -> None:
    wait_until(place.parent, lambda: len(stored(place)) >= least)


def measured_once(place: Path) -> bool:
    """Whether every run has been measured, and none twice."""
    counts = Counter((r.key, r.number) for r in stored(place) if r.outcome == "measured")
    return len(counts) == COUNT and set(counts.values()) == {1}


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_host_that_is_killed_loses_its_run_and_every_machine_is_named_and_judged(place: Path) -> None:
    table = place.parent / "figures.csv"
    with cluster(place.parent, ["a", "b", f"c{OTHER}"]) as address:
        started = start(place, address, "--csv", str(table))
        until(place, 3)
        kill_a_host(place.parent)
        found = answered(started)
    assert measured_once(place)
    assert (place.parent / "errors.txt").read_text().count("is run again") == 1
    machines = {r.machine for r in stored(place)}
    assert machines <= {HERE, other_machine()}
    assert {m["machine"] for m in found["machines"]} == machines
    assert sum(m["runs"] for m in found["machines"]) == COUNT
    assert {p["machine"] for p in found["profiles"]} == machines
    with table.open() as file:
        assert {row["machine"] for row in csv.DictReader(file)} <= machines


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_coordinator_that_is_killed_and_started_again_measures_nothing_twice(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        started = start(place, address)
        until(place, 4)
        started.kill()
        started.communicate()
        found = answered(start(place, address))
        again = answered(start(place, address))
    assert measured_once(place)
    assert found == again
    assert [m["runs"] for m in found["machines"]] == [COUNT]


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_library_that_is_killed_is_a_run_that_died_and_the_next_call_makes_it_again(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        started = start(place, address)
        until(place, 2)
        while "died" not in {r.outcome for r in stored(place)}:  # it may be killed just after its answer
            kill_a_library(place.parent)
            time.sleep(0.3)
        found = answered(started, code=1)
        died = len(found["failures"])
        assert {f["outcome"] for f in found["failures"]} == {"died"}
        assert len(stored(place)) == COUNT
        found = answered(start(place, address))
    assert found["failures"] == []
    assert measured_once(place)
    assert len(stored(place)) == COUNT + died


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    with Store.open(place) as opened:
        yield opened


JOB = a_job(insecure(), label="a run")
ONE = Campaign("c", (JOB,))


def keep(store: Store, outcome: str = "measured", machine: str = HERE, number: int = 0) -> None:
    record = a_record(JOB, a_measurement(JOB) if outcome == "measured" else None, number, outcome)
    record = replace(record, campaign="c", environment=record.environment | {"machine": machine})
    store.add_sample(to_row(record), record.environment)


def kept(store: Store) -> list[tuple[str, str, int]]:
    return [(r.outcome, r.machine, r.number) for r in counted(store, ONE)]


def test_a_run_counts_when_a_machine_with_a_profile_has_made_it(store: Store) -> None:
    keep(store, machine=THERE)
    assert kept(store) == []
    keep(store, "died")
    assert kept(store) == [("died", HERE, 0)]
    keep(store, machine=other_machine())
    assert kept(store) == [("measured", other_machine(), 0)]
    keep(store)
    assert sorted(kept(store)) == sorted([("measured", HERE, 0), ("measured", other_machine(), 0)])


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    done: list[str] = []

    def attempted(job: Any) -> Attempt:
        done.append(job.label)
        return Attempt("measured", "", a_measurement(job), hello(job.library))

    monkeypatch.setattr(clustered, "attempt", attempted)
    return done


def test_a_host_stores_its_run_and_makes_none_that_is_stored(place: Path, ran: list[str]) -> None:
    turns = ONE.turns
    for turn in (*turns, turns[0]):
        sent = pickle.dumps(SentTurn("c", turn, None, str(place)))
        assert run_here(sent) == "measured"
    assert ran == ["a run"] * PASSES
    with Store.open(place) as store:
        assert sorted(kept(store)) == [("measured", HERE, n) for n in range(PASSES)]


def test_a_host_without_a_profile_is_told_to_calibrate(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustered, "unfit", lambda *_: "")
    assert fit(("seal",), None, str(place)) == ""
    assert "fheasible calibrate --library lattigo there" in fit(("seal", "lattigo"), None, str(place))


def test_each_machine_is_judged_by_its_own_profile() -> None:
    grid = a_job(insecure(), every_primitive(insecure()))
    records = [a_record(grid, a_measurement(grid))]
    elsewhere = [replace(r, environment=r.environment | {"machine": THERE}) for r in records]
    good, bad = told(other=1e-3), told(other=2e-3)
    found = evaluate_each(records + elsewhere, [], {HERE: {"seal": good}, THERE: {"seal": bad}})
    assert {(o.machine, round(o.error, 6)) for o in found.operations} == {(HERE, 0.0), (THERE, 1.0)}
    assert [m.circumstances.machine for m in found.each if m.circumstances] == [HERE, THERE]
    assert [m["operations_errors"]["mean"] for m in found.to_json()["machines"]] == pytest.approx([0.0, 1.0])
    alone = evaluate_each(records, [], {HERE: {"seal": good}})
    assert alone == evaluate(records, [], {"seal": good})
