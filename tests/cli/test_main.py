"""What every call has in common: help, version, the options of every verb, a quiet stdout."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from fheasible.cli.main import app, main

VERBS = (
    "explore", "run", "verify", "calibrate", "params", "count", "sweep", "study", "libraries", "results",
    "doctor", "accuracy", "precision", "security", "report", "trial",
    "export", "import", "compare", "measure", "demo", "new", "audit", "emit", "web",
)  # fmt: skip
HEAVY = ("scipy", "sqlalchemy", "rich", "fheasible.exploration", "fheasible.store")


def commands(found: Any, name: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every verb, with those below it."""
    below = getattr(found, "commands", {})
    return [name, *(n for child in below for n in commands(below[child], (*name, child)))]


ALL = commands(get_command(app))[1:]


def test_the_verbs_are_those_of_the_design() -> None:
    assert {words[0] for words in ALL} == set(VERBS)


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_help_has_an_example_that_begins_with_the_verb(words: tuple[str, ...], capsys: Any) -> None:
    assert main([*words, "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    examples = lines[lines.index("Example:") + 1 :]
    assert examples[0].startswith(" ".join(("fheasible", *words)))


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_verb_offers_the_common_options(words: tuple[str, ...], capsys: Any) -> None:
    main([*words, "--help"])
    help_text = capsys.readouterr().out
    assert all(option in help_text for option in ("--json", "--debug", "--store"))


def test_without_a_word_the_help_is_shown(capsys: Any) -> None:
    assert main([]) == 0
    assert "Usage: fheasible" in capsys.readouterr().out


def test_the_version_is_the_package_s(capsys: Any) -> None:
    import fheasible

    for word in ("--version", "-V"):
        assert main([word]) == 0
        assert capsys.readouterr().out == f"fheasible {fheasible.__version__}\n"


def test_the_package_is_the_command_too() -> None:
    import fheasible

    run = [sys.executable, "-m", "fheasible", "--version"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout == f"fheasible {fheasible.__version__}\n"


@pytest.mark.parametrize(
    ("typed", "place", "offered"),
    [("fheasible ex", 1, ["explore", "export"]), ("fheasible explore --obj", 2, ["--objective"])],
)
def test_words_are_completed(typed: str, place: int, offered: list[str]) -> None:
    asked = {"_FHEASIBLE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(place)}
    run = [sys.executable, "-m", "fheasible"]
    done = subprocess.run(run, env=os.environ | asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "params", "seal", "ckks", "--depth", "1"),
        ("params", "seal", "ckks", "--depth", "1", "--json"),
    ],
    ids=["before", "after"],
)
def test_json_is_understood_before_and_after_the_verb(words: tuple[str, ...], call: Any) -> None:
    assert call(*words).json["library"] == "seal"


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_the_store_is_understood_anywhere(place: int, tmp_path: Path, capsys: Any) -> None:
    """A folder is no store, and is named; the store in the home folder would be listed without a word."""
    words = ["results", "list", "--json"]
    words[place:place] = ["--store", str(tmp_path)]
    assert main(words) != 0
    assert str(tmp_path) in json.loads(capsys.readouterr().out)["error"]["message"]


def test_what_the_user_s_file_prints_is_kept_off_stdout(call: Any, integers: str) -> None:
    path = Path(integers)
    path.write_text("print('hello from the file')\n" + path.read_text())
    answer = call("explore", integers, "--library", "seal", "--scheme", "bfv", "--json")
    assert answer.json["app"] == "dot"
    assert "hello from the file" in answer.err


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from fheasible.cli.main import *; main(['-h']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "fheasible.cli.main" in loaded
    assert not set(HEAVY) & set(loaded)


@pytest.mark.long
def test_a_reader_that_goes_away_gets_no_complaint() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "fheasible.cli.main", "params", "seal", "ckks", "--depth", "1"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 141  # as of what SIGPIPE ends
    assert done.stderr == ""


def test_an_interrupt_is_told_in_the_form_asked_for(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.api import asking

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "problem_of", interrupted)
    plain, as_json = call("explore", integers), call("explore", integers, "--json")
    assert plain.code == as_json.code == 130
    assert plain.err.startswith("error: interrupted")
    assert as_json.json["error"]["kind"] == "Interrupted"
