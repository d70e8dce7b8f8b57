"""Experiments that sweep a library for an application: their sets are those of `fheasible sweep`."""

from dataclasses import replace
from pathlib import Path

import pytest

from fheasible.calibration.defaults import default_profile
from fheasible.exploration.judging.candidate import parameters_json
from fheasible.exploration.sweeps import swept
from fheasible.exploration.sweeps.cells import cells
from fheasible.exploration.sweeps.measuring import MeasuringWish, measured
from fheasible.measurement.environment import observe
from fheasible.measurement.machine import this_machine
from fheasible.program.digest import digest
from fheasible.store.rows import Entry
from fheasible.store.store import Store
from fheasible.studies import results, running
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.experiment import NotRun

APP = """
import fheasible as fh

n = 512

@fh.app(x=fh.reals(n, low=0, high=1))
def squares(x):
    return x * x
"""
LIBRARY = "seal"
FIRST = {"scale_bits": 25}


@pytest.fixture
def squares(tmp_path: Path) -> AppliedExperiment:
    """Three sets, of which the last is refused: no prime has 61 bits. INSECURE."""
    path = tmp_path / "squares.py"
    path.write_text(APP)
    return AppliedExperiment(
        name="squares", title="Squares", app=path, library=LIBRARY, scheme="ckks",
        vary=("scale_bits=25,35,61",), fix=("security=none", "ring_dimension=2048"),
        quick=lambda told: told["scale_bits"] == "25", repetitions=2, quick_repetitions=1,
    )  # fmt: skip


def stored(store: Store, experiment: AppliedExperiment) -> results.Results:
    profiles = {LIBRARY: found} if (found := default_profile(LIBRARY)) else {}
    return results.load(store, "toy", [experiment], this_machine().fingerprint, profiles)


def invented(
    store: Store, experiment: AppliedExperiment, outcome: str = "measured", **environment: object
) -> int:
    """A row as a run of the first set would leave it, under that environment."""
    (first, *_) = cells(experiment.grid, experiment.problem, experiment.wish, None)
    c = first.candidate
    assert c is not None
    times = {name: {"min": 1.0, "median": 1.0, "samples": [1.0], "mad": 0.0} for name in
             ("keygen", "encrypt", "evaluate", "decrypt", "total")}  # fmt: skip
    body = {"cpu_seconds": times, "wall_seconds": times, "repetitions": 2, "peak_bytes": 1}
    entry = Entry(
        first.problem.circuit.name, digest(c.program), LIBRARY, "ckks", c.settings,
        parameters_json(c.parameters), outcome, None, body if outcome == "measured" else None,
    )  # fmt: skip
    here = observe(LIBRARY, 1, 0).finished().to_json() | {"version": "4.4.0"}
    return store.add_measurement(entry, here | environment)


def test_predictions_are_those_of_a_sweep(squares: AppliedExperiment) -> None:
    profile = default_profile(LIBRARY)
    assert profile is not None
    told = list(squares.predictions({LIBRARY: profile}).values())
    theirs = list(cells(squares.grid, squares.problem, squares.wish, profile))
    assert [p.figures for p in told] == [swept.predicted(c.candidate) for c in theirs]
    assert [p.refused for p in told] == [c.refused for c in theirs]
    assert [bool(p.refused) for p in told] == [False, False, True]


def test_a_set_that_the_library_refuses_is_never_a_step(store: Store, squares: AppliedExperiment) -> None:
    todo = running.steps([squares], False, stored(store, squares))
    assert sorted(step.cell.parameters["scale_bits"] for step in todo) == [25, 35]
    assert len(running.steps([squares], True, stored(store, squares))) == 1


def test_a_result_that_a_sweep_has_stored_counts(store: Store, squares: AppliedExperiment) -> None:
    number = invented(store, squares)
    (row,) = stored(store, squares).of(squares)
    assert (row.number, row.repetitions, row.figures["cpu_seconds"]) == (number, 2, 1.0)
    assert row.cell.parameters["scale_bits"] == 25


@pytest.mark.parametrize(
    "changed", [{"threads": 2}, {"seed": 1}, {"memory_limit": {"bytes": 2**30, "swap_bytes": None}}]
)
def test_a_result_under_other_conditions_does_not_count(
    store: Store, squares: AppliedExperiment, changed: dict[str, object]
) -> None:
    invented(store, squares, **changed)
    assert stored(store, squares).of(squares) == ()


def test_results_of_other_machines_and_versions_stand_beside_those_of_this_one(
    store: Store, squares: AppliedExperiment
) -> None:
    invented(store, squares, machine="another", cpu="Another")
    invented(store, squares, version="4.3.0")
    number = invented(store, squares)
    found = stored(store, squares)
    assert [row.number for row in found.of(squares)] == [number]
    assert {(o.machine, o.version) for o in found.others} == {
        ("another", "4.4.0"),
        (this_machine().fingerprint, "4.3.0"),
    }


def test_an_attempt_that_never_said_its_version_hides_no_result(
    store: Store, squares: AppliedExperiment
) -> None:
    number = invented(store, squares)
    invented(store, squares, "died", version=None)
    assert [row.number for row in stored(store, squares).of(squares)] == [number]


def test_a_quick_run_is_enough_although_the_library_refuses_a_set(
    store: Store, squares: AppliedExperiment
) -> None:
    refused_too = replace(squares, quick=lambda told: True, vary=("scale_bits=25,61",))
    with pytest.raises(NotRun, match="1 sets are missing"):
        stored(store, refused_too).needed(refused_too)
    number = invented(store, refused_too)
    assert [row.number for row in stored(store, refused_too).needed(refused_too)] == [number]


@pytest.mark.worker
def test_a_run_is_stored_as_a_sweep_would_and_not_repeated(store: Store, squares: AppliedExperiment) -> None:
    there = stored(store, squares)
    first = running.whole(store, "toy", running.steps([squares], False, there), there)
    assert [row.outcome for row in first.rows] == ["measured", "measured"]
    there = stored(store, squares)
    again = running.whole(store, "toy", running.steps([squares], False, there), there)
    assert (again.kept, again.rows) == (2, [])
    swept_again = cells(squares.grid, squares.problem, squares.wish, None)
    runs = list(measured(list(swept_again), MeasuringWish(repetitions=2), store, lambda *_: None))
    assert [run.stored_before for run in runs if run is not None] == [True, True]
    (one, _) = there.measured(squares)
    assert one.error("ciphertext_bytes") == 0
    assert abs(one.predicted("precision_bits") - one.measured("precision_bits")) < 3
