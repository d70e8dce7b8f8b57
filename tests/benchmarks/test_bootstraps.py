"""The precision that is predicted for bootstraps, beside what `benchmarks/bootstraps.py` has measured."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
MOST_OFF, MOST_OPTIMISTIC = 1.0, 0.5  # bits: on average, and of any set


@pytest.fixture(scope="module")
def bootstraps() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstraps", FOLDER / "bootstraps.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.long
def test_the_precision_of_measured_bootstraps_is_predicted(bootstraps: ModuleType) -> None:
    """Five sets of OpenFHE with N = 2^15 at least, and Lattigo's own sets of that size, are among them."""
    told = json.loads((FOLDER / "results" / "bootstraps.json").read_text())
    ran = {name: one["measured"]["precision_bits"] for name, one in told.items() if "measured" in one}
    assert sum(name.startswith("openfhe15") for name in ran) >= 5
    assert {"N15QP768H192H32", "N15QP880H16384H32"} <= set(ran)
    optimistic = {name: bootstraps.foreseen(name) - bits for name, bits in ran.items()}
    assert np.mean(np.abs(list(optimistic.values()))) < MOST_OFF
    assert max(optimistic.values()) < MOST_OPTIMISTIC, optimistic
