"""Runs under a limit on memory: what is said, stored, and taken from the store."""

from pathlib import Path

import pytest

from fheasible.measurement.limited import group
from fheasible.store.store import Store

from ..measurement.limited.test_confined import reason_against
from .conftest import Call

APP = str(Path(__file__).parents[2] / "examples" / "2_std_dev.py")
SWEEP = ("sweep", APP, "--library", "seal", "--vary", "scale_bits=30", "--execute", "--repetitions", "1")
RUN = ("run", APP, "--library", "seal", "--param", "scale_bits=30", "--repetitions", "1")
live = pytest.mark.skipif(bool(reason_against()), reason=reason_against())


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
    ],
)
def test_what_cannot_be_meant_is_said_before_anything_is_done(
    words: tuple[str, ...], said: str, call: Call
) -> None:
    found = call(*words)
    assert found.code == 2
    assert said in found.err
