"""compare: what got slower, on a terminal, as JSON, as a figure, and in the exit code."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.store.rows import Entry
from fheasible.store.store import Store

ENVIRONMENT = {
    "machine": "ab12", "cpu": "Some CPU", "flags": [], "library": "seal", "version": "4.4.0", "build": {},
    "threads": 1, "load_before": 0.5, "commit": None, "seed": 7,
}  # fmt: skip


@pytest.fixture
def stored(store_path: Path) -> None:
    fill(store_path, ENVIRONMENT)


def fill(store_path: Path, environment: dict[str, Any]) -> None:
    """Two applications, three times each with two versions: of one of them the newer is slower."""
    parameters = {"ring_dimension": 8192, "limbs": 3, "digits": 2}
    with Store.open(store_path) as store:
        for version, slow in (("4.4.0", 1.0), ("4.5.0", 1.2)):
            for noise in (1.0, 1.004, 0.997):
                for app, seconds in (("dot", 2.0), ("cube", 3.0 * slow)):
                    cpu = {"total": {"samples": [seconds * noise, seconds * noise * 1.1]}}
                    entry = Entry(
                        app, app, "seal", "ckks", {}, parameters, "measured", None, {"cpu_seconds": cpu}
                    )
                    store.add_measurement(entry, environment | {"version": version})


@pytest.mark.usefixtures("stored")
def test_what_got_slower_is_listed_first_and_is_the_exit_code(call: Any) -> None:
    answer = call("compare", "seal@4.4.0", "seal@4.5.0")
    assert answer.code == 4
    lines = answer.out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("library"))
    assert lines[first + 1].split()[:3] == ["SEAL", "CKKS", "cube"]
    assert lines[first + 1].endswith("slower")
    assert "version seal" in answer.out
    assert "2 applications on both sides: 1 slower, 1 alike." in answer.out
    assert max(map(len, lines)) <= 100


def test_what_is_slower_on_a_busy_machine_is_told_but_is_no_exit_code(call: Any, store_path: Path) -> None:
    fill(store_path, ENVIRONMENT | {"cores": 2, "load_after": 3.0})
    answer = call("compare", "seal@4.4.0", "seal@4.5.0")
    assert answer.code == 0
    assert "not comparable:" in answer.out
    assert "1 slower" in answer.out
    assert "What is slower is no finding" in " ".join(answer.out.split())
    found = call("compare", "seal@4.4.0", "seal@4.5.0", "--json")
    assert (found.code, found.json["comparable"], found.json["counts"]["slower"]) == (0, False, 1)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("seal@4.4.0", "seal@4.5.0", "--tolerance", "25%"), 0),
        (("seal@4.4.0", "seal@4.5.0", "--tolerance", "19.9 %"), 4),
        (("seal@4.5.0", "seal@4.4.0"), 0),
        (("seal@4.4.0,app:dot", "seal@4.5.0,app:dot"), 0),
    ],
)
def test_the_exit_code_says_whether_something_got_slower(
    call: Any, words: tuple[str, ...], code: int
) -> None:
    assert call("compare", *words).code == code


@pytest.mark.usefixtures("stored")
def test_as_json_every_figure_is_there(call: Any) -> None:
    answer = call("compare", "seal@4.4.0", "seal@4.5.0", "--json")
    assert answer.code == 4
    found = answer.json
    assert found["counts"] == {"slower": 1, "faster": 0, "tolerated": 0, "alike": 1, "unknown": 0}
    assert found["comparable"] is True
    assert [d["fact"] for d in found["differences"]] == ["version seal"]
    slower, alike = found["applications"]
    assert (slower["name"], slower["verdict"], slower["runs"]) == ("cube", "slower", [3, 3])
    assert slower["ratio"] == pytest.approx(1.2, rel=0.01)
    assert slower["own_interval"][0] < 1.2 < slower["own_interval"][1]
    assert slower["p"] < slower["p_corrected"] < 0.05 < alike["p_corrected"]


@pytest.mark.long
@pytest.mark.usefixtures("stored")
def test_the_figure_is_drawn(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "ratios.svg"
    assert f"written: {file}" in call("compare", "seal@4.4.0", "seal@4.5.0", "--figure", str(file)).err
    drawn = file.read_text()
    assert "seal@4.5.0 against seal@4.4.0" in drawn
    assert "cube" in drawn


@pytest.mark.usefixtures("stored")
def test_exports_are_compared(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    assert call("export", "--out", str(file)).code == 0
    assert call("compare", f"{file},seal@4.4.0", f"{file},seal@4.5.0").code == 4


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("seal", "lattigo"), 1, "no measured run is selected by 'lattigo'"),
        (("app:dot", "app:cube"), 1, "nothing in common"),
        (("seal", "sael"), 2, "'sael' in the selection 'sael' is neither a library"),
        (("seal", "seal", "--tolerance", "much"), 2, "not a number of per cent"),
        (("seal", "seal", "--tolerance", "-5%"), 2, "not a number of per cent"),
        (("seal", "seal", "--figure", "x.pdf"), 2, "cannot be written"),
    ],
)
def test_what_cannot_be_compared_is_one_message(
    call: Any, words: tuple[str, ...], code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call("compare", *words)
    assert (answer.code, said in answer.err) == (code, True), answer.err
