"""What came of applications of a trial is appended, and found again under the trial's name."""

import sqlite3
from pathlib import Path

import pytest

from fheasible.errors import StoreError
from fheasible.store.store import Store

HERE = {"machine": "abcd"}


def test_applications_of_a_trial_come_back_in_their_order(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        for number in (3, 1):
            store.add_trial("seed 1", number, {"bits": float("nan"), "runs": (1, 2)}, HERE)
        store.add_trial("seed 2", 7, {}, HERE)
        found = store.trials("seed 1")
    assert [t.number for t in found] == [3, 1]
    assert found[0].content == {"bits": None, "runs": [1, 2]}
    assert found[0].environment == HERE


def test_none_is_stored_without_its_machine(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results.sqlite") as store, pytest.raises(StoreError, match="machine"):
        store.add_trial("seed 1", 0, {}, {})


def test_none_is_edited(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        store.add_trial("seed 1", 0, {}, HERE)
    raw = sqlite3.connect(tmp_path / "results.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="never edited"):
        raw.execute("UPDATE trials SET number = 9")
