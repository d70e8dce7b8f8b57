"""Of all that is stored, the best result of each cell, on one machine."""

from dataclasses import replace

import pytest

from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store
from fheasible.studies import results
from fheasible.studies.experiment import NotRun, StudyCell, StudyPlan
from fheasible.studies.own import ExecutedCell
from studies import toy

CELL = toy.CELLS[0]


def append(store: Store, repetitions: int = 2, outcome: str = "measured", machine: str = "") -> int:
    def run(cell: StudyCell, plan: StudyPlan) -> ExecutedCell:
        executed = toy.execute(cell, plan)
        there = executed.environment | ({"machine": machine} if machine else {})
        return replace(executed, outcome=outcome, environment=there)

    return replace(toy.PRODUCTS, run=run).execute("toy", CELL, StudyPlan(repetitions), store).number


def best(store: Store) -> results.ResultRow:
    row = toy.stored(store).row(toy.PRODUCTS, CELL)
    assert row is not None
    return row


def test_more_repetitions_are_better_and_of_equally_many_the_newest(store: Store) -> None:
    append(store, 2)
    many = append(store, 5)
    append(store, 3)
    assert best(store).number == many
    newer = append(store, 5)
    assert best(store).number == newer


def test_a_result_is_better_than_a_newer_failure(store: Store) -> None:
    kept = append(store)
    append(store, 9, "died")
    assert best(store).number == kept
    assert best(store).done


def test_a_failure_counts_as_an_attempt_but_gives_no_figures(store: Store) -> None:
    append(store, 2, "refused")
    assert toy.stored(store).of(toy.PRODUCTS) == ()
    with pytest.raises(NotRun, match="2 sets are missing"):
        toy.stored(store).needed(toy.PRODUCTS)


def test_machines_are_not_mixed(store: Store) -> None:
    append(store, 9, machine="another")
    here = append(store, 2)
    assert toy.stored(store).machine == this_machine().fingerprint
    assert best(store).number == here


def test_results_of_elsewhere_are_shown_where_there_are_none_from_here(store: Store) -> None:
    append(store, machine="first")
    last = append(store, machine="second")
    found = toy.stored(store)
    assert (found.machine, best(store).number) == ("second", last)


def test_results_of_another_study_are_left_out(store: Store) -> None:
    append(store)
    other = results.load(store, "another", [toy.PRODUCTS], this_machine().fingerprint)
    assert other.rows == {}


def test_results_stand_in_the_order_of_the_experiment(store: Store) -> None:
    toy.run(store)
    sizes = [row.cell.parameters["n"] for row in toy.stored(store).needed(toy.PRODUCTS)]
    assert sizes == list(toy.SIZES)


def test_a_quick_run_is_enough_and_less_is_not(store: Store) -> None:
    with pytest.raises(NotRun) as missing:
        toy.stored(store).needed(toy.PRODUCTS)
    assert missing.value.remedy == "fheasible study run toy --quick --only products"
    toy.run(store, quick=True)
    assert len(toy.stored(store).needed(toy.PRODUCTS)) == len(toy.QUICK)


def test_a_cell_is_the_same_in_whatever_order_its_parameters_stand() -> None:
    assert StudyCell({"n": 1, "t": 2}).key == StudyCell({"t": 2, "n": 1}, quick=False).key
