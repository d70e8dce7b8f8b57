"""The examples of help texts can be called wherever one is."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.cli.examples import with_examples
from fheasible.measurement.shipped import shipped

APP, DATA = "examples/2_std_dev.py", "examples/data/day_length.csv"


def test_an_example_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = shipped("examples").parent
    words = ["verify", f"{APP}:std_dev", "--data", DATA, "--store", "examples.sqlite"]
    assert with_examples(words) == [
        "verify", f"{root / APP}:std_dev", "--data", str(root / DATA), "--store", "examples.sqlite"
    ]  # fmt: skip


def test_a_file_of_ones_own_goes_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / APP).write_text("")
    assert with_examples(["explore", APP]) == ["explore", APP]


def test_what_is_no_example_is_told_as_it_was_typed(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "examples/none.py" in call("explore", "examples/none.py").err


@pytest.mark.long
def test_a_call_of_a_help_text_works_anywhere(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call("explore", "examples/1_sum_of_products.py", "--library", "seal", "--json")
    assert answer.code == 0
    assert answer.json["feasible"] > 0
