"""explore: the document, the table, and what is said where nothing fits or nothing is known."""

from dataclasses import replace
from typing import Any

import pytest

from estimation.profiles import invented

SMALL = ("--library", "seal", "--scheme", "bfv")


def test_the_document_has_the_shape_of_the_design(call: Any, integers: str) -> None:
    answer = call("explore", integers, *SMALL, "--json")
    found = answer.json
    assert answer.code == 0
    assert {"app", "explored", "feasible", "seconds", "candidates", "rejected"} <= set(found)
    assert found["app"] == "dot"
    assert 0 < found["feasible"] == len(found["candidates"]) <= found["explored"]
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
    assert "fheasible calibrate" in call("explore", integers, *SMALL).out


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
        "another machine (Some CPU @ 3 GHz), within some 50% of this one's. Remedy: fheasible calibrate"
        in said
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
    candidates = call("explore", integers, *SMALL, "--json").json["candidates"]
    times = [c["estimate"]["cpu_seconds"]["total"] for c in candidates]
    limit = (times[0] + times[-1]) / 2
    fewer = call("explore", integers, *SMALL, "--max-time", f"{limit}", "--json").json
    assert fewer["feasible"] == sum(t <= limit for t in times) < len(times)


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
    lines = call("explore", integers).out.splitlines()
    assert max(map(len, lines)) <= 100
    (star,) = [i for i, line in enumerate(lines) if line.startswith("* ")]
    assert lines[star - 1].split()[:3] == ["library", "scheme", "N"]
    end = next(i for i, line in enumerate(lines) if line.startswith("  ... and "))
    shown = [line.removeprefix("* ").split() for line in lines[star:end]]
    assert 1 < len(shown) <= 8
    kinds = [(*words[:3], words[-1] if words[0] == "OpenFHE" else "") for words in shown]
    assert len(kinds) == len(set(kinds))


def test_a_limit_that_cannot_be_judged_is_told(call: Any, integers: str, calibrated: Any) -> None:
    words = ("explore", integers, *SMALL, "--max-time", "0.5", "--json")
    assert "warning: no limit of time holds for seal" in call(*words).err
    calibrated("seal", "4.4.0")
    assert call(*words).err == ""


def test_all_shows_every_feasible_set(call: Any, integers: str) -> None:
    feasible = call("explore", integers, *SMALL, "--json").json["feasible"]
    lines = call("explore", integers, *SMALL, "--all").out.splitlines()
    assert sum("SEAL" in line and "BFV" in line and "2^1" in line for line in lines) == feasible


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
    assert f"judged on: {tmp_path / 'x.csv'}" in found.out


def test_warnings_of_the_circuit_are_shown(call: Any, tmp_path: Any) -> None:
    (tmp_path / "root.py").write_text(
        "import fheasible as fh\n@fh.app(x=fh.reals(4, low=0, high=1))\n"
        "def root(x):\n    return fh.sqrt(x * x - x + 1, low=0.7, high=1, degree=7)\n"
    )
    words = ("explore", str(tmp_path / "root.py"), "--library", "seal")
    assert call(*words, "--json").json["warnings"]
    assert "warning: " in call(*words).out
