"""precision judges what is stored, and says what it needs where it cannot."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accuracy.made import a_measurement, a_record
from fheasible.accuracy.campaign import name
from fheasible.accuracy.noise_found import errors
from fheasible.accuracy.noise_grid import NoiseCase, cases
from fheasible.accuracy.noise_runs import KIND
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.registry import command
from fheasible.measurement.sampled import to_row
from fheasible.store.store import Store

SIGMA = 2.0**-25


@pytest.fixture
def squares(tmp_path: Path) -> Path:
    path = tmp_path / "squares.py"
    path.write_text(
        "import fheasible as fh\n\n@fh.app(x=fh.reals(8, low=1, high=2))\ndef squares(x):\n    return x * x\n"
    )
    return path


def asked(path: Path) -> list[str]:
    return ["precision", "--library", "seal", "--scheme", "ckks", "--app", str(path)]


def the_cases(path: Path) -> list[NoiseCase]:
    seal = replace(CATALOGUE["seal"], schemes=("ckks",))
    return list(cases([str(path)], [seal]))


def keep(store_path: Path, found: list[NoiseCase]) -> None:
    """Two sets of keys of each case, as an earlier call would have stored them."""
    rng = np.random.default_rng(0)
    with Store.open(store_path) as store:
        for case in found:
            job, truth = case.job, case.problem.truth
            for number in range(2):
                results = {k: v + rng.normal(0, SIGMA, (4, len(v))) for k, v in truth.items()}
                told = errors(results, truth)
                record = replace(a_record(job, a_measurement(job), number, **told), campaign=name(KIND))
                store.add_sample(to_row(record), record.environment)


@pytest.mark.long
def test_stored_encryptions_are_judged_without_running_anything(
    call: Any, store_path: Path, squares: Path, tmp_path: Path
) -> None:
    found = the_cases(squares)
    keep(store_path, found)
    page = tmp_path / "page.html"
    answer = call(*asked(squares), "--stored", "--report", str(page), "--json")
    assert answer.code == 0
    rows = answer.json["rows"]
    assert {row["label"] for row in rows} == {case.label for case in found}
    assert {row["encryptions"] for row in rows} == {8}
    assert sum(answer.json["verdicts"].values()) == len(rows)
    assert "How far predicted noise is from reality" in page.read_text()


def test_the_terminal_shows_groups_and_the_verdict(call: Any, store_path: Path, squares: Path) -> None:
    keep(store_path, the_cases(squares))
    answer = call(*asked(squares), "--stored")
    assert answer.code == 0
    assert ["SEAL", "CKKS", "4"] in [line.split()[:3] for line in answer.out.splitlines()]
    assert any(line.startswith("result:") for line in answer.out.splitlines())
    assert max(map(len, answer.out.splitlines())) <= 100


def test_without_stored_encryptions_it_says_how_to_get_them(call: Any, squares: Path) -> None:
    answer = call(*asked(squares), "--stored", "--json")
    assert answer.code == 1
    assert answer.json["error"]["remedy"] == "run fheasible precision without --stored"


def test_a_scheme_that_runs_nothing_of_what_is_asked_is_no_success(call: Any, squares: Path) -> None:
    answer = call("precision", "--library", "seal", "--scheme", "bfv", "--app", str(squares), "--stored")
    assert answer.code == 2
    assert "BFV cannot run" in answer.err
    assert "ckks" in answer.err


def test_stored_and_quick_exclude_each_other(call: Any, squares: Path) -> None:
    answer = call(*asked(squares), "--stored", "--quick", "--json")
    assert answer.code == 2
    assert "--quick would choose what to run" in answer.json["error"]["message"]


def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(
    call: Any, squares: Path, tmp_path: Path
) -> None:
    answer = call(*asked(squares), "--report", str(tmp_path), "--json")
    assert answer.code in (1, 2)
    assert str(tmp_path) in answer.json["error"]["message"]


@pytest.mark.worker
def test_a_quick_call_encrypts_and_judges(call: Any, squares: Path) -> None:
    if not command("seal").installed:
        pytest.skip("seal is not installed")
    answer = call(*asked(squares), "--quick", "--json")
    assert answer.code == 0
    assert {(row["encryptions"], row["keys"]) for row in answer.json["rows"]} == {(8, 2)}
    assert all(abs(row["difference"]) < 4 for row in answer.json["rows"])
    again = call(*asked(squares), "--stored", "--json")
    assert again.json["rows"] == answer.json["rows"]
