"""fheasible study: run, resume, claims and report, through the command line."""

import csv
from pathlib import Path
from typing import Any

import pytest

CHOICE = "application-fv-choice"


def test_list_names_the_studies_and_their_sets(call: Any) -> None:
    studies = {study["name"]: study for study in call("study", "list", "--json").json["studies"]}
    assert len(studies) == 5
    study = studies["panthers"]
    assert study["sets"] == 403
    assert CHOICE in study["experiments"]
    answer = call("study", "list")
    assert (answer.code, answer.err) == (0, "")
    assert "panthers" in answer.out
    assert call("study").out == answer.out


def test_claims_without_results_say_what_to_run(call: Any) -> None:
    claims = call("study", "claims", "panthers", "--json").json
    assert isinstance(claims, list)
    assert all(set(claim) >= {"claim", "published", "ours", "verdict", "evidence"} for claim in claims)
    assert {claim["verdict"] for claim in claims} <= {"reproduced", "not reproduced", "not run yet"}
    untested = [claim for claim in claims if claim["verdict"] == "not run yet"]
    assert all("fheasible study run panthers" in claim["evidence"] for claim in untested)
    answer = call("study", "claims", "panthers")
    assert f"{len(untested)} not run yet" in answer.out
    assert "caution: These sets are run to reproduce figures; none is recommended" in answer.out


@pytest.mark.long
def test_a_run_is_stored_resumed_and_judged(call: Any, tmp_path: Path) -> None:
    words = ("study", "run", "panthers", "--quick", "--only", CHOICE)
    first = call(*words, "--json")
    assert first.code == 0
    assert (first.json["executed"], first.json["measured"], first.json["stored_before"]) == (1, 1, 0)
    again = call(*words, "--json")
    assert (again.json["executed"], again.json["stored_before"]) == (0, 1)
    assert "1 were stored, 0 executed" in call(*words).out
    assert "overstretched NTRU" in again.json["caution"]
    claims = call("study", "claims", "PAnTHErS", "--json").json
    (choice,) = (c for c in claims if "evaluates the application" in c["claim"])
    assert choice["verdict"] == "reproduced"
    report = call("study", "report", "panthers", "--out", str(tmp_path / "report"), "--json")
    assert Path(report.json["page"]).read_text().count("<table") >= 5
    with (tmp_path / "report" / "sets.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["experiment"], row["log_q"]) == (CHOICE, "281")


def test_a_set_that_would_not_fit_is_refused_with_the_figure(call: Any) -> None:
    words = ("study", "run", "panthers", "--quick", "--only", CHOICE, "--max-memory", "1")
    answer = call(*words)
    assert answer.code == 0
    assert f"refused: {CHOICE}" in answer.out
    assert "1.00 MiB are allowed" in " ".join(answer.out.split())
    assert call(*words, "--json").json["refused"] == 1  # it is tried again


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("study", "run", "leopards"), "panthers"),
        (("study", "claims", "leopards"), "panthers"),
        (("study", "report", "leopards"), "panthers"),
        (("study", "run", "panthers", "--only", "fv"), "fv-log_q"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    call: Any, words: tuple[str, ...], said: str
) -> None:
    answer = call(*words, "--json")
    assert answer.code == 2
    assert answer.json["error"]["kind"] == "UnknownName"
    assert said in answer.json["error"]["remedy"]
