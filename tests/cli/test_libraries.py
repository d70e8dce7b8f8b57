"""libraries and doctor: what is here, and what to do about the rest."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fheasible.errors import LibraryMissing
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.registry import libraries
from fheasible.rings.exact import REMEDY
from machines import MACHINES, on


@pytest.mark.usefixtures("nothing_installed")
def test_a_library_that_is_not_installed_is_listed_with_its_remedy(call: Any) -> None:
    listed = call("libraries", "list", "--json").json["libraries"]
    assert {x["library"] for x in listed} == set(libraries())
    for x in listed:
        assert (x["installed"], x["version"]) == (False, None)
        assert x["remedy"] == f"fheasible libraries install {x['library']}"
    assert "fheasible libraries install lattigo" in call("libraries").out


def test_a_remedy_has_a_line_beside_long_runtimes(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hello = SimpleNamespace(version="1", binding="b", runtime="r" * 70, schemes=("bfv", "bgv", "ckks"))
    lacking = LibraryMissing("lattigo is not installed", "fheasible libraries install lattigo")
    monkeypatch.setattr(
        "fheasible.cli.libraries.greet",
        lambda name: (None, lacking) if name == "lattigo" else (hello, None),
    )
    lines = call("libraries").out.splitlines()
    assert "lattigo is not installed. Remedy: fheasible libraries install lattigo" in lines


@pytest.mark.worker
def test_an_installed_library_is_listed_with_what_its_worker_says(call: Any, installed: Any) -> None:
    installed("seal")
    listed = {x["library"]: x for x in call("libraries", "--json").json["libraries"]}
    assert listed["seal"]["installed"] is True
    assert listed["seal"]["version"] == CATALOGUE["seal"].version
    assert listed["seal"]["schemes"] == ["bfv", "bgv", "ckks"]


@pytest.mark.usefixtures("nothing_installed")
def test_installing_what_cannot_be_had_fails_with_the_reason(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.measurement import install

    monkeypatch.setattr(install, "_GO_PLACES", ("/nowhere/go",))
    monkeypatch.setattr(install, "command", _absent)
    answer = call("libraries", "install", "Lattigo", "--json")
    assert answer.code == 1
    (lattigo,) = answer.json["libraries"]
    assert (lattigo["library"], lattigo["installed"]) == ("lattigo", False)
    assert "Go" in lattigo["error"]["message"]


def _absent(name: str) -> Any:
    from fheasible.measurement import registry

    found = registry.command(name)
    found.folder.mkdir(parents=True, exist_ok=True)
    return found


@pytest.mark.worker
def test_installing_what_is_there_changes_nothing(call: Any, installed: Any) -> None:
    from fheasible.measurement.registry import command

    installed("lattigo")
    stamp = command("lattigo").stamp
    if not stamp.is_file() or stamp.read_text() != command("lattigo").made_from:
        pytest.skip("lattigo was not installed by fheasible libraries install")
    before = command("lattigo").environment.stat().st_mtime_ns
    answer = call("libraries", "install", "lattigo", "--json")
    assert answer.code == 0
    assert answer.json["libraries"] == [{"library": "lattigo", "installed": True, "error": None}]
    assert command("lattigo").environment.stat().st_mtime_ns == before


def checks(answer: Any) -> dict[str, Any]:
    return {c["check"]: c for c in answer.json["checks"]}


@pytest.mark.usefixtures("nothing_installed")
def test_doctor_finds_that_nothing_can_be_run(call: Any) -> None:
    answer = call("doctor", "--json")
    assert answer.code == 1
    assert answer.json["healthy"] is False
    found = checks(answer)
    assert found["libraries"]["state"] == "broken"
    assert found["seal"]["state"] == "warning"
    assert found["seal"]["remedy"] == "fheasible libraries install seal"


@pytest.mark.worker
def test_doctor_judges_profiles_by_the_version_that_is_installed(
    call: Any, calibrated: Any, installed: Any
) -> None:
    installed("seal")
    assert checks(call("doctor", "--json"))["seal profile"]["state"] == "warning"
    calibrated("seal", "4.3.9")
    old = checks(call("doctor", "--json"))["seal profile"]
    assert (old["state"], old["remedy"]) == ("warning", "fheasible calibrate --library seal")
    assert "4.3.9" in old["message"]
    calibrated("seal", "4.4.0")
    assert checks(call("doctor", "--json"))["seal profile"]["state"] == "ok"


@pytest.mark.long
@pytest.mark.usefixtures("nothing_installed")
def test_doctor_finds_a_store_that_cannot_be_opened(call: Any, store_path: Any) -> None:
    store_path.write_text("no database at all, but some notes " * 40)
    answer = call("doctor")
    assert answer.code == 1
    assert f"remedy for store: {checks_remedy(call)}" in answer.out


def checks_remedy(call: Any) -> str:
    return str(checks(call("doctor", "--json"))["store"]["remedy"])


@pytest.mark.long
@pytest.mark.usefixtures("nothing_installed")
def test_doctor_warns_of_a_busy_machine(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fheasible.measurement import machine

    cores = machine.this_machine().cores
    for processes, state in ((0.0, "ok"), (3.0 * cores, "warning")):
        monkeypatch.setattr(machine, "load", lambda n=processes: n)
        assert checks(call("doctor", "--json"))["load"]["state"] == state


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("built", "state", "remedy"), [(True, "ok", ""), (False, "warning", REMEDY)])
def test_doctor_tells_whether_the_exact_ring_is_built(
    call: Any, monkeypatch: pytest.MonkeyPatch, built: bool, state: str, remedy: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if built else None)
    found = checks(call("doctor", "--json"))["exact ring"]
    assert (found["state"], found["remedy"]) == (state, remedy)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("machine", "state"), [("laptop", "warning"), ("unknown", "ok")])
def test_doctor_judges_what_the_machine_is_set_to(
    call: Any, machine: str, state: str, tmp_path: Path
) -> None:
    with on(MACHINES[machine], tmp_path):
        found = checks(call("doctor", "--json"))
    assert {found[name]["state"] for name in ("frequency", "turbo", "swap")} == {state}
    assert bool(found["frequency"]["remedy"]) is (state == "warning")


@pytest.mark.usefixtures("nothing_installed")
def test_doctor_says_whether_the_processor_can_count(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fheasible.measurement import events

    monkeypatch.setattr(events, "available", lambda name: name == "cycles")
    assert checks(call("doctor", "--json"))["counters"]["message"] == "the processor counts cycles"
    monkeypatch.setattr(events, "available", lambda name: False)
    monkeypatch.setattr(events, "forbidden", lambda: True)
    told = checks(call("doctor", "--json"))["counters"]
    assert (told["state"], told["remedy"]) == ("warning", "sudo sysctl kernel.perf_event_paranoid=2")
    monkeypatch.setattr(events, "forbidden", lambda: False)
    assert "not available here" in checks(call("doctor", "--json"))["counters"]["message"]


@pytest.mark.parametrize(("now", "state"), [(0.5, "ok"), (0.7, "warning")])
def test_doctor_tells_how_fast_the_machine_is_beside_its_calibration(
    now: float, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.cli.doctor import _paced
    from fheasible.measurement import pace

    monkeypatch.setattr(pace, "reference_loop", lambda: now)
    ours = SimpleNamespace(pace_seconds=0.5, origin="")
    (found,) = _paced(
        [ours, SimpleNamespace(pace_seconds=0.1, origin="Elsewhere"), SimpleNamespace(pace_seconds=None)]
    )
    assert found.state == state
    assert f"{now / 0.5:.2f} times" in found.message
    assert not list(_paced([]))
