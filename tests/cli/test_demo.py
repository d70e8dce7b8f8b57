"""demo makes the calls that it shows, one after the other, and stops where one fails."""

from typing import Any

import pytest

from fheasible.cli import demo
from fheasible.measurement.shipped import shipped


def test_the_calls_name_files_that_are_there() -> None:
    calls = demo._calls()
    assert [words[0] for words in calls] == ["libraries", "calibrate", "explore", "verify"]
    files = [word for words in calls for word in words if "/" in word]
    assert len(files) == 3
    assert all((shipped("examples").parent / file).is_file() for file in files)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    made: list[list[str]] = []
    monkeypatch.setattr(demo, "_calls", lambda: made)
    return made


def test_it_stops_at_the_first_call_that_fails(call: Any, calls: list[list[str]]) -> None:
    calls += [["params", "seal", "ckks", "--depth", "1"], ["params", "seal", "ckks", "--depth", "500"]]
    calls += [["params", "seal", "ckks", "--depth", "2"]]
    answer = call("demo")
    assert answer.code == 1
    assert "$ fheasible params seal ckks --depth 1" in answer.out
    assert "--depth 2" not in answer.out


def test_it_gives_the_answers_of_all_calls_as_one_document(call: Any, calls: list[list[str]]) -> None:
    calls += [["params", "seal", "ckks", "--depth", "1"], ["security", "--n", "4096", "--log-q", "100"]]
    steps = call("demo", "--json").json["steps"]
    assert [step["command"][1] for step in steps] == ["params", "security"]
    assert [step["exit_code"] for step in steps] == [0, 0]
    assert steps[0]["answer"][0]["library"] == "seal"


def test_every_call_has_the_store_of_demo(call: Any, calls: list[list[str]], store_path: Any) -> None:
    calls += [["doctor"]]
    assert str(store_path) in call("demo", "--json").out


def test_going_on_without_a_library_that_cannot_be_installed(
    call: Any, calls: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.errors import LibraryMissing
    from fheasible.measurement import install

    def refuse(name: str, say: install.Say) -> None:
        raise LibraryMissing("there is no Go", "install Go")

    monkeypatch.setattr(install, "install", refuse)
    calls += [["libraries", "install", "lattigo"], ["params", "seal", "ckks", "--depth", "1"]]
    answer = call("demo")
    assert answer.code == 0
    assert "going on with the libraries that are there" in answer.err
    assert "lattigo: not installed. Remedy: install Go" in answer.out
