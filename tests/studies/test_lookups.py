"""Experiments that run an application with sets of a library of table look-ups."""

import json
from pathlib import Path

import pytest

from fheasible.calibration.lookup_profiles import default_lookup_profile
from fheasible.exploration.lookups.chosen import chosen
from fheasible.exploration.reasons.recorded import circuit_digest
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.measurement.environment import observe
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import this_machine
from fheasible.measurement.registry import command
from fheasible.store.rows import Entry
from fheasible.store.store import Store
from fheasible.studies import results
from fheasible.studies.experiment import StudyPlan
from fheasible.studies.lookups import LookupExperiment

APP = """
import fheasible as fh

n = 2

@fh.app(x=fh.reals(n, low=-1, high=1), y=fh.reals(n, low=-1, high=1))
def products(x, y):
    return x * y
"""
LIBRARY = "tfhe_rs"
SET = "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"


@pytest.fixture
def products(tmp_path: Path) -> LookupExperiment:
    """Two precisions at two lengths; a fraction of 49 bits is refused."""
    path = tmp_path / "products.py"
    path.write_text(APP)
    return LookupExperiment(
        name="products", title="Products", app=path, library=LIBRARY,
        settings=("fraction=2,6,49", f"set={SET}"), numbers=("n=1,3",),
        quick=lambda told: told["fraction"] == "2", repetitions=2,
    )  # fmt: skip


def invented(store: Store, experiment: LookupExperiment, **environment: object) -> int:
    """A row as a run of the first cell would leave it, under that environment."""
    cell = experiment.cells[0]
    problem = experiment.problem(cell)
    c = chosen(problem, lookup_library(LIBRARY), None, {"fraction": "2", "set": SET}, experiment.wish, None)
    names = ("keygen", "encrypt", "evaluate", "decrypt", "total")
    times = {name: {"min": 1.0, "median": 1.0, "samples": [1.0], "mad": 0.0} for name in names}
    body = {"cpu_seconds": times, "wall_seconds": times, "repetitions": 2, "peak_bytes": 1}
    entry = Entry(
        "products", circuit_digest(problem.circuit), LIBRARY, "tfhe", c.settings, {}, "measured", None, body
    )
    here = observe(LIBRARY, 1, 0).finished().to_json() | {"version": "1.8.2"}
    return store.add_measurement(entry, here | environment)


def loaded(store: Store, experiment: LookupExperiment) -> results.Results:
    return results.load(
        store, "toy", [experiment], this_machine().fingerprint, {LIBRARY: default_lookup_profile(LIBRARY)}
    )  # type: ignore[dict-item]


def test_cells_are_the_numbers_with_the_settings(products: LookupExperiment) -> None:
    told = [(c.parameters["n"], c.parameters["fraction"], c.quick) for c in products.cells]
    assert told == [(1, 2, True), (1, 6, False), (1, 49, False), (3, 2, True), (3, 6, False), (3, 49, False)]


def test_a_prediction_grows_with_elements_and_precision(products: LookupExperiment, store: Store) -> None:
    there = loaded(store, products)
    found = {(b.cell.parameters["n"], b.cell.parameters["fraction"]): b for b in there.beside(products)}
    assert "from 0 to 48" in found[1, 49].prediction.refused
    assert found[3, 2].predicted("lookups") == 3 * found[1, 2].predicted("lookups")
    assert found[1, 6].predicted("cpu_seconds") > found[1, 2].predicted("cpu_seconds")
    assert found[3, 6].predicted("precision_bits") > found[3, 2].predicted("precision_bits") > 0


def test_stored_runs_of_the_same_set_count_under_the_same_conditions(
    products: LookupExperiment, store: Store
) -> None:
    limit = MemoryLimit(1 << 30)
    invented(store, products, memory_limit=limit.to_json())
    invented(store, products, seed=5)
    assert not loaded(store, products).of(products)
    number = invented(store, products)
    (row,) = loaded(store, products).of(products)
    assert (row.number, row.cell, row.figures["cpu_seconds"]) == (number, products.cells[0], 1.0)


@pytest.mark.worker
def test_a_run_is_as_precise_as_predicted(products: LookupExperiment, store: Store) -> None:
    if not command(products.library).installed:
        pytest.skip(f"{products.library} is not built: make tfhe")
    cell = products.cells[0]
    row = products.execute("toy", cell, StudyPlan(1), store)
    assert row.outcome == "measured"
    (b, *_) = loaded(store, products).beside(products)
    assert b.row is not None
    assert b.row.number == row.number
    assert b.measured("precision_bits") == pytest.approx(b.predicted("precision_bits"), abs=1e-9)
    assert b.measured("evaluation_key_bytes") == b.predicted("evaluation_key_bytes")
    assert json.loads(json.dumps(row.measurement))["repetitions"] >= 1


def test_a_set_larger_than_the_allowed_memory_is_refused(products: LookupExperiment, store: Store) -> None:
    row = products.execute("toy", products.cells[0], StudyPlan(1, max_memory_bytes=1 << 20), store)
    assert row.outcome == "refused"
    assert not loaded(store, products).of(products)
