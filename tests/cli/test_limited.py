"""Runs under a limit on memory: what is said, stored, and taken from the store."""

from pathlib import Path

import pytest

import fheasible as fh
from fheasible.calibration.swap import NAME
from fheasible.errors import UsageError
from fheasible.estimation.swapping import SwapSpeed
from fheasible.measurement.limited import group
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store

from ..measurement.limited.test_confined import reason_against
from .conftest import Call

APP = str(Path(__file__).parents[2] / "examples" / "2_std_dev.py")
SWEEP = ("sweep", APP, "--library", "seal", "--vary", "scale_bits=30", "--execute", "--repetitions", "1")
RUN = ("run", APP, "--library", "seal", "--param", "scale_bits=30", "--repetitions", "1")
live = pytest.mark.skipif(bool(reason_against()), reason=reason_against())


DEVIATIONS = """
import fheasible as fh

@fh.app(x=fh.reals(4096, low=0, high=1))
def deviations(x):
    return fh.mean(fh.square(x - fh.mean(x)))
"""


@pytest.fixture
def deviations(tmp_path: Path) -> str:
    """A file with an application that rotates, so that it has many keys."""
    (tmp_path / "deviations.py").write_text(DEVIATIONS)
    return str(tmp_path / "deviations.py")


@live
@pytest.mark.slow
@pytest.mark.worker
def test_a_kill_for_memory_is_stored_and_holds_for_its_limit_alone(call: Call, store_path: Path) -> None:
    first = call(*SWEEP, "--memory-limit", "64MiB", "--json")
    assert first.code == 1
    (row,) = first.json["sets"]
    assert row["executed"]["outcome"] == "killed for memory"
    assert "64.0 MiB" in row["executed"]["message"]
    call(*SWEEP, "--memory-limit", "64MiB")
    call(*SWEEP, "--memory-limit", "80MiB")
    with Store.open(store_path) as store:
        found = store.measurements()
    assert [m.entry.outcome for m in found] == ["killed for memory"] * 2
    assert [m.environment["memory_limit"]["memory_bytes"] >> 20 for m in found] == [80, 64]
    listed = call("results", "list", "--outcome", "killed for memory")
    assert listed.out.count("killed for memory") == 2


@live
@pytest.mark.slow
@pytest.mark.worker
def test_with_swap_the_run_is_right_and_its_traffic_is_stored_by_name(call: Call, store_path: Path) -> None:
    found = call(*RUN, "--memory-limit", "512MiB", "--swap", "1GiB")
    assert found.code == 0, found.err
    assert "limited memory" in found.out
    assert "512 MiB, swap 1.00 GiB" in found.out
    with Store.open(store_path) as store:
        (kept,) = store.measurements()
    limited = (kept.entry.measurement or {})["limited"]
    assert limited["swap_written_bytes"] > 50 * 2**20
    assert limited["most_held_bytes"] <= 512 * 2**20
    assert sum(limited["traffic"]["written_kibibytes"]) > 50 * 2**10
    assert "written to swap" in call("results", "show", "1").out


def test_where_no_limit_can_be_set_nothing_is_run_or_stored(
    call: Call, store_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(group, "own_groups", lambda *_: iter(()))
    found = call(*RUN, "--memory-limit", "512MiB")
    assert found.code == 1
    assert "there are none here" in found.err
    assert "systemd-run" in found.err
    with Store.open(store_path) as store:
        assert store.measurements() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*RUN, "--memory-limit", "lots"), "--memory-limit lots is not a size"),
        ((*RUN, "--swap", "4GiB"), "needs a limit on memory"),
        (("verify", APP, "--memory-limit", "1KiB"), "is not a size from 1.00 MiB"),
        (("run", APP, "--library", "reference", "--memory-limit", "1GiB"), "runs of a library alone"),
        (
            ("sweep", "fv", "--vary", "n=4096", "--execute", "--memory-limit", "1GiB"),
            "runs of a library alone",
        ),
        ((*SWEEP[:6], "--memory-limit", "1GiB"), "nothing is run"),
        (("measure", "mul", "--library", "seal", "--swap", "4GiB"), "needs a limit on memory"),
        (("measure", "mul", "--library", "seal", "--memory-limit", "1GiB", "--swap"), "--swap has no size"),
        (("explore", APP, "--swap"), "--swap needs a limit on memory, beyond which sets swap"),
        (("explore", APP, "--max-memory", "1GiB", "--swap", "0"), "--swap 0 is not a size"),
        (("explore", APP, "--max-memory", "lots"), "--max-memory lots is not a size"),
        (("explore", APP, "--max-memory", "-1"), "--max-memory -1 is not a size"),
        (("explore", APP, "--library", "reference", "--max-memory", "1GiB", "--swap"), "have no --swap"),
        (("calibrate", "--swap", "--library", "seal"), "not of a library"),
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_done(
    words: tuple[str, ...], said: str, call: Call
) -> None:
    found = call(*words)
    assert found.code == 2
    assert said in found.err


def test_without_a_measured_speed_the_answer_says_so_and_leaves_larger_sets_out(
    call: Call, deviations: str
) -> None:
    found = call("explore", deviations, "--library", "lattigo", "--max-memory", "75MiB", "--swap", "--json")
    assert found.code == 0, found.err
    assert any("fheasible calibrate --swap" in line for line in found.json["warnings"])
    assert all(c["estimate"]["peak_bytes"] <= 75 * 2**20 for c in found.json["candidates"])


def test_with_a_speed_larger_sets_are_in_the_answer_with_what_they_wait(
    call: Call, deviations: str, store_path: Path
) -> None:
    with Store.open(store_path) as store:
        speed, here = SwapSpeed(5e-9, 4e-9, "", "2026-01-02"), this_machine().fingerprint
        store.add_profile(here, NAME, "6.1", 1, speed.to_json())
    words = ("explore", deviations, "--library", "lattigo", "--max-memory")
    found, limited = call(*words, "0.0625GiB", "--swap", "--json"), call(*words, "64", "--json")
    assert found.code == 0, found.err
    beyond = [c for c in found.json["candidates"] if c["estimate"]["peak_bytes"] > 64 * 2**20]
    assert beyond
    assert all(c["estimate"]["swap"]["limit_bytes"] == 64 * 2**20 for c in beyond)
    assert all("swap" not in c["estimate"] for c in limited.json["candidates"])
    assert all(c["estimate"]["peak_bytes"] <= 64 * 2**20 for c in limited.json["candidates"])


@live
@pytest.mark.slow
@pytest.mark.worker
def test_the_recommended_set_is_run_with_the_memory_and_swap_it_was_judged_by(
    call: Call, store_path: Path
) -> None:
    assert call("calibrate", "--swap").code == 0
    words = ("--library", "seal", "--max-memory", "512MiB", "--swap", "--repetitions", "1", "--json")
    found = call("verify", APP, *words)
    assert found.code == 0, found.err
    assert found.json["environment"]["memory_limit"]["memory_bytes"] == 512 * 2**20
    assert found.json["measurement"]["limited"]["most_held_bytes"] <= 512 * 2**20
    assert found.json["estimate"]["swap"]["read_bytes"]["evaluate"] > 0


@live
@pytest.mark.slow
@pytest.mark.worker
def test_operations_are_measured_under_a_limit_and_kept_apart(call: Call) -> None:
    words = ("measure", "add", "--library", "seal", "--param", "ring_dimension=8192", "--depth", "1")
    first = call(*words, "--passes", "1", "--memory-limit", "128MiB", "--swap", "256MiB", "--json")
    assert first.code == 0, first.err
    assert first.json["memory_limit"] == {"memory_bytes": 128 * 2**20, "swap_bytes": 256 * 2**20}
    assert first.json["jobs"][0]["limited"]["memory_limit_bytes"] == 128 * 2**20
    free = call(*words, "--passes", "1", "--json").json
    assert free["jobs"][0]["stored_before"] == 0
    assert free["jobs"][0]["limited"] is None


@live
@pytest.mark.slow
@pytest.mark.worker
def test_verify_in_python_runs_under_a_limit(tmp_path: Path) -> None:
    app = Path(APP).parent / "4_inner_product.py"
    asked = {"libraries": "seal", "repetitions": 1, "store": tmp_path / "s.sqlite"}
    found = fh.verify(app, memory_limit="512MiB", swap="1GiB", **asked)
    with Store.open(tmp_path / "s.sqlite") as store:
        stored = store.show(found.number or 0)
    assert stored.environment["memory_limit"] == {"memory_bytes": 2**29, "swap_bytes": 2**30}
    with pytest.raises(UsageError, match="needs a limit on memory"):
        fh.verify(app, swap="1GiB", **asked)
