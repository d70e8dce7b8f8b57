"""Sweeps on the hosts of a Dask cluster: real schedulers, workers and coordinators, some of them killed."""

import json
import sqlite3
import subprocess
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dask_cluster import (
    answered,
    cluster,
    coordinator,
    kill_a_host,
    kill_a_library,
    needs_dask,
    wait_until,
)
from fheasible.api.asking import problem_of
from fheasible.errors import ClusterError, KilledForMemory, StoreError, WorkerDied
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps import clustered, measuring
from fheasible.exploration.sweeps.cells import Cell, CellGrid, cell_grid, cells
from fheasible.exploration.sweeps.clustered import OnCluster
from fheasible.exploration.sweeps.measuring import MeasuringWish
from fheasible.libraries.catalogue import library
from fheasible.measurement import shared_store
from fheasible.measurement.environment import observe
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import this_machine
from fheasible.measurement.shared_store import place_for_hosts
from fheasible.program.digest import digest
from fheasible.store.rows import Entry
from fheasible.store.store import Store

FILE = """import fheasible as fh

@fh.app(x=fh.reals(8, low=0, high=1))
def roots(x):
    return fh.sum(fh.sqrt(x + 1, low=1, high=2))
"""
SETS = 8
VARY = ("--vary", "scale_bits=30:37", "--fix", "ring_dimension=16384")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "roots.py").write_text(FILE)
    return tmp_path / "results.sqlite"


def start(place: Path, address: str, repetitions: int = 10) -> "subprocess.Popen[bytes]":
    return coordinator(
        place.parent, "sweep", "roots.py", "--library", "seal", *VARY, "--execute", "--repetitions",
        str(repetitions), "--cluster", address, "--store", str(place),
    )  # fmt: skip


def answer(started: "subprocess.Popen[bytes]", code: int = 0) -> list[dict[str, Any]]:
    return [s["executed"] for s in answered(started, code)["sets"]]


def rows(place: Path, query: str) -> list[Any]:
    """What a query of the store gives; nothing where the store is not made yet."""
    if not place.exists():
        return []
    connection = sqlite3.connect(f"file:{place}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def until(place: Path, query: str, least: int) -> None:
    wait_until(place.parent, lambda: len(rows(place, query)) >= least)


MEASURED = "SELECT id FROM measurements WHERE outcome = 'measured'"


def measured_once(place: Path) -> bool:
    """Whether every set has one result, and no more."""
    with Store.open(place) as store:
        results = store.measurements("roots", outcome="measured")
    counts = Counter(json.dumps(row.entry.request, sort_keys=True) for row in results)
    return len(counts) == SETS and set(counts.values()) == {1}


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_host_that_is_killed_loses_the_set_that_it_was_at_and_nothing_else(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        started = start(place, address)
        until(place, MEASURED, 2)
        kill_a_host(place.parent)
        runs = answer(started)
    assert [run["outcome"] for run in runs] == ["measured"] * SETS
    assert len({run["result"] for run in runs}) == SETS
    assert measured_once(place)
    assert (place.parent / "errors.txt").read_text().count("is run again") == 1


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_coordinator_that_is_killed_and_started_again_measures_nothing_twice(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        started = start(place, address)
        until(place, MEASURED, 2)
        started.kill()
        started.communicate()
        runs = answer(start(place, address))
    assert [run["outcome"] for run in runs] == ["measured"] * SETS
    assert sum(run["stored_before"] for run in runs) >= 2
    assert measured_once(place)


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_library_that_is_killed_is_a_set_that_died_and_the_next_call_runs_it_again(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        started = start(place, address)
        until(place, MEASURED, 1)
        kill_a_library(place.parent)
        runs = answer(started, code=1)
        assert Counter(run["outcome"] for run in runs) == {"measured": SETS - 1, "died": 1}
        runs = answer(start(place, address))
    assert [run["outcome"] for run in runs] == ["measured"] * SETS
    assert sum(run["stored_before"] for run in runs) == SETS - 1
    assert measured_once(place)


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_machine_runs_one_set_at_a_time_whatever_workers_and_threads_it_has(place: Path) -> None:
    with cluster(place.parent, ["", ""]) as address:
        answer(start(place, address, repetitions=2))
    with Store.open(place) as store:
        times = sorted(
            (row.environment["started"], row.environment["finished_at"]) for row in store.measurements()
        )
    assert len(times) == SETS
    assert all(ended <= begun for (_, ended), (begun, _) in pairwise(times))


class AtOnce:
    """A client of one host, this process, which does each piece at once."""

    status = "running"

    def nthreads(self) -> Any:
        return {"here": 1}

    def run(self, function: Any, *arguments: Any, **_: Any) -> Any:
        return {"here": function(*arguments)}

    def submit(self, function: Any, *arguments: Any, **_: Any) -> Any:
        result = function(*arguments)
        return SimpleNamespace(
            status="finished", done=lambda: True, result=lambda: result, cancel=lambda: None
        )


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The scales of the sets that were run. Each run dies, and is stored."""
    scales: list[int] = []

    def prove(problem: Problem, c: Candidate, _: Any, seed: int, store: Store, **__: Any) -> Any:
        scales.append(c.settings["scale_bits"])
        error = WorkerDied("killed", "try again")
        set_ = Entry(problem.circuit.name, digest(c.program), c.library, c.scheme, c.settings,
                     parameters_json(c.parameters), "died", c.estimate.to_json(), None, "killed")  # fmt: skip
        error.number = store.add_measurement(set_, observe(c.library, 1, seed).to_json())
        raise error

    monkeypatch.setattr(measuring, "prove", prove)
    monkeypatch.setattr(shared_store.registry, "command", lambda _: SimpleNamespace(installed=True))
    return scales


@pytest.mark.long
def test_killed_for_memory_is_done_under_that_limit_alone_on_a_cluster_as_well_as_without(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cloudpickle")
    begun: list[MemoryLimit | None] = []

    def prove(problem: Problem, c: Candidate, _: Any, seed: int, store: Store, **how: Any) -> Any:
        begun.append(how["memory"])
        error = KilledForMemory("too little", "give more")
        set_ = Entry(problem.circuit.name, digest(c.program), c.library, c.scheme, c.settings,
                     parameters_json(c.parameters), "killed for memory", c.estimate.to_json())  # fmt: skip
        at = observe(c.library, 1, seed, limit=how["memory"]).to_json()
        told = at | {"version": library(c.library).version}  # which the worker says in its hello
        error.number = store.add_measurement(set_, told)
        raise error

    monkeypatch.setattr(measuring, "prove", prove)
    monkeypatch.setattr(shared_store.registry, "command", lambda _: SimpleNamespace(installed=True))
    swept, made = grid(place, "scale_bits=30")
    small, large = MemoryLimit(64 << 20), MemoryLimit(64 << 20, swap_bytes=1 << 30)
    with Store.open(place) as store:
        for limit in (small, large, None):  # each by another way first
            wish = MeasuringWish(repetitions=1, memory=limit, anywhere=True)
            hosts = OnCluster(AtOnce(), swept, Wish(), wish, store, place_for_hosts(place), print)

            def here(wish: MeasuringWish = wish) -> list[Any]:
                return list(measuring.measured(made, replace(wish, anywhere=False), store, lambda *_: None))

            def there(hosts: OnCluster = hosts) -> list[Any]:
                return hosts.runs(made, lambda *_: None)

            ways = (here, there) if limit is large else (there, here)
            for way, before in zip((*ways, *ways), (False, True, True, True), strict=True):
                (run,) = way()
                assert (run.outcome, run.stored_before) == ("killed for memory", before)
    assert begun == [small, large, None]


def grid(place: Path, *vary: str) -> tuple[CellGrid, list[Cell]]:
    swept = cell_grid(library("seal"), "ckks", vary, ["ring_dimension=16384"], (), ())
    problem = problem_of(place.parent / "roots.py", None, 0)
    return swept, list(cells(swept, lambda _: problem, Wish(), None))


def on(swept: CellGrid, store: Store, place: Path) -> OnCluster:
    wish = MeasuringWish(repetitions=1, anywhere=True)
    return OnCluster(AtOnce(), swept, Wish(), wish, store, place_for_hosts(place), print)


@pytest.mark.long
def test_a_host_makes_the_set_again_with_its_own_profile_and_stores_it(place: Path, begun: list[int]) -> None:
    pytest.importorskip("cloudpickle")
    swept, made = grid(place, "scale_bits=30,35")
    with Store.open(place) as store:
        runs = on(swept, store, place).runs([*made, made[0]], lambda *_: None)
        assert [run.outcome if run else None for run in runs] == ["died"] * 3
        assert begun == [30, 35]  # equal sets are run once
        assert [run.number for run in runs if run] == [1, 2, 1]
        assert all(run.machine == this_machine().fingerprint for run in runs if run)
    assert made[0].candidate
    assert made[0].candidate.estimate.cpu_seconds is None  # the coordinator has no profile
    assert all(run.predicted["cpu_seconds"]["total"] for run in runs if run and run.predicted)  # the host has


def test_a_host_that_stores_elsewhere_is_found_out(
    place: Path, begun: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cloudpickle")
    monkeypatch.setattr(clustered, "store_file", lambda _: None)  # as for databases on servers
    swept, made = grid(place, "scale_bits=30,35")
    with Store.open(place) as store, pytest.raises(StoreError, match="in another place") as caught:
        on(swept, store, place.with_name("other.sqlite")).runs(made, lambda *_: None)
    assert "PostgreSQL" in caught.value.remedy


@pytest.mark.long
def test_a_host_that_makes_another_set_is_left_out(
    place: Path, begun: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cloudpickle")
    swept, made = grid(place, "scale_bits=30,35")
    monkeypatch.setattr(clustered, "cells", lambda *_: [made[1]])  # as by another version
    with Store.open(place) as store, pytest.raises(ClusterError, match="makes another set here"):
        on(swept, store, place).runs(made[:1], lambda *_: None)
    assert begun == []
