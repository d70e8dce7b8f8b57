"""Cells are executed once, stored at once, and an interrupted run goes on."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.store.store import Store
from fheasible.studies import running
from fheasible.studies.experiment import StudyCell, StudyPlan
from fheasible.studies.own import ExecutedCell
from studies import toy

TESTS = Path(__file__).parents[1]


def outcomes(store: Store) -> list[str]:
    return [m.entry.outcome for m in store.measurements()]


def test_a_run_stores_every_cell_with_its_samples_and_environment(store: Store) -> None:
    outcome = toy.run(store)
    assert (outcome.kept, len(outcome.rows)) == (0, len(toy.SIZES))
    (first, *_) = store.measurements()
    assert first.entry.request["repetitions"] == 4
    assert len(first.entry.measurement["cpu_seconds"]["total"]["samples"]) == 4  # type: ignore[index]
    assert first.environment["cpu"]


def test_what_is_stored_is_not_executed_again(store: Store) -> None:
    toy.run(store)
    again = toy.run(store)
    assert (again.kept, again.rows) == (len(toy.SIZES), [])


@pytest.mark.long
@pytest.mark.parametrize("at", [1, 3, len(toy.SIZES)])
def test_a_run_whose_process_is_killed_loses_the_cell_at_hand_alone(tmp_path: Path, at: int) -> None:
    place = tmp_path / "results.sqlite"
    done = subprocess.run(
        [sys.executable, "-m", "studies.toy", str(place), str(at)],
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        check=False,
    )
    assert done.returncode < 0  # it was killed
    with Store.open(place) as store:
        assert len(store.measurements()) == at - 1
        rest = toy.run(store)
        assert (rest.kept, len(rest.rows)) == (at - 1, len(toy.SIZES) - at + 1)
        assert len(store.measurements()) == len(toy.SIZES)


def test_ctrl_c_keeps_what_was_stored(store: Store) -> None:
    def interrupted(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
        if cell.parameters["n"] == 64:
            raise KeyboardInterrupt
        return toy.execute(cell, plan)

    with pytest.raises(KeyboardInterrupt):
        toy.run(store, replace(toy.PRODUCTS, run=interrupted))
    before = len(store.measurements())
    assert 0 < before < len(toy.SIZES)
    assert len(toy.run(store).rows) == len(toy.SIZES) - before


def test_a_whole_run_repeats_what_a_quick_one_repeated_less_often(store: Store) -> None:
    quick = toy.run(store, quick=True)
    assert len(quick.rows) == len(toy.QUICK)
    assert len(toy.run(store).rows) == len(toy.SIZES)
    assert toy.run(store, quick=True).rows == []


def test_another_version_of_an_experiment_is_executed_anew(store: Store) -> None:
    toy.run(store)
    assert len(toy.run(store, replace(toy.PRODUCTS, version=2)).rows) == len(toy.SIZES)


@pytest.mark.parametrize(("outcome", "again"), [("refused", 1), ("died", 1), ("timed out", 1), ("wrong", 0)])
def test_what_had_no_result_is_tried_again(store: Store, outcome: str, again: int) -> None:
    def first(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
        return replace(toy.execute(cell, plan), outcome=outcome)

    one = replace(toy.PRODUCTS, all_cells=toy.CELLS[:1])
    toy.run(store, replace(one, run=first))
    assert len(toy.run(store, one).rows) == again


def test_progress_counts_the_cost_model_s_figures(store: Store) -> None:
    told: list[tuple[float, float]] = []
    todo = running.steps([toy.PRODUCTS], False, toy.stored(store))
    running.whole(
        store, "toy", todo, toy.stored(store), None, lambda _, done, total: told.append((done, total))
    )
    efforts = [step.effort for step in todo]
    assert [done for done, _ in told] == [sum(efforts[:i]) for i in range(len(efforts))]
    assert {total for _, total in told} == {sum(efforts)}
    assert max(efforts) == 1024**2 * 4


@given(st.integers(0, 70))
def test_a_sweep_is_executed_from_its_ends_inwards_and_whole(count: int) -> None:
    cells = [StudyCell({"n": n}) for n in range(count)]
    order = [cell.parameters["n"] for cell in running.spread(cells)]
    assert sorted(order) == list(range(count))
    assert order[:2] == [0, count - 1][:count]


@given(st.integers(3, 70), st.data())
def test_an_interrupted_sweep_leaves_no_wide_gap(count: int, data: st.DataObject) -> None:
    done = data.draw(st.integers(2, count))
    cells = [StudyCell({"n": n}) for n in range(count)]
    there = sorted(cell.parameters["n"] for cell in running.spread(cells)[:done])
    gaps = [b - a for a, b in pairwise(there)]
    assert max(gaps) <= 4 * (count - 1) / (done - 1)
