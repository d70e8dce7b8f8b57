"""What is written into a folder, and what is left alone."""

from pathlib import Path

import pytest

from fheasible.emission.folder import write
from fheasible.errors import UsageError


def test_files_are_written_in_their_folders(tmp_path: Path) -> None:
    write(tmp_path / "new", {"a.txt": b"1", "b/c.txt": b"2"})
    assert (tmp_path / "new" / "b" / "c.txt").read_bytes() == b"2"


def test_foreign_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(UsageError, match=r"README.md is there, and is not ours") as refused:
        write(tmp_path, {"a.txt": b"1", "README.md": b"theirs"})
    assert "--out" in refused.value.remedy
    assert (tmp_path / "README.md").read_text() == "mine"
    assert not (tmp_path / "a.txt").exists()


def test_own_files_are_replaced_and_removed(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": b"1", "old.txt": b"2"})
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "secret.key").write_text("secret")
    write(tmp_path, {"a.txt": b"3"})
    assert (tmp_path / "a.txt").read_bytes() == b"3"
    assert not (tmp_path / "old.txt").exists()
    assert (tmp_path / "keys" / "secret.key").read_text() == "secret"


def test_own_files_that_were_changed_are_kept(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": b"1", "b.txt": b"2"})
    (tmp_path / "a.txt").write_text("changed")
    with pytest.raises(UsageError, match="changed since"):
        write(tmp_path, {"a.txt": b"3"})
    (tmp_path / "b.txt").write_text("also changed")
    write(tmp_path, {"c.txt": b"3"})
    assert (tmp_path / "b.txt").read_text() == "also changed"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(UsageError):
        write(tmp_path, {"a.txt": b"1"})


def test_a_folder_that_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path / "file" / "below", {"a.txt": b"1"})


def test_a_damaged_list_of_own_files_makes_all_files_foreign(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": b"1"})
    (tmp_path / ".fheasible.json").write_text("{")
    with pytest.raises(UsageError, match="not ours"):
        write(tmp_path, {"a.txt": b"2"})
