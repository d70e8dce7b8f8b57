"""new: a file to begin with, that works as it is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.load import load


def test_the_new_application_computes_what_it_says(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "score.py"
    answer = call("new", str(file))
    assert answer.code == 0
    assert f"fheasible explore {file}" in answer.out
    app = load(str(file))
    assert app.name == "score"
    value, weight = np.linspace(0, 10, 1024), np.linspace(1, 0, 1024)
    found = evaluate(app.trace(), {"value": value, "weight": weight})
    assert found["mean"] == pytest.approx(np.mean(weight * value**2))
    assert found["root"] == pytest.approx(np.sqrt(np.mean(weight * value**2)), rel=1e-3)


@pytest.mark.long
def test_it_can_be_explored(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    call("new", str(file))
    answer = call("explore", str(file), "--library", "seal", "--json")
    assert answer.code == 0
    assert answer.json["feasible"] > 0


def test_a_file_that_is_there_is_left_as_it_is(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("mine")
    answer = call("new", str(file))
    assert answer.code == 2
    assert f"{file} is there already" in answer.err
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("file", "name"), [("class.py", "app_class"), ("2 rows.py", "app_2_rows"), ("Müller.py", "müller")]
)
def test_any_name_of_a_file_gives_a_name_that_python_takes(
    call: Any, tmp_path: Path, file: str, name: str
) -> None:
    answer = call("new", str(tmp_path / file), "--json")
    assert answer.json["application"] == name
    assert load(str(tmp_path / file)).name == name


@pytest.mark.parametrize(
    ("file", "said"), [("app", "is not the name of a Python file"), ("no/app.py", "cannot be written")]
)
def test_what_cannot_be_written_is_told(call: Any, tmp_path: Path, file: str, said: str) -> None:
    answer = call("new", str(tmp_path / file))
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("error:") == 1
