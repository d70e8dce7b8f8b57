"""results: what the store holds, listed and shown."""

from typing import Any

import pytest

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
