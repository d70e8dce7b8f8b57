"""results: what the store holds, listed and shown."""

import sqlite3
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
CPU = {
    name: {"samples": [s], "min": s, "median": s, "mad": 0.0}
    for name, s in (("evaluate", 1.25), ("total", 1.5))
}


@pytest.fixture
def stored(store_path: Any) -> None:
    measured = {"cpu_seconds": CPU, "peak_bytes": 2**20, "precision_bits": 21.25}
    request = {"depth": 3, "prime_bits": [60, 40]}
    with Store.open(store_path) as store:
        done = Entry("std_dev", "c0", "seal", "ckks", request, {}, "measured", None, measured)
        store.add_measurement(done, ENVIRONMENT)
        died = Entry("dot", "c1", "openfhe", "bgv", {}, {}, "died", message="it ran out of memory")
        store.add_measurement(died, ENVIRONMENT)


def test_an_empty_store_says_so(call: Any) -> None:
    assert call("results").out == "no results yet\n"
    assert call("results", "list", "--app", "typo").out == "no results match\n"
    assert call("results", "--json").json == {"results": []}


@pytest.mark.usefixtures("stored")
def test_the_newest_is_listed_first(call: Any) -> None:
    listed = call("results", "list", "--json").json["results"]
    assert [(r["id"], r["app"], r["outcome"]) for r in listed] == [
        (2, "dot", "died"),
        (1, "std_dev", "measured"),
    ]
    assert listed[1]["cpu_seconds"] == 1.5
    assert listed[1]["precision_bits"] == 21.25
    assert call("results", "--json").json["results"] == listed


@pytest.mark.usefixtures("stored")
def test_the_table_shows_figures_as_people_read_them(call: Any) -> None:
    _, died, measured = call("results").out.splitlines()
    assert died.split()[0] == "2"
    assert "OpenFHE" in died
    assert measured.endswith("1.50 s   21.2 bit")


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--app", "std_dev"), [1]),
        (("--library", "OpenFHE"), [2]),
        (("--outcome", "died"), [2]),
        (("--limit", "1"), [2]),
        (("--app", "nobody"), []),
    ],
)
def test_the_list_is_narrowed(words: tuple[str, ...], found: list[int], call: Any) -> None:
    assert [r["id"] for r in call("results", "list", *words, "--json").json["results"]] == found


@pytest.mark.usefixtures("stored")
def test_one_result_is_shown_with_everything(call: Any) -> None:
    shown = call("results", "show", "1", "--json").json
    assert shown["request"] == {"depth": 3, "prime_bits": [60, 40]}
    assert shown["measurement"]["cpu_seconds"] == CPU
    assert shown["environment"] == ENVIRONMENT
    assert "60,40" in call("results", "show", "1").out
    assert "it ran out of memory" in call("results", "show", "2").out


@pytest.mark.usefixtures("stored")
def test_a_damaged_result_is_named_and_set_aside(call: Any, store_path: Path) -> None:
    with sqlite3.connect(store_path) as raw:
        raw.execute("DROP TRIGGER measurements_no_update")
        raw.execute("UPDATE measurements SET parameters = '{' WHERE id = 2")
    listed = call("results", "list", "--json")
    assert listed.code == 0
    assert 2 not in [row["id"] for row in listed.json["results"]]
    assert len(listed.json["results"]) > 0
    assert "result 2 is damaged" in listed.err
    shown = call("results", "show", "2")
    assert shown.code == 1
    assert "result 2 is damaged" in shown.err
    found = call("results", "check", "--json")
    assert found.code == 1
    assert [(d["table"], d["id"]) for d in found.json["damaged"]] == [("measurements", 2)]
    assert "result 2 is damaged" in call("doctor").out
    assert call("results", "check", "--repair").code == 0
    assert call("results", "check").out.strip().endswith("no row is damaged")
    assert "damaged" not in call("results", "list").err


@pytest.mark.usefixtures("stored")
def test_pruning_keeps_the_newest(call: Any) -> None:
    before = call("results", "list", "--json").json["results"]
    gone = call("results", "prune", "--keep", "1", "--json").json["removed"]["measurements"]
    after = call("results", "list", "--json").json["results"]
    kinds = {(row["app"], row["library"], row["scheme"]) for row in before}
    assert len(after) == len(kinds) == len(before) - gone
    assert after[0] == before[0]


def test_no_result_has_a_number_beyond_all_numbers(call: Any) -> None:
    answer = call("results", "show", str(10**22))
    assert answer.code == 1
    assert f"there is no measurement {10**22}" in answer.err


@pytest.mark.usefixtures("stored")
def test_results_that_may_only_be_read_are_listed(call: Any, store_path: Path) -> None:
    assert main(["results", "list", "--store", f"{store_path}?mode=ro"]) == 0
    assert main(["results", "list", "--store", "-"]) == 1
