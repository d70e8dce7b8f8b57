"""accuracy judges what is stored or runs what is missing, and says what it needs where it cannot."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accuracy.made import a_job, a_measurement, a_record, every_primitive, insecure, told
from fheasible.accuracy.campaign import name
from fheasible.calibration import profiles
from fheasible.estimation.profile import Profile
from fheasible.measurement.sampled import Record, to_row
from fheasible.store.store import Store

Keep = Callable[..., None]


@pytest.fixture
def profiled(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Profiles of those libraries, by which everything takes 1.1 ms."""

    def given(*libraries: str, origin: str = "") -> None:
        found = {lib: replace(told(lib, other=1.1e-3), origin=origin) for lib in libraries}

        def of_this_machine(store: Store, names: Iterable[str]) -> dict[str, Profile]:
            return {name: found[name] for name in names if name in found}

        monkeypatch.setattr(profiles, "of_this_machine", of_this_machine)

    return given


@pytest.fixture
def keep(store_path: Path) -> Keep:
    """Stores records as an earlier call would have."""

    def given(kind: str, *records: Record) -> None:
        with Store.open(store_path) as store:
            for record in records:
                store.add_sample(to_row(replace(record, campaign=name(kind))), record.environment)

    return given


@pytest.fixture
def stored(keep: Keep, profiled: Callable[..., None]) -> None:
    """Operations of 1 ms each and an application, of SEAL and Lattigo."""
    profiled("seal", "lattigo")
    for library in ("seal", "lattigo"):
        p = insecure(library)
        grid, applied = a_job(p, every_primitive(p)), a_job(p, label=f"{library} sums")
        keep("operations", a_record(grid, a_measurement(grid)))
        keep("applications", a_record(applied, a_measurement(applied), application="sums"))


@pytest.mark.usefixtures("stored")
def test_stored_runs_are_judged_without_running_anything(call: Any) -> None:
    answer = call("accuracy", "--stored", "--json")
    assert answer.code == 0
    assert {row["library"] for row in answer.json["operations"]} == {"seal", "lattigo"}
    assert answer.json["errors"]["operations"]["mean"] == pytest.approx(0.1)
    assert [row["name"] for row in answer.json["applications"]] == ["sums", "sums"]


@pytest.mark.usefixtures("stored")
def test_the_terminal_shows_errors_targets_the_worst_and_the_circumstances(call: Any) -> None:
    answer = call("accuracy", "--stored")
    assert answer.code == 0
    lines = [line.split() for line in answer.out.splitlines()]
    assert ["SEAL", "CKKS"] in [line[:2] for line in lines]
    assert ["operations", "mean", "4.0", "%", "10.0", "%", "no"] in lines
    assert any(line[:2] == ["worst:", "+10.0"] for line in lines)
    assert any(line[0:1] == ["measured:"] for line in lines)
    assert max(map(len, answer.out.splitlines())) <= 100


@pytest.mark.usefixtures("stored")
def test_one_library_and_operations_alone(call: Any) -> None:
    found = call("accuracy", "--stored", "--library", "seal", "--operations", "--json").json
    assert {row["library"] for row in found["operations"]} == {"seal"}
    assert found["applications"] == []


@pytest.mark.long
@pytest.mark.usefixtures("stored")
def test_files_are_written(call: Any, tmp_path: Path) -> None:
    page, table = tmp_path / "page.html", tmp_path / "all.csv"
    answer = call("accuracy", "--stored", "--report", str(page), "--csv", str(table), "--json")
    assert answer.code == 0
    assert "How far predictions are from reality" in page.read_text()
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    operations = [row for row in rows if row["kind"] == "operation"]
    assert len(operations) == len(answer.json["operations"])
    total = next(row for row in rows if row["figure"] == "cpu_seconds.total")
    assert float(total["relative_error"]) == pytest.approx(
        float(total["predicted"]) / float(total["measured"]) - 1
    )


def test_without_a_profile_of_this_machine_the_remedy_is_to_calibrate(
    call: Any, profiled: Callable[..., None]
) -> None:
    profiled("seal", origin="another place")
    answer = call("accuracy", "--stored", "--json")
    assert answer.code == 1
    assert answer.json["error"]["remedy"] == "fheasible calibrate, then fheasible accuracy"
    assert "OpenFHE, SEAL, Lattigo" in answer.json["error"]["message"]


def test_a_named_library_needs_a_profile_and_one_of_all_does_not(
    call: Any, stored: None, profiled: Callable[..., None]
) -> None:
    profiled("seal")
    assert call("accuracy", "--stored", "--json").code == 0
    answer = call("accuracy", "--stored", "--library", "lattigo", "--json")
    assert answer.code == 1
    assert answer.json["error"]["remedy"] == "fheasible calibrate --library lattigo, then fheasible accuracy"


def test_nothing_stored_is_said(call: Any, profiled: Callable[..., None]) -> None:
    profiled("seal")
    answer = call("accuracy", "--stored", "--json")
    assert answer.code == 1
    assert "no such runs are stored" in answer.json["error"]["message"]


@pytest.mark.usefixtures("nothing_installed")
def test_what_is_not_installed_cannot_be_run(call: Any, profiled: Callable[..., None]) -> None:
    profiled("seal")
    answer = call("accuracy", "--quick", "--json")
    assert answer.code == 1
    assert answer.json["error"]["remedy"] == "fheasible libraries install seal"


@pytest.mark.usefixtures("stored")
def test_a_file_that_cannot_be_written_is_told_before_anything_is_run(call: Any, tmp_path: Path) -> None:
    answer = call("accuracy", "--report", str(tmp_path), "--json")
    assert answer.code == 2


@pytest.mark.parametrize(("outcome", "code"), [("wrong", 3), ("died", 1)])
def test_a_run_that_failed_is_named_and_decides_the_exit_code(
    call: Any, stored: None, keep: Keep, outcome: str, code: int
) -> None:
    job = a_job(insecure(limbs=3), label="the bad one")
    keep("applications", a_record(job, a_measurement(job) if outcome == "wrong" else None, 0, outcome))
    answer = call("accuracy", "--stored")
    assert answer.code == code
    assert f"{outcome}: the bad one" in answer.out


@pytest.mark.slow
@pytest.mark.worker
def test_a_quick_grid_is_run_once_and_then_known(
    call: Any, installed: Callable[[str], None], profiled: Callable[..., None]
) -> None:
    installed("lattigo")
    profiled("lattigo")
    words = ("accuracy", "--library", "lattigo", "--scheme", "ckks", "--quick", "--operations", "--json")
    first = call(*words)
    assert first.code == 0
    assert "10 runs: about" in first.err
    assert len(first.json["operations"]) > 100
    again = call(*words)
    assert "10 runs, of which 10 are stored already" in again.err
    assert again.json["operations"] == first.json["operations"]


@pytest.mark.parametrize("more", [("--quick",), ("--app", "examples/1_sum_of_products.py")])
def test_what_runs_nothing_chooses_nothing_to_run(call: Any, more: tuple[str, ...]) -> None:
    answer = call("accuracy", "--stored", *more, "--json")
    assert answer.code == 2
    assert more[0] in answer.json["error"]["message"]
