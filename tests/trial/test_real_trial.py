"""A trial with all libraries that are installed finds no fault: a small one always, a large one where there
is time. The full target is 2,000 applications (`fheasible trial --count 2000`)."""

from pathlib import Path

import pytest

from fheasible.measurement import registry
from fheasible.store.store import Store
from fheasible.trial.campaign import trial
from fheasible.trial.runner import Scope

HERE = tuple(name for name in ("seal", "openfhe", "lattigo") if registry.command(name).installed)
needs_libraries = pytest.mark.skipif(not HERE, reason="no library is installed")


def faults(folder: Path, seed: int, count: int, most_seconds: float) -> list[str]:
    """What is to be mended, a line each."""
    scope = Scope(HERE, most_seconds=most_seconds, most_bytes=2 * 2**30, store=folder / "results.sqlite")
    with Store.open(folder / "results.sqlite") as store:
        found = list(trial(seed, range(count), scope, store))
    assert sum(len(f.runs) for f in found) > count
    return [f"{f.app['name']}: {fault}" for f in found for fault in f.faults]


@pytest.mark.worker
@needs_libraries
def test_a_small_trial_finds_no_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, seed=0, count=40, most_seconds=1.0) == []


@pytest.mark.worker
@pytest.mark.slow
@needs_libraries
def test_a_large_trial_finds_no_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, seed=1, count=400, most_seconds=10.0) == []
