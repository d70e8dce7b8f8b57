"""A study on the hosts of a Dask cluster, whose processes are killed with kill -9."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from dask_cluster import (
    LIMIT,
    OTHER,
    answered,
    cluster,
    coordinator,
    kill_a_host,
    needs_dask,
    wait_until,
)  # fmt: skip
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store
from fheasible.studies.catalogue import study
from fheasible.studies.results import of_any_machine

NAME, EXPERIMENT = "ckks-vs-bfv", "bfv-seal"
CELLS = study(NAME).experiment(EXPERIMENT).chosen(quick=True)

pytestmark = [needs_dask, pytest.mark.worker]


def start(folder: Path, address: str, *words: str) -> "subprocess.Popen[bytes]":
    return coordinator(
        folder, "study", "run", NAME, "--quick", "--only", EXPERIMENT, *words, "--cluster", address,
        "--store", str(folder / "results.sqlite"),
    )  # fmt: skip


def executed(folder: Path) -> Counter[str]:
    """How often each cell of the experiment was executed, on whatever machine."""
    with Store.open(folder / "results.sqlite") as store:
        rows = list(study(NAME).experiment(EXPERIMENT).stored(NAME, store))
    return Counter(row.cell.key for row in rows)


def test_every_cell_is_executed_by_one_host_and_by_none_again(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", f"b{OTHER}"]) as address:
        answered(start(tmp_path, address))
        assert executed(tmp_path) == dict.fromkeys((cell.key for cell in CELLS), 1)
        again = answered(start(tmp_path, address))
    assert (again["stored_before"], again["executed"]) == (len(CELLS), 0)
    with Store.open(tmp_path / "results.sqlite") as store:
        rows = of_any_machine(store, NAME, [study(NAME).experiment(EXPERIMENT)])[EXPERIMENT]
    machines = {row.machine for row in rows.values()}
    assert len(machines) == 2
    assert this_machine().fingerprint in machines


@pytest.mark.slow
def test_a_host_that_is_killed_loses_the_cell_that_it_was_at_and_nothing_else(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", "b"]) as address:
        started = start(tmp_path, address)
        kill_a_host(tmp_path)
        answered(started)
    assert executed(tmp_path) == dict.fromkeys((cell.key for cell in CELLS), 1)
    assert (tmp_path / "errors.txt").read_text().count("is run again") == 1


@pytest.mark.slow
def test_a_coordinator_that_is_killed_and_started_again_executes_nothing_twice(tmp_path: Path) -> None:
    with cluster(tmp_path, ["a", "b"]) as address:
        started = start(tmp_path, address)
        wait_until(tmp_path, lambda: bool(executed(tmp_path)))
        started.kill()
        started.communicate()
        answered(start(tmp_path, address))
    assert executed(tmp_path) == dict.fromkeys((cell.key for cell in CELLS), 1)


def test_hosts_are_refused_where_nothing_is_run(tmp_path: Path) -> None:
    started = start(tmp_path, "tcp://127.0.0.1:1", "--predict-only")
    assert b"--predict-only runs none" in started.communicate(timeout=LIMIT)[0]
    assert started.returncode == 2
