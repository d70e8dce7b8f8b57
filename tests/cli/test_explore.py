"""explore: the document, the table, and what is said where nothing fits or nothing is known."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from estimation.profiles import invented
from fheasible.api.listing import LEGEND, title

SMALL = ("--library", "seal", "--scheme", "bfv")


def test_the_document_has_the_shape_of_the_design(call: Any, integers: str) -> None:
    answer = call("explore", integers, *SMALL, "--json")
    found = answer.json
    assert answer.code == 0
    assert {"app", "explored", "feasible", "seconds", "candidates", "rejected"} <= set(found)
    assert found["app"] == "dot"
    assert 0 < len(found["candidates"]) <= found["feasible"] <= found["explored"]
    best = found["candidates"][0]
    assert {"library", "scheme", "request", "parameters", "estimate", "pareto"} <= set(best)
    assert {"ring_dimension", "log_q", "log_p"} <= set(best["parameters"])
    phases = {"keygen", "encrypt", "evaluate", "decrypt", "total"}
    assert set(best["estimate"]["cpu_seconds"]) == set(best["estimate"]["wall_seconds"]) == phases


def test_without_a_profile_times_are_null_and_the_remedy_is_named(call: Any, integers: str) -> None:
    found = call("explore", integers, *SMALL, "--json").json
    for candidate in found["candidates"]:
        assert candidate["estimate"]["calibrated"] is False
        assert set(candidate["estimate"]["cpu_seconds"].values()) == {None}
    assert found["libraries"][0]["calibrated"] is False
    assert "fheasible calibrate" in " ".join(call("explore", integers, *SMALL).out.split())


def test_with_a_profile_times_are_there_and_the_least_is_first(
    call: Any, integers: str, calibrated: Any
) -> None:
    calibrated("seal", "4.4.0")
    candidates = call("explore", integers, *SMALL, "--json").json["candidates"]
    times = [c["estimate"]["cpu_seconds"]["total"] for c in candidates]
    assert all(c["estimate"]["calibrated"] for c in candidates)
    assert times == sorted(times)
    for c in candidates:
        cpu = c["estimate"]["cpu_seconds"]
        assert cpu["total"] == pytest.approx(cpu["encrypt"] + cpu["evaluate"] + cpu["decrypt"])


def test_times_of_a_shipped_profile_are_told_as_another_machine_s(
    call: Any, integers: str, shipped: Any
) -> None:
    shipped(replace(invented("seal", 1e-10), origin="Some CPU @ 3 GHz", error_band=0.1))
    found = call("explore", integers, *SMALL, "--json").json
    best = found["candidates"][0]["estimate"]
    assert best["cpu_seconds"]["total"] > 0
    assert (best["calibrated"], best["profile_of"], best["error_band"]) == (False, "Some CPU @ 3 GHz", 0.5)
    assert found["libraries"][0]["calibrated"] is False
    said = " ".join(call("explore", integers, *SMALL).out.split())
    assert (
        "another machine (Some CPU @ 3 GHz) and are within about 50% of this one's. Remedy: fheasible "
        "calibrate" in said
    )


def test_a_profile_of_this_machine_takes_the_place_of_the_shipped_one(
    call: Any, integers: str, calibrated: Any, shipped: Any
) -> None:
    shipped(replace(invented("seal", 1.0), origin="Some CPU @ 3 GHz"))
    calibrated("seal", "4.4.0")
    best = call("explore", integers, *SMALL, "--json").json["candidates"][0]["estimate"]
    assert (best["calibrated"], best["error_band"]) == (True, 0.25)
    assert "Some CPU" not in call("explore", integers, *SMALL).out


def test_a_limit_on_time_leaves_out_what_is_slower(call: Any, integers: str, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    every = call("explore", integers, *SMALL, "--json").json
    times = [c["estimate"]["cpu_seconds"]["total"] for c in every["candidates"]]
    limit = (times[0] + times[-1]) / 2
    fewer = call("explore", integers, *SMALL, "--max-time", f"{limit}", "--json").json
    left = [c["estimate"]["cpu_seconds"]["total"] for c in fewer["candidates"]]
    assert left[0] == times[0]
    assert max(left) <= limit < times[-1]
    assert 0 < fewer["feasible"] < every["feasible"]


def test_nothing_fits_is_a_result_with_reasons(call: Any, reals: str) -> None:
    words = ("explore", reals, "--library", "seal", "--precision", "51")
    found = call(*words, "--json")
    assert found.code == 1
    assert found.json["feasible"] == 0
    assert found.json["candidates"] == []
    assert {r["scheme"] for r in found.json["rejected"]} == {"ckks", "bgv", "bfv"}
    assert all(r["reason"] for r in found.json["rejected"])
    shown = call(*words)
    assert shown.code == 1
    assert "why not CKKS (SEAL):" in shown.out
    assert "51 are asked" in shown.out.replace("\n  ", " ")


def test_the_table_fits_a_hundred_columns_and_stars_the_best(
    call: Any, integers: str, calibrated: Any
) -> None:
    for library, version in (("seal", "4.4.0"), ("openfhe", "1.6.1"), ("lattigo", "6.1.1")):
        calibrated(library, version)
    best = call("explore", integers, "--json").json["candidates"][0]
    lines = call("explore", integers).out.splitlines()
    assert max(len(line) for line in lines if integers not in line) <= 100  # a path may be longer
    rows = rows_of(lines)
    assert [row for row in rows if row[0] == "*"] == rows[:1]
    assert rows[0][3:].split()[:2] == [title(best["library"]), best["scheme"].upper()]
    assert 1 < len(rows) <= 8
    kinds = [(*row[3:].split()[:3], row.split()[-1] if "OpenFHE" in row else "") for row in rows]
    assert len(kinds) == len(set(kinds))


def rows_of(lines: list[str]) -> list[str]:
    """Of the table: from below its header to the first line that no library stands in."""
    (top,) = [i for i, line in enumerate(lines) if line.split()[:3] == ["library", "scheme", "N"]]
    rows = lines[top + 1 :]
    titles = ("SEAL", "OpenFHE", "Lattigo")
    end = next(i for i, line in enumerate(rows) if not line[3:].startswith((*titles, " ")))
    return [row for row in rows[:end] if row[3:].startswith(titles)]


@pytest.mark.long
@pytest.mark.parametrize("columns", [40, 57, 100, 400])
def test_no_line_is_wider_than_the_terminal_nor_a_sentence_than_a_hundred_columns(
    call: Any, reals: str, calibrated: Any, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    calibrated("openfhe", "1.6.1")
    monkeypatch.setenv("COLUMNS", str(columns))
    words = ("--library", "openfhe", "--objective", "time:0.5,communication:0.2,amortised:0.3")
    told = call("explore", reals, *words).out.split("\nrun it:")[0].splitlines()
    longest = max((word for line in told for word in line.split()), key=len)
    assert max(map(len, told)) <= max(columns, len(longest) + 2)
    begins = next(i for i, line in enumerate(told) if line.startswith("   library"))
    ends = next(i for i, line in enumerate(told) if line.startswith("   * recommended"))
    sentences = [*told[:begins], *told[ends:]]
    assert max(map(len, sentences)) <= max(min(columns, 100), len(longest) + 2)


def test_colours_are_a_terminal_s_alone(call: Any, integers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in call("explore", integers, *SMALL).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured = call("explore", integers, *SMALL).out
    assert "\x1b[1;32m*" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in call("explore", integers, *SMALL).out


def test_marks_are_said_beneath(call: Any, integers: str, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    lines = call("explore", integers, *SMALL).out.splitlines()
    used = {mark for row in rows_of(lines) for mark in row[:2].strip()}
    assert "*" in used
    for mark, meaning in LEGEND.items():
        said = f"   {mark} {meaning.partition(';')[0]}"
        assert any(line.startswith(said) for line in lines) == (mark in used)


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (("--objective", "communication"), "traffic"),
        (("--objective", "size"), "traffic"),
        (("--objective", "amortised"), "per request"),
        (("--objective", "cost", "--price-core-hour", "0.05"), "cost"),
        (("--objective", "time:0.9,communication:0.1"), "traffic"),
        (("--objective", "memory"), "ciphertext"),
    ],
)
def test_the_figure_that_ranks_is_shown(
    call: Any, integers: str, calibrated: Any, words: tuple[str, ...], own: str
) -> None:
    calibrated("seal", "4.4.0")
    lines = call("explore", integers, *SMALL, *words).out.splitlines()
    (header,) = [line for line in lines if "log QP" in line and "scheme" in line]
    assert own in header


def test_a_limit_that_cannot_be_judged_is_told(call: Any, integers: str, calibrated: Any) -> None:
    words = ("explore", integers, *SMALL, "--max-time", "0.5", "--json")
    assert "warning: the limit on time cannot be checked for seal" in call(*words).err
    calibrated("seal", "4.4.0")
    assert call(*words).err == ""


@pytest.mark.long
def test_all_shows_every_candidate(call: Any, integers: str) -> None:
    listed = call("explore", integers, *SMALL, "--all", "--json").json["candidates"]
    assert len(rows_of(call("explore", integers, *SMALL, "--all").out.splitlines())) == len(listed)


@pytest.mark.usefixtures("nothing_installed")
def test_what_is_not_installed_is_explored_all_the_same(call: Any, integers: str) -> None:
    answer = call("explore", integers, *SMALL)
    assert answer.code == 0
    assert "not installed: SEAL. Remedy: fheasible libraries install seal" in answer.out
    (seal,) = call("explore", integers, *SMALL, "--json").json["libraries"]
    assert (seal["installed"], seal["remedy"]) == (False, "fheasible libraries install seal")


def test_names_are_understood_in_any_case(call: Any, integers: str) -> None:
    found = call("explore", integers, "--library", "SEAL", "--scheme", "BFV", "--json").json
    assert {(c["library"], c["scheme"]) for c in found["candidates"]} == {("seal", "bfv")}


def test_the_data_are_named_that_the_precision_holds_for(call: Any, reals: str, tmp_path: Any) -> None:
    words = ("explore", reals, "--library", "seal")
    assert "seed 5" in call(*words, "--seed", "5", "--json").json["data"]
    (tmp_path / "x.csv").write_text("x\n0.5\n0.25\n")
    found = call(*words, "--data", str(tmp_path / "x.csv"))
    assert "2 encrypted reals" in found.out
    assert f"judged on: {tmp_path / 'x.csv'}" in " ".join(found.out.split())


def test_warnings_of_the_circuit_are_shown(call: Any, tmp_path: Any) -> None:
    (tmp_path / "root.py").write_text(
        "import fheasible as fh\n@fh.app(x=fh.reals(4, low=0, high=1))\n"
        "def root(x):\n    return fh.sqrt(x * x * x - x + 1, low=0.6, high=1, degree=7)\n"
    )
    words = ("explore", str(tmp_path / "root.py"), "--library", "seal")
    assert call(*words, "--json").json["warnings"]
    assert "warning: " in " ".join(call(*words).out.split())


def test_a_price_shows_the_cost_whatever_the_objective_is(call: Any, integers: str, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    words = ("explore", integers, *SMALL)
    assert " cost " not in call(*words).out
    assert " cost " in call(*words, "--price-core-hour", "0.05").out


@pytest.mark.long
def test_a_table_that_was_written_is_told_on_stderr(call: Any, integers: str, tmp_path: Path) -> None:
    out = tmp_path / "sets.csv"
    answer = call("explore", integers, *SMALL, "--csv", str(out))
    lines = len(out.read_text().splitlines()) - 1
    assert f"{out}: {lines:,} sets, one per line" in answer.err


LOOP = """
import fheasible as fh

@fh.app(x=fh.integers(8, low=0, high=3))
def every_other(x):
    return x[0] + x[2] + x[7]
"""


@pytest.mark.parametrize("library", ["seal", "tfhe_rs", "reference"])
def test_data_of_another_length_than_declared_are_a_warning(
    call: Any, integers: str, tmp_path: Any, library: str
) -> None:
    data, loop = tmp_path / "d.csv", tmp_path / "loop.py"
    data.write_text("a,b,x\n1,2,3\n3,4,1\n")
    words = (integers, "--library", library, "--data", str(data))
    said = f"in {data.name}, a and b each have 2 values, so this is for 2, not for the 16 that are declared; "
    assert any(line.startswith(said) for line in call("explore", *words, "--json").json["warnings"])
    assert said.replace(" ", "") in "".join(call("explore", *words).out.split())
    loop.write_text(LOOP)
    failed = call("explore", str(loop), "--library", library, "--data", str(data))
    assert failed.code == 1
    assert f"In {data.name}, x has 2 values, so this is for 2, not for the 8 that are declared" in failed.err
