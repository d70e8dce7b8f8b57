"""trial runs random applications, says what failed, and leaves stdout to its answer."""

import csv
from pathlib import Path
from typing import Any

import pytest

from fheasible.circuit.load import load
from fheasible.trial import campaign
from fheasible.trial.application import Application
from fheasible.trial.found import TrialOutcome
from fheasible.trial.runner import Scope
from trial.apps import run


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application of number 1 is wrong."""

    def attempt(app: Application, number: int, scope: Scope, *_: Any) -> TrialOutcome:
        outcome = "wrong" if number == 1 else "right"
        return TrialOutcome(
            number, app.to_json(), "explored", runs=(run(outcome=outcome, message="10 for 11"),)
        )

    monkeypatch.setattr(campaign, "tried", attempt)


def test_applications_are_listed_without_running_anything(call: Any) -> None:
    answer = call("trial", "--seed", "7", "--only", "42", "--list")
    assert answer.code == 0
    assert "def trial_7_42(" in answer.out
    assert answer.out.startswith("# fheasible verify trial_7_42.py")
    document = call("trial", "--count", "3", "--list", "--json").json
    assert [d["name"] for d in document] == ["trial_0_0", "trial_0_1", "trial_0_2"]


@pytest.mark.usefixtures("failing")
def test_a_failing_application_is_shown_with_its_command(call: Any, installed: Any) -> None:
    installed("lattigo")
    answer = call("trial", "--seed", "7", "--count", "3", "--library", "lattigo")
    assert answer.code == 3
    assert "wrong by seal ckks: 10 for 11" in answer.out
    assert "fheasible trial --seed 7 --only 1 --anew" in answer.out
    assert "@fh.app(" in answer.out
    assert "application 1: wrong" in answer.err


@pytest.mark.usefixtures("failing")
def test_failing_applications_are_saved_as_files_that_load(call: Any, installed: Any, tmp_path: Path) -> None:
    installed("lattigo")
    folder = tmp_path / "new" / "failing"
    answer = call(
        "trial", "--count", "3", "--library", "lattigo", "--shrink", "0", "--save", str(folder), "--json"
    )
    assert answer.json["summary"]["faults"] == {"wrong": 1}
    (file,) = folder.glob("*.py")
    assert load(str(file)).name == "trial_0_1"
    assert answer.json["failing"][0]["source"] == file.read_text()


@pytest.mark.usefixtures("failing")
def test_every_run_is_a_line_of_a_table(call: Any, installed: Any, tmp_path: Path) -> None:
    installed("lattigo")
    table = tmp_path / "runs.csv"
    answer = call(
        "trial", "--count", "3", "--library", "lattigo", "--shrink", "0", "--csv", str(table), "--json"
    )
    lines = list(csv.DictReader(table.open()))
    assert [line["outcome"] for line in lines] == ["right", "wrong", "right"]
    assert lines[1]["message"] == "10 for 11"
    assert answer.json["libraries"] == {"lattigo": "6.1.1"}


def test_a_file_is_no_folder(call: Any, integers: str) -> None:
    answer = call("trial", "--save", integers)
    assert answer.code == 2
    assert "is not a folder" in answer.err


@pytest.mark.worker
def test_a_real_trial(call: Any, installed: Any) -> None:
    installed("lattigo")
    words = ("trial", "--only", "1", "--seed", "1", "--library", "lattigo", "--scheme", "bgv", "--json")
    document = call(*words).json
    assert document["summary"]["applications"] == 1
    assert document["failing"] == []
    assert call(*words).json["summary"] == document["summary"]  # which was stored
