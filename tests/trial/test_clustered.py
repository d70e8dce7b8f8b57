"""A trial on the hosts of a Dask cluster, interrupted by kill -9."""

import json
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from dask_cluster import cluster
from fheasible.measurement import registry
from fheasible.store.store import Store
from fheasible.trial.campaign import key
from fheasible.trial.runner import Scope

COUNT = 8
LIMIT = 240.0  # seconds


def start(place: Path, address: str) -> "subprocess.Popen[bytes]":
    main = "import fheasible_start as s, sys; sys.argv[0] = 'fheasible'; sys.exit(s.main())"
    argv = [sys.executable, "-c", main, "trial", "--count", str(COUNT), "--seed", "3", "--json"]
    argv += ["--library", "seal", "--no-doubts", "--cluster", address, "--store", str(place)]
    errors = (place.parent / "errors.txt").open("ab")
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors, cwd=place.parent)


@pytest.mark.skipif(
    not find_spec("distributed") or not registry.command("seal").installed,
    reason="needs the extra distributed, and SEAL",
)
@pytest.mark.worker
@pytest.mark.slow
def test_a_coordinator_that_is_killed_and_started_again_tries_nothing_twice(tmp_path: Path) -> None:
    place, name = tmp_path / "results.sqlite", key(3, Scope(("seal",), doubts=False))
    with cluster(tmp_path, ["a", "b", "c"]) as address, Store.open(place) as store:
        coordinator, late = start(place, address), time.monotonic() + LIMIT
        while len(store.trials(name)) < 2:
            assert time.monotonic() < late, (tmp_path / "errors.txt").read_text()
            time.sleep(0.1)
        coordinator.kill()
        coordinator.communicate()
        again = start(place, address)
        out, _ = again.communicate(timeout=LIMIT)
        assert json.loads(out)["summary"]["applications"] == COUNT
        assert sorted(row.number for row in store.trials(name)) == list(range(COUNT))
