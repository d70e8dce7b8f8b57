"""Files set defaults of wishes and the store; what is typed goes before them, and a bad entry is named."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.cli.settings import NAMES


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pyproject.toml above the current folder."""
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "below" / "deeper")
    return tmp_path / "pyproject.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def asked(call: Any, app: str, *words: str) -> Any:
    answer = call("explore", app, "--json", *words)
    assert answer.code == 0, answer.err
    return answer.json


@pytest.mark.long
def test_a_default_is_what_would_be_typed(call: Any, reals: str, settings_file: Path) -> None:
    typed = asked(call, reals, "--security", "192", "--library", "seal", "--precision", "12", "--quantum")
    write(settings_file, 'security = 192\nlibrary = "seal"\nprecision = 12\nquantum = true\n')
    by_file = asked(call, reals)
    assert by_file["candidates"] == typed["candidates"]
    assert {c["library"] for c in by_file["candidates"]} == {"seal"}


@pytest.mark.long
def test_what_is_typed_goes_before_the_project_and_that_before_the_user(
    call: Any, reals: str, settings_file: Path, project: Path
) -> None:
    def libraries(*words: str) -> set[str]:
        return {c["library"] for c in asked(call, reals, *words)["candidates"]}

    write(settings_file, 'library = ["seal", "lattigo"]\n')
    assert libraries() == {"seal", "lattigo"}
    write(project, '[tool.fheasible]\nlibrary = "lattigo"\n')
    assert libraries() == {"lattigo"}
    assert libraries("--library", "openfhe") == {"openfhe"}


def test_the_nearest_project_with_a_table_of_ours_counts(call: Any, project: Path) -> None:
    write(project, "[tool.fheasible]\nsecurity = 1\n")
    write(Path("pyproject.toml"), "[tool.other]\n")
    assert f"{project} sets security = 1" in call("explore", "app.py").err


def test_the_store_is_beside_the_file_that_names_it(
    settings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from fheasible.cli.main import main

    write(settings_file, 'store = "mine.sqlite"\n')
    main(["results", "list", "--json"])
    capsys.readouterr()
    main(["doctor", "--json"])
    assert str(settings_file.parent / "mine.sqlite") in capsys.readouterr().out


BAD = [
    ("security = 100", "security = 100: security 100 is not a level", "128, 192, 256"),
    ('security = "high"', 'security = "high": it is not a whole number', "write a whole number"),
    ("security = 192.5", "security = 192.5: it is not a whole number", "write a whole number, such as 128"),
    ("security = true", "security = true: it is not a whole number", "write a whole number"),
    ("quantum = 1", "quantum = 1: it is not true or false", "write true or false"),
    ('library = "sael"', "library = \"sael\": no library is named 'sael'", "seal"),
    ('library = ["seal", 3]', "it is no text or list of texts", 'library = ["..."]'),
    ("precision = [1]", "it is not a text or a number", "write a text or a number"),
    ('max-memory = "a lot"', "--max-memory a lot is not a size", "512MiB"),
    ("max_time = -1", "max_time = -1: ", "--max-time"),
    ('objective = "speed"', "there is no objective 'speed'", "time"),
    ("requests = 0", "is not a number of requests", "1 or more"),
    ('threads = "many"', "'many' is not a number of threads", "--threads"),
    ("store = 3", "it is not the path or URL of a store", "results.sqlite"),
    ("securty = 128", "sets 'securty', which is no setting", "write 'security'"),
    ("json = true", "sets 'json', which is no setting", "security, precision"),
    ("security = = 1", "is not valid TOML", "correct that line"),
]


@pytest.mark.parametrize(("line", "said", "remedy"), BAD, ids=[line for line, _, _ in BAD])
def test_a_bad_entry_gets_one_clear_message(
    call: Any, settings_file: Path, line: str, said: str, remedy: str
) -> None:
    write(settings_file, f"{line}\n")
    answer = call("explore", "app.py")
    assert answer.code == 2
    error, advice = answer.err.splitlines()
    assert error.startswith(f"error: {settings_file} ")
    assert said in error
    assert remedy in advice


def test_help_and_version_are_there_whatever_the_file_holds(call: Any, settings_file: Path) -> None:
    write(settings_file, "= nonsense")
    for words in (["--help"], ["explore", "-h"], ["-V"]):
        assert call(*words).code == 0


def test_a_file_that_cannot_be_read_is_told(call: Any, settings_file: Path) -> None:
    settings_file.parent.mkdir()
    settings_file.write_bytes(b"\xff\xfe\x00")
    assert "is not valid TOML" in call("explore", "app.py").err


@pytest.mark.usefixtures("nothing_installed")
def test_doctor_says_which_defaults_are_set(call: Any, settings_file: Path) -> None:
    write(settings_file, "security = 192\n")
    (found,) = [c for c in call("doctor", "--json").json["checks"] if c["check"] == "settings"]
    assert found["message"] == f"security = 192 ({settings_file})"


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("line", "said", "remedy"), BAD, ids=[line for line, _, _ in BAD])
def test_doctor_examines_the_rest_where_settings_cannot_be_meant(
    call: Any, settings_file: Path, line: str, said: str, remedy: str
) -> None:
    write(settings_file, f"{line}\n")
    answer = call("doctor", "--json")
    assert answer.code == 1
    (found,) = [c for c in answer.json["checks"] if c["check"] == "settings"]
    assert found["state"] == "broken"
    assert said in found["message"]
    assert remedy in found["remedy"]
    assert {"Python", "store"} <= {c["check"] for c in answer.json["checks"]}


def test_every_setting_is_an_option_of_explore_or_the_store() -> None:
    assert {"security", "precision", "library", "store", "max_memory"} <= set(NAMES)
