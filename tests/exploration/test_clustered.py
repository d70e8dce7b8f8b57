"""Sweeps on the hosts of a Dask cluster: real schedulers, workers and coordinators, some of them killed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dask_cluster import NICE, cluster
from fheasible.measurement import registry
from fheasible.store.store import Store

FILE = """import fheasible as fh

@fh.app(x=fh.reals(8, low=0, high=1))
def roots(x):
    return fh.sum(fh.sqrt(x + 1, low=1, high=2))
"""
SETS = 8
VARY = ("--vary", "scale_bits=30:37", "--fix", "ring_dimension=16384")
LIMIT = 240.0  # seconds

needs_dask = pytest.mark.skipif(
    not find_spec("distributed") or not registry.command("seal").installed,
    reason="needs the extra distributed, and SEAL",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "roots.py").write_text(FILE)
    return tmp_path / "results.sqlite"


def start(place: Path, address: str, repetitions: int = 10) -> "subprocess.Popen[bytes]":
    """A coordinator as a process of its own."""
    main = "import fheasible_start as s, sys; sys.argv[0] = 'fheasible'; sys.exit(s.main())"
    argv = [*NICE, sys.executable, "-c", main, "sweep", "roots.py", "--library", "seal", *VARY, "--execute"]
    argv += ["--repetitions", str(repetitions), "--cluster", address, "--store", str(place), "--json"]
    errors = (place.parent / "errors.txt").open("ab")
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, cwd=place.parent)


def answer(coordinator: "subprocess.Popen[bytes]") -> list[dict[str, Any]]:
    out, _ = coordinator.communicate(timeout=LIMIT)
    assert coordinator.returncode == 0
    return [s["executed"] for s in json.loads(out)["sets"]]


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


def until(place: Path, query: str, least: int) -> list[Any]:
    late = time.monotonic() + LIMIT
    while len(found := rows(place, query)) < least:
        assert time.monotonic() < late, (place.parent / "errors.txt").read_text()
        time.sleep(0.05)
    return found


MEASURED = "SELECT id FROM measurements WHERE outcome = 'measured'"
BEGUN = "SELECT process FROM attempts"


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
        coordinator = start(place, address)
        until(place, MEASURED, 2)
        process = until(place, BEGUN, 1)[0][0]
        os.kill(int(process.split("/")[2]), signal.SIGKILL)
        runs = answer(coordinator)
    assert [run["outcome"] for run in runs] == ["measured"] * SETS
    assert len({run["result"] for run in runs}) == SETS
    assert measured_once(place)
    assert (place.parent / "errors.txt").read_text().count("is run again") == 1


@needs_dask
@pytest.mark.worker
@pytest.mark.slow
def test_a_coordinator_that_is_killed_and_started_again_measures_nothing_twice(place: Path) -> None:
    with cluster(place.parent, ["a", "b", "c"]) as address:
        coordinator = start(place, address)
        until(place, MEASURED, 2)
        coordinator.kill()
        coordinator.communicate()
        runs = answer(start(place, address))
    assert [run["outcome"] for run in runs] == ["measured"] * SETS
    assert sum(run["stored_before"] for run in runs) >= 2
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
