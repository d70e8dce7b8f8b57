"""A trial on the hosts of a Dask cluster, whose processes are killed with kill -9."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from dask_cluster import answered, cluster, coordinator, kill_a_host, kill_a_library, needs_dask, wait_until
from fheasible.store.store import Store
from fheasible.trial.campaign import key
from fheasible.trial.runner import Scope

COUNT = 8
NAME = key(6, Scope(("seal",), doubts=False))

pytestmark = [needs_dask, pytest.mark.worker, pytest.mark.slow]


def start(folder: Path, address: str) -> "subprocess.Popen[bytes]":
    return coordinator(
        folder, "trial", "--count", str(COUNT), "--seed", "6", "--library", "seal", "--no-doubts",
        "--shrink", "0", "--cluster", address, "--store", str(folder / "results.sqlite"),
    )  # fmt: skip


def answer(started: "subprocess.Popen[bytes]", code: int = 0) -> Any:
    return answered(started, code)["summary"]


def tried(folder: Path) -> list[int]:
    with Store.open(folder / "results.sqlite") as store:
        return sorted(row.number for row in store.trials(NAME))


def until(folder: Path, least: int) -> None:
    wait_until(folder, lambda: len(tried(folder)) >= least)


def test_a_coordinator_that_is_killed_and_started_again_tries_nothing_twice(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", "b", "c"]) as address:
        started = start(tmp_path, address)
        until(tmp_path, 2)
        started.kill()
        started.communicate()
        assert answer(start(tmp_path, address))["applications"] == COUNT
    assert tried(tmp_path) == list(range(COUNT))


def test_a_host_that_is_killed_loses_the_application_that_it_was_at_and_nothing_else(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", "b", "c"]) as address:
        started = start(tmp_path, address)
        until(tmp_path, 1)
        kill_a_host(tmp_path)
        assert answer(started)["applications"] == COUNT
    assert tried(tmp_path) == list(range(COUNT))
    assert (tmp_path / "errors.txt").read_text().count("is run again") == 1


def test_a_library_that_is_killed_is_the_outcome_of_its_application_alone(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", "b", "c"]) as address:
        started = start(tmp_path, address)
        until(tmp_path, 1)
        kill_a_library(tmp_path)
        summary = answer(started, code=1)
    assert tried(tmp_path) == list(range(COUNT))
    assert summary["groups"][-1]["outcomes"]["died"] == 1  # the last group is that of all runs
