"""Finding a Python by running it, and installing only what has to be."""

import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fheasible.errors import LibraryMissing
from fheasible.measurement import install
from fheasible.measurement.registry import WorkerCommand

THIS = (sys.version_info.major, sys.version_info.minor)
PROGRAM = stat.S_IRWXU


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(PROGRAM)
    return str(path)


def test_a_python_that_is_there_and_fails_is_passed_over(tmp_path: Path) -> None:
    shim = script(tmp_path / "shim", "#!/bin/sh\necho 'command not found' >&2\nexit 127\n")
    absent = str(tmp_path / "absent")
    assert install.first_python(THIS, [shim, absent, sys.executable]) == Path(sys.executable)


def test_a_python_of_another_version_is_passed_over() -> None:
    assert install.first_python((2, 7), [sys.executable]) is None


def test_pythons_are_looked_for_on_the_path_and_then_with_pyenv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path = tmp_path / "bin"
    pyenv = tmp_path / ".pyenv" / "versions" / "3.10.13" / "bin"
    for folder in (on_path, pyenv):
        folder.mkdir(parents=True)
    first = script(on_path / "python3.10", "")
    second = script(pyenv / "python", "")
    monkeypatch.setenv("PATH", f"{on_path}:{tmp_path / 'absent'}")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert list(install.pythons("python3.10", "3.10*")) == [first, second]


def test_a_step_that_fails_is_told_with_its_last_words_and_the_remedy(tmp_path: Path) -> None:
    target = WorkerCommand("seal", (), tmp_path, tmp_path / "python", tmp_path / "lock")
    failing = script(tmp_path / "uv", "#!/bin/sh\necho 'no such package' >&2\nexit 1\n")
    with pytest.raises(LibraryMissing, match="no such package") as caught:
        install._do(target, [failing])
    assert caught.value.remedy == "fheasible libraries install seal"


def test_an_environment_is_made_anew_when_its_lock_changes(tmp_path: Path) -> None:
    target = WorkerCommand("seal", (), tmp_path, tmp_path / "python", tmp_path / "lock")
    (tmp_path / "lock").write_text("numpy==1")
    before = target.made_from
    assert target.made_from == before
    (tmp_path / "lock").write_text("numpy==2")
    assert target.made_from != before


def test_a_worker_in_go_is_made_anew_when_its_sources_change_and_not_for_its_tests(tmp_path: Path) -> None:
    target = WorkerCommand("lattigo", (), tmp_path, tmp_path / "worker", tmp_path / "go.sum")
    before = target.made_from
    (tmp_path / "main_test.go").write_text("package main")
    assert target.made_from == before
    (tmp_path / "main.go").write_text("package main")
    assert target.made_from != before


def test_a_worker_in_rust_is_made_anew_when_its_sources_or_crates_change(tmp_path: Path) -> None:
    target = WorkerCommand("tfhe_rs", (), tmp_path, tmp_path / "worker", tmp_path / "Cargo.lock")
    (tmp_path / "src").mkdir()
    seen = {target.made_from}
    for name in ("src/main.rs", "Cargo.toml", "build.rs", "Cargo.lock"):
        (tmp_path / name).write_text("// new")
        seen.add(target.made_from)
    assert len(seen) == 5


def test_a_worker_in_rust_needs_cargo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    target = WorkerCommand("tfhe_rs", (), tmp_path, tmp_path / "worker", tmp_path / "Cargo.lock")
    with pytest.raises(LibraryMissing, match="TFHE-rs's worker is built with Rust's cargo") as caught:
        install._build_rust(target, print)
    assert "fheasible libraries install tfhe_rs" in caught.value.remedy


def test_cargo_is_told_what_the_worker_is_made_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path / "cargo", f'#!/bin/sh\necho "$FHEASIBLE_MADE_FROM $*" > {tmp_path}/told\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    target = WorkerCommand("tfhe_rs", (), tmp_path, tmp_path / "worker", tmp_path / "Cargo.lock")
    install._build_rust(target, lambda line: None)
    told = (tmp_path / "told").read_text().split()
    assert told[:5] == [target.made_from, "build", "--quiet", "--release", "--locked"]
    assert told[5:] == ["--target-dir", str(target.environment.parent.parent)]


def test_a_new_worker_without_a_hello_keeps_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mute = WorkerCommand("seal", ("/bin/false",), tmp_path, Path("/bin/false"), tmp_path / "lock")
    monkeypatch.setattr(WorkerCommand, "stamp", tmp_path / "installed")
    monkeypatch.setattr(install, "command", lambda name: mute)
    monkeypatch.setattr(install, "_build", lambda target, say: None)
    with pytest.raises(LibraryMissing, match="ended without a hello"):
        install.install("seal", print)
    assert not (tmp_path / "installed").exists()


def test_a_worker_that_shares_our_packages_finds_them_in_an_environment_of_its_own(tmp_path: Path) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    target = WorkerCommand("toy", (), tmp_path, python, tmp_path / "requirements.lock")
    install._share_python(target)
    assert target.installed
    code = "import sys, numpy; print(sys.prefix, numpy.__file__)"
    prefix, found = subprocess.check_output([python, "-c", code], text=True).split()
    assert Path(prefix) == tmp_path / ".venv"  # where the worker looks for its stamp
    assert Path(found) == Path(np.__file__)


def test_libraries_that_cannot_be_had_do_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, say: install.Say) -> None:
        if name == "openfhe":
            raise LibraryMissing("no CPython 3.10", "install it")

    monkeypatch.setattr(install, "install", refuse)
    said: list[str] = []
    outcome = install.install_all(["seal", "openfhe", "lattigo"], said.append)
    assert [name for name, error in outcome.items() if error] == ["openfhe"]
    assert said == ["openfhe cannot be installed: no CPython 3.10"]


@pytest.mark.parametrize(
    ("told", "why"), [(None, "is not installed"), ("v16.20.0\n", "is too old here (version 16)")]
)
def test_without_a_node_that_is_new_enough_its_worker_cannot_be_installed(
    told: str | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told is not None:
        script(tmp_path / "node", f"#!/bin/sh\necho '{told.strip()}'\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin" if told else str(tmp_path))
    with pytest.raises(LibraryMissing) as caught:
        install.node_path("node-seal")
    assert why in caught.value.message
    assert caught.value.remedy.endswith("fheasible libraries install node-seal")
