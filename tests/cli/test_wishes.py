"""Wishes as they are typed: precision in three forms, open degrees, the command that runs what was found."""

import shlex
from pathlib import Path
from typing import Any

import pytest

ROOTS = """
import fheasible as fh

@fh.app(x=fh.reals(8, low=0, high=1))
def roots(x):
    return fh.sqrt(x + 0.5, low=0.5, high=1.5)
"""
CKKS = ("--library", "seal", "--scheme", "ckks")


@pytest.fixture
def roots(tmp_path: Path) -> str:
    path = tmp_path / "roots.py"
    path.write_text(ROOTS)
    return str(path)


@pytest.mark.parametrize(
    ("asked", "said", "figure", "most"),
    [
        ("12", "precision >= 12 bits", "precision_bits", None),
        ("absolute:1e-3", "absolute error <= 0.001", "absolute_error", 1e-3),
        ("relative:1e-2", "relative error <= 0.01", "largest_relative_error", 1e-2),
    ],
)
def test_a_precision_may_be_bits_or_an_error(
    call: Any, roots: str, asked: str, said: str, figure: str, most: float | None
) -> None:
    told = [
        c["estimate"]
        for c in call("explore", roots, *CKKS, "--precision", asked, "--json").json["candidates"]
    ]
    assert told
    for estimate in told:
        assert estimate[figure] >= 12 if most is None else estimate[figure] <= most
        assert estimate["precision_bits"] > 3
    assert said in call("explore", roots, *CKKS, "--precision", asked).out


@pytest.mark.parametrize("asked", ["1e-4", "abs:1e-4", "many", "absolute:0"])
def test_any_other_form_is_refused_with_the_three(call: Any, roots: str, asked: str) -> None:
    answer = call("explore", roots, "--precision", asked)
    assert answer.code == 2
    assert "absolute:1e-4" in answer.err
    assert "relative:1e-3" in answer.err


def test_the_chosen_degree_is_shown_and_in_the_command_that_runs_it(call: Any, roots: str) -> None:
    found = call("explore", roots, *CKKS, "--precision", "12", "--json").json
    (degree,) = found["candidates"][0]["request"]["degree"]
    assert found["approximations"][0]["degree"] == degree
    shown = call("explore", roots, *CKKS, "--precision", "12", "--why").out
    assert f"sqrt on [0.5, 1.5] is approximated by a series of degree {degree}" in " ".join(shown.split())
    assert f"--param degree={degree}" in shown.split("run it:")[1]


def test_the_worst_case_stands_in_the_document_unless_data_are_trusted(
    call: Any, roots: str, tmp_path: Path
) -> None:
    best = call("explore", roots, *CKKS, "--json").json["candidates"][0]["estimate"]
    assert 0 < best["worst_case_bits"] < 52
    data = tmp_path / "data.csv"
    data.write_text("x\n0.25\n0.75\n")
    trusted = call("explore", roots, *CKKS, "--data", str(data), "--trust-data", "--json").json
    given = trusted["candidates"][0]["estimate"]
    assert given["worst_case_bits"] is None


@pytest.mark.worker
def test_the_command_that_is_shown_runs_what_was_found(call: Any, roots: str) -> None:
    found = call("explore", roots, *CKKS, "--precision", "12", "--json").json["candidates"][0]
    shown = call("explore", roots, *CKKS, "--precision", "12", "--why").out
    command = shlex.split(shown.split("run it:")[1].replace("\\\n", " "))
    ran = call(*command[1:], "--repetitions", "1", "--json").json
    assert ran["request"] == found["request"]
    assert ran["parameters"] == found["parameters"]
    assert ran["measurement"]["precision_bits"] > 11
    assert ran["measurement"]["absolute_error"] < ran["estimate"]["absolute_error"]


@pytest.mark.worker
def test_a_degree_is_chosen_where_run_is_told_none(call: Any, roots: str) -> None:
    ran = call(
        "run", roots, *CKKS, "--param", "scale_bits=40", "--precision", "absolute:1e-5", "--repetitions", "1",
        "--json",
    ).json  # fmt: skip
    assert ran["request"]["degree"][0] > 3
    assert ran["measurement"]["absolute_error"] < 1e-5


@pytest.mark.worker
def test_verify_shows_the_largest_error_beside_what_it_may_be(call: Any, roots: str) -> None:
    answer = call("verify", roots, *CKKS, "--precision", "absolute:1e-3", "--repetitions", "1")
    assert answer.code == 0
    (row,) = [line.split() for line in answer.out.splitlines() if line.startswith("largest error")]
    assert float(row[-1]) < float(row[-2]) <= 1e-3
