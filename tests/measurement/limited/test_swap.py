"""Swap files: their header, and what is said where there can be none."""

import os
from pathlib import Path

import pytest

from fheasible.errors import LimitImpossible
from fheasible.measurement.limited import swap
from fheasible.units import GIB

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="swap files are made on Linux")


def test_the_header_is_that_of_mkswap() -> None:
    """Written by mkswap of util-linux for 17 pages of 4,096 bytes: version 1, last page 16, none bad."""
    made = swap._header(4096, 17)
    assert len(made) == 4096
    assert made[1024:1036] == b"\x01\0\0\0\x10\0\0\0\0\0\0\0"
    assert made[4086:] == b"SWAPSPACE2"
    assert not any(made[:1024])


def test_only_root_can_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LimitImpossible, match="by root only") as caught:
        swap.place_of_swap(GIB)
    assert "leave --swap out" in caught.value.remedy


def test_a_full_disk_is_named_with_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(LimitImpossible, match="no room on a disk for a swap file of 1") as caught:
        swap.place_of_swap(2**50)
    assert "TMPDIR" in caught.value.remedy


def test_a_place_where_the_kernel_takes_none_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(LimitImpossible, match="there can be no swap file of"):
        swap.make_swap(tmp_path / "absent" / "file.swap", 2**20)


def test_memory_is_no_place_for_swap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = "/dev/vda / ext4 rw 0 0\ntmpfs {} tmpfs rw 0 0\n"
    monkeypatch.setattr(swap, "MOUNTS", tmp_path / "mounts")
    (tmp_path / "mounts").write_text(mounts.format(tmp_path))
    assert swap._is_in_memory(tmp_path)
    assert not swap._is_in_memory(Path("/"))
