"""export and import: stored results from one store into another."""

import json
from pathlib import Path
from typing import Any

import pytest

from fheasible.cli.main import main
from fheasible.store.rows import Entry
from fheasible.store.store import Store

ENVIRONMENT = {
    "machine": "ab12", "cpu": "Some CPU", "flags": [], "library": "seal", "version": "4.4.0", "build": {},
    "threads": 1, "load_before": 0.5, "commit": None, "seed": 7,
}  # fmt: skip


@pytest.fixture
def stored(store_path: Path) -> None:
    with Store.open(store_path) as store:
        store.add_measurement(Entry("std_dev", "c0", "seal", "ckks", {}, {}, "measured"), ENVIRONMENT)
        store.add_profile("ab12", "seal", "4.4.0", 1, {})


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("name", ["results.jsonl", "results.parquet"])
def test_what_one_store_exports_another_takes_in_once(
    call: Any, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file, other = tmp_path / name, str(tmp_path / "other.sqlite")
    said = call("export", "--out", str(file))
    assert said.out == f"written: {file}: 1 measurements, 1 profiles\n"
    assert main(["import", str(file), "--store", other, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["rows"]["measurements"] == {"added": 1, "known": 0}
    assert call("import", str(file)).out.endswith("added nothing; 2 rows were there already\n")


@pytest.mark.usefixtures("stored")
def test_without_a_file_the_lines_are_printed(call: Any) -> None:
    printed = call("export", "--kind", "profiles").out.splitlines()
    assert len(printed) == 3
    assert '"kind":"profiles"' in printed[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "--json"), "both be on stdout"),
        (("export", "--kind", "plans"), "there is no kind of rows 'plans'"),
        (("export", "--out", "/proc/none/x"), "cannot be written"),
        (("import", "/none/x.jsonl"), "cannot be read"),
        (("import", __file__), "is not an export"),
    ],
)
def test_what_cannot_be_done_is_one_message(call: Any, words: tuple[str, ...], said: str) -> None:
    answer = call(*words)
    assert answer.code in (1, 2)
    assert answer.out == "" or "--json" in words
    assert said in answer.err + answer.out
