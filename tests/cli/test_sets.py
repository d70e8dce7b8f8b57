"""--csv: every feasible set as a line, whole or not at all; sizes, requests and prices; what is kept."""

import csv
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.cli.options import Wishes
from fheasible.cli.sets import COLUMNS, writing
from fheasible.exploration.judging.columns import NAMES, WHOLE, Columns

SMALL = ("--library", "seal", "--scheme", "bfv")


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


@pytest.mark.long
def test_a_line_for_every_feasible_set_with_the_columns_of_the_contract(
    call: Any, integers: str, calibrated: Any, tmp_path: Path
) -> None:
    calibrated("seal", "4.4.0")
    file = tmp_path / "deep" / "sets.csv"
    found = call("explore", integers, *SMALL, "--csv", str(file), "--json").json
    rows = table(file.read_text())
    assert tuple(rows[0]) == tuple(n for n in NAMES if n not in ("pareto", "confirmed"))  # not known yet
    assert len(rows) == found["feasible"]
    assert {(row["library"], row["scheme"]) for row in rows} == {("seal", "bfv")}
    for row in rows:
        assert all(int(row[name]) >= 0 for name in WHOLE)
        assert row["precision_bits"] == row["scale_bits"] == ""  # integers have neither
        parts = [float(row[f"{phase}_seconds"]) for phase in ("encrypt", "evaluate", "decrypt")]
        assert float(row["cpu_seconds"]) == pytest.approx(sum(parts))
        assert int(row["request_bytes"]) == int(row["upload_bytes"]) + int(row["download_bytes"])
        assert float(row["log_qp"]) == pytest.approx(float(row["log_q"]) + float(row["log_p"]))
    best = found["candidates"][0]
    (same,) = [r for r in rows if float(r["cpu_seconds"]) == best["estimate"]["cpu_seconds"]["total"]][:1]
    assert int(same["ring_dimension"]) == best["parameters"]["ring_dimension"]


@pytest.mark.long
def test_a_dash_writes_the_table_to_stdout_and_the_answer_to_stderr(call: Any, integers: str) -> None:
    answer = call("explore", integers, *SMALL, "--csv", "-")
    assert answer.code == 0
    assert len(table(answer.out)) >= 1
    assert answer.out.splitlines()[0] == ",".join(COLUMNS)
    assert "run it:" in answer.err


def test_stdout_takes_one_of_the_table_and_the_document(call: Any, integers: str) -> None:
    answer = call("explore", integers, *SMALL, "--csv", "-", "--json")
    assert answer.code == 2
    assert answer.json["error"]["remedy"] == "name a file: --csv sets.csv --json"


@pytest.mark.long
def test_where_nothing_fits_the_table_has_a_header_alone(call: Any, reals: str, tmp_path: Path) -> None:
    file = tmp_path / "sets.csv"
    assert call("explore", reals, "--library", "seal", "--precision", "51", "--csv", str(file)).code == 1
    assert file.read_text() == ",".join(COLUMNS) + "\n"


def test_a_search_that_fails_leaves_no_table(
    call: Any, integers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sets.csv"
    file.write_text("mine")

    def broken(*_: Any) -> None:
        raise MemoryError("in the middle")

    monkeypatch.setattr("fheasible.api.residues.explore_everywhere", broken)
    assert call("explore", integers, *SMALL, "--csv", str(file)).code == 1
    assert [f.name for f in tmp_path.iterdir() if "sets" in f.name] == ["sets.csv"]
    assert file.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_told_before_the_search(
    call: Any, integers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fheasible.api.residues.search", lambda *_: pytest.fail("it searched"))
    answer = call("explore", integers, *SMALL, "--csv", str(tmp_path))
    assert answer.code == 2
    assert "remedy: name a file that you may write" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-keys", "0.0001"), "why not BFV (SEAL)"),
        (("--max-ciphertext", "0.0001"), "why not BFV (SEAL)"),
    ],
)
def test_limits_on_sizes_leave_out_what_is_larger(
    call: Any, integers: str, words: tuple[str, ...], said: str
) -> None:
    answer = call("explore", integers, *SMALL, *words)
    assert answer.code == 1
    assert said in answer.out


@pytest.mark.long
@pytest.mark.parametrize(
    ("option", "figure"), [("--max-keys", "key_bytes"), ("--max-ciphertext", "ciphertext_bytes")]
)
def test_a_limit_between_two_sizes_keeps_the_smaller(
    call: Any, integers: str, tmp_path: Path, option: str, figure: str
) -> None:
    def sizes(*words: str) -> list[float]:
        call("explore", integers, *SMALL, *words, "--csv", str(tmp_path / "sets.csv"))
        return sorted(float(row[figure]) for row in table((tmp_path / "sets.csv").read_text()))

    every = sizes()
    limit = (every[0] + every[-1]) / 2
    assert every[0] < limit < every[-1]
    assert sizes(option, str(limit / 2**20)) == [size for size in every if size <= limit]


def test_sizes_are_typed_in_mebibytes() -> None:
    wish = Wishes(max_memory=3, max_ciphertext=0.5, max_keys=2).options().wish
    assert (wish.max_bytes, wish.max_ciphertext_bytes, wish.max_key_bytes) == (3145728, 524288, 2097152)


def test_requests_share_the_keys(call: Any, integers: str) -> None:
    words = ("explore", integers, *SMALL, "--objective", "communication", "--json")
    alone, shared = (call(*words, *more).json["candidates"][0] for more in ((), ("--requests", "1000")))
    keys = alone["figures"]["key_bytes"]
    assert alone["figures"]["communication"] == alone["figures"]["request_bytes"] + keys
    assert shared["figures"]["communication"] == pytest.approx(
        shared["figures"]["request_bytes"] + shared["figures"]["key_bytes"] / 1000
    )


def test_a_cost_is_of_hours_and_of_bytes(call: Any, integers: str, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    words = ("--objective", "cost", "--price-core-hour", "0.05", "--price-gib", "0.1", "--requests", "4")
    best = call("explore", integers, *SMALL, *words, "--json").json["candidates"][0]
    cpu, sizes = best["estimate"]["cpu_seconds"], best["figures"]
    hours = (cpu["total"] + cpu["keygen"] / 4) / 3600
    gib = (sizes["request_bytes"] + sizes["key_bytes"] / 4) / 2**30
    assert sizes["cost"] == pytest.approx(0.05 * hours + 0.1 * gib)


@pytest.mark.parametrize(
    ("words", "given", "remedy"),
    [
        (
            ("--objective", "speed"),
            "'speed'",
            "choose one of time, wall, memory, communication, amortised, cost",
        ),
        (("--objective", "time:0.7,memory"), "memory has no weight", "memory:0.5"),
        (("--objective", "cost"), "nothing has a price", "--price-core-hour"),
        (("--requests", "0"), "requests=0", "--requests 1000"),
        (("--price-gib", "-1"), "a price of -1", "give a number from 0"),
        (("--max-keys", "-1"), "-1", "--help"),
    ],
)
def test_what_cannot_be_meant_is_told_with_what_can(
    call: Any, integers: str, words: tuple[str, ...], given: str, remedy: str
) -> None:
    for verb in ("explore", "verify"):
        answer = call(verb, integers, *SMALL, *words)
        assert answer.code == 2
        assert given in answer.err
        assert remedy in answer.err


@pytest.mark.parametrize("words", [("--csv", "x.csv"), ("--requests", "7"), ("--price-gib", "1")])
def test_ring_schemes_have_none_of_it(call: Any, integers: str, words: tuple[str, str]) -> None:
    answer = call("explore", integers, "--library", "reference", *words)
    assert answer.code == 2
    assert f"the ring schemes have no {words[0]}" in answer.err


def test_the_answer_is_kept_for_reports(call: Any, integers: str, store_path: Path) -> None:
    from fheasible.store.store import Store

    answer = call("explore", integers, *SMALL, "--json")
    assert answer.err == ""
    with Store.open(store_path) as store:
        (kept,) = store.explorations("dot")
    assert kept.explored.content["feasible"] == answer.json["feasible"]
    assert kept.explored.content["command"][0].startswith(f"fheasible run {integers} ")


def test_an_answer_that_cannot_be_kept_is_given_all_the_same(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("fheasible.exploration.reasons.recorded.record", full)
    answer = call("explore", integers, *SMALL, "--json")
    assert answer.code == 0
    assert answer.json["candidates"]
    assert (
        answer.err
        == "warning: this answer was not stored, so no report can show it: OSError: no space left\n"
    )


def rows(count: int, degree: str) -> Columns:
    given = {"library": "seal", "degree": degree, "cpu_seconds": np.arange(count) / 3, "pareto": True}
    return Columns.of(count, np.zeros((count, 2), np.int64), given)


def test_parts_stand_one_below_the_other_and_appear_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "sets.csv"
    with writing(str(file), as_json=False, say=print) as each:
        assert each is not None
        for count, degree in ((3, "63,31"), (0, ""), (2, "")):
            each(rows(count, degree))
        assert not file.exists()
    read = table(file.read_text())
    assert [row["degree"] for row in read] == ["63,31"] * 3 + [""] * 2
    assert [float(row["cpu_seconds"]) for row in read] == [0, 1 / 3, 2 / 3, 0, 1 / 3]  # every digit is kept
    assert {(row["library"], row["log_q"], row["technique"]) for row in read} == {("seal", "", "")}


def test_no_table_appears_where_its_writing_fails(tmp_path: Path) -> None:
    def begin_and_fail() -> None:
        with writing(str(tmp_path / "sets.csv"), as_json=False, say=print) as each:
            assert each is not None
            each(rows(3, ""))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin_and_fail()
    assert not [file for file in tmp_path.iterdir() if "sets" in file.name]


@pytest.mark.long
def test_a_reader_that_has_seen_enough_gets_no_complaint(integers: str, store_path: Path) -> None:
    reading, writing_end = os.pipe()
    os.close(reading)
    words = ("explore", integers, *SMALL, "--csv", "-", "--store", str(store_path))
    command = [sys.executable, "-m", "fheasible.cli.main", *words]
    done = subprocess.run(command, stdout=writing_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing_end)
    assert done.returncode == 141
    assert done.stderr == ""


def test_a_file_that_grows_large_is_said_once_while_it_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fheasible.cli.sets.LARGE", 1000)
    said: list[str] = []
    with writing(str(tmp_path / "sets.csv"), as_json=False, say=said.append) as each:
        assert each is not None
        each(rows(1, "63"))
        assert said == []
        for _ in range(20):
            each(rows(1, "63"))
    assert len(said) == 1
    assert said[0].startswith(f"{tmp_path / 'sets.csv'}: ")
    assert each.bytes + len(",".join(COLUMNS)) + 1 == (tmp_path / "sets.csv").stat().st_size
