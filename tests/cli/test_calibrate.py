"""calibrate: one library's trouble costs no other its profile."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from estimation.profiles import invented
from fheasible.measurement import registry, worker
from fheasible.measurement.registry import WorkerCommand, command

MUTE = """
import json, sys
hello = dict(type="hello", protocol=1, library="seal", version="4.4.0", made_from="{made_from}")
print(json.dumps(hello | dict(schemes=[], operations=[])), flush=True)
sys.stdin.readline()
sys.exit("no more")
"""


@pytest.fixture
def dying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEAL's worker says hello and dies at the first request."""
    script, python = tmp_path / "dying.py", Path(sys.executable)
    broken = WorkerCommand("seal", (str(python), str(script)), tmp_path, python, tmp_path / "lock")
    script.write_text(MUTE.format(made_from=broken.made_from))
    for place in (worker, registry):
        monkeypatch.setattr(place, "command", lambda name: broken if name == "seal" else command(name))


def test_if_missing_keeps_a_profile_of_the_same_version(call: Any, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    answer = call("calibrate", "--library", "seal", "--if-missing", "--json")
    assert answer.code == 0
    (profile,) = answer.json["profiles"]
    assert (profile["library"], profile["new"], profile["error_band"]) == ("seal", False, 0.25)
    shown = call("calibrate", "--library", "seal", "--if-missing").out
    assert "25.0 %" in shown
    assert "2026-01-02" in shown


@pytest.mark.usefixtures("nothing_installed")
def test_what_is_not_installed_is_left_out_with_its_remedy(call: Any, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    answer = call("calibrate", "--if-missing", "--json")
    assert answer.code == 0
    assert [p["library"] for p in answer.json["profiles"]] == ["seal"]
    remedies = {m["library"]: m["remedy"] for m in answer.json["missing"]}
    assert remedies == {name: f"fheasible libraries install {name}" for name in ("openfhe", "lattigo")}


@pytest.mark.usefixtures("nothing_installed")
def test_a_shipped_profile_is_none_of_this_machine(call: Any, shipped: Any) -> None:
    """So that there is something to calibrate."""
    shipped(replace(invented("seal"), version="4.4.0", origin="Some CPU"))
    answer = call("calibrate", "--library", "seal", "--if-missing", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (1, "LibraryMissing")


@pytest.mark.usefixtures("nothing_installed")
def test_a_named_library_that_is_not_installed_is_an_error(call: Any) -> None:
    answer = call("calibrate", "--library", "seal", "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "LibraryMissing"


@pytest.mark.usefixtures("nothing_installed")
def test_a_library_of_table_lookups_is_calibrated_in_one_way(call: Any) -> None:
    refused = call("calibrate", "--library", "tfhe_rs", "--thorough")
    assert refused.code == 2
    assert "calibrated in one way" in refused.err
    absent = call("calibrate", "--library", "tfhe_rs")
    assert absent.code == 1
    assert "fheasible libraries install tfhe_rs" in absent.err


@pytest.mark.long
@pytest.mark.usefixtures("dying")
def test_a_library_that_fails_costs_no_other_its_profile(call: Any, calibrated: Any) -> None:
    calibrated("lattigo", "6.1.1")
    calibrated("seal", "4.3.0")  # of another version: measured anew
    answer = call("calibrate", "--library", "seal", "--library", "lattigo", "--if-missing", "--json")
    assert answer.code == 1
    assert [p["library"] for p in answer.json["profiles"]] == ["lattigo"]
    (failed,) = answer.json["failed"]
    assert (failed["library"], failed["kind"]) == ("seal", "WorkerFailed")
    assert "no more" in failed["message"]


@pytest.mark.slow
@pytest.mark.worker
def test_a_calibrated_library_predicts_times(call: Any, integers: str, installed: Any) -> None:
    installed("lattigo")
    assert call("calibrate", "--library", "lattigo", "--json").json["profiles"][0]["new"] is True
    best = call("explore", integers, "--library", "lattigo", "--json").json["candidates"][0]
    assert best["estimate"]["cpu_seconds"]["total"] > 0
