"""uv is the one of the clone, else one that is here, else the pinned one."""

import re
import stat
import sys
from pathlib import Path

import pytest

from fheasible.errors import LibraryMissing
from fheasible.measurement import uv

ROOT = Path(__file__).parents[2]


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without a clone, with no uv beside this Python or on the PATH. Gives the folder of the user's data."""
    monkeypatch.setattr(uv, "clone", lambda: None)
    monkeypatch.setattr(uv, "data_folder", lambda: tmp_path / "data")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "data"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(stat.S_IRWXU)
    return path


def test_a_clone_has_the_one_of_its_makefile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path / ".tools" / "uv")
    monkeypatch.setattr(uv, "clone", lambda: tmp_path)
    assert uv.uv_here() == own
    assert uv.uv(print) == own


def test_without_a_clone_it_is_the_one_on_the_path(alone: Path, tmp_path: Path) -> None:
    assert uv.uv_here() is None
    here = program(tmp_path / "bin" / "uv")
    assert uv.uv_here() == here


def test_one_that_was_fetched_is_used_again_until_another_version_is_pinned(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (version,) = re.findall(r"^uv==([\d.]+)", (ROOT / "requirements-uv.lock").read_text(), re.MULTILINE)
    fetched = program(alone / "tools" / f"uv-{version}" / "bin" / "uv")
    assert uv.uv(print) == fetched
    monkeypatch.setattr(uv, "_pinned", lambda: "0.0.1")
    assert uv.uv_here() is None


@pytest.mark.long
def test_where_none_can_be_fetched_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uv, "data_folder", lambda: tmp_path / "data")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    said: list[str] = []
    with pytest.raises(LibraryMissing, match=r"could not be fetched: .*uv==") as caught:
        uv._fetched(said.append)
    assert "pip install uv" in caught.value.remedy
    assert "fetching uv" in said[0]
    assert not list((tmp_path / "data").glob("tools/*"))
