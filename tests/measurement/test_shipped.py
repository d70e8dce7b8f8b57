"""What comes with Fheasible is found in a clone and in a package; what is made of it has its own place."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from fheasible.measurement import environment, install, registry, shipped
from fheasible.measurement.registry import command, libraries

ROOT = Path(__file__).parents[2]


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if Fheasible were installed without a clone. Gives the home folder."""
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "packages" / "fheasible")
    monkeypatch.setattr(shipped, "_INSIDE", tmp_path / "packages" / "fheasible" / "_shipped")
    (tmp_path / "packages" / "fheasible").mkdir(parents=True)
    (tmp_path / "packages" / "fheasible" / "_shipped").symlink_to(ROOT)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path / "home"


def test_a_clone_is_found_and_keeps_what_is_made_of_its_workers() -> None:
    assert shipped.clone() == ROOT
    assert shipped.shipped("examples") == ROOT / "examples"
    assert command("seal").environment == ROOT / "workers" / "seal" / ".venv" / "bin" / "python"


def test_a_package_keeps_environments_in_the_users_data(packaged: Path) -> None:
    assert shipped.clone() is None
    data = packaged / ".local" / "share" / "fheasible" / "workers"
    for name in libraries():
        found = command(name)
        assert found.environment.is_relative_to(data)
        assert not found.environment.is_relative_to(found.folder)
        assert not found.installed
        assert any(found.folder.iterdir())


def test_two_installed_packages_share_an_environment(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is made from does not depend on where the package lies."""
    first = {name: command(name).made_from for name in libraries()}
    other = packaged.parent / "others" / "_shipped"
    other.parent.mkdir()
    other.symlink_to(ROOT)
    monkeypatch.setattr(shipped, "_INSIDE", other)
    assert {name: command(name).made_from for name in libraries()} == first
    assert command("seal").folder == other / "workers" / "seal"


@pytest.mark.usefixtures("packaged")
def test_a_package_in_a_repository_of_something_else_has_no_commit(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    environment.commit.cache_clear()
    assert environment.commit() is None
    environment.commit.cache_clear()


@pytest.mark.usefixtures("packaged")
def test_packages_of_node_lie_where_the_worker_looks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """npm finds its lock there, and the worker, which lies elsewhere, is told the folder."""
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/typed\n')
    npm.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{npm.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(install, "node_path", lambda name: "node")
    target = command("node-seal")
    install._build_node(target)
    place = target.environment.parents[1]
    assert f"--prefix {place}" in (tmp_path / "typed").read_text()
    for name in ("package.json", "package-lock.json"):
        assert (place / name).read_text() == (target.folder / name).read_text()
    assert target.argv[-2:] == (str(target.folder / "worker.js"), str(place / "node_modules"))


def test_a_folder_that_is_not_shipped_keeps_what_is_made_of_it(tmp_path: Path) -> None:
    assert shipped.kept(tmp_path) == tmp_path
    assert registry.workers_folder() == ROOT / "workers"
