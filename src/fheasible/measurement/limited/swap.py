"""A swap file for one run. Its owner alone can read it, because it holds pieces of a worker's memory."""

import ctypes
import os
import shutil
import struct
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from uuid import uuid4

from fheasible.errors import LimitImpossible
from fheasible.units import GIB, size

SWAPS, MOUNTS = Path("/proc/swaps"), Path("/proc/mounts")
_SPARE_BYTES = GIB  # which stays free on the disk
_PREFERRED = 0x8000 | 0x7FFF  # swapon's flags: before all other swap
_HEADER = struct.Struct("=III16s")  # at byte 1024: version, last page, bad pages, UUID
_HEADER_AT, _MAGIC = 1024, b"SWAPSPACE2"


def places() -> list[Path]:
    """Folders in which a swap file may be made, each once."""
    return list(dict.fromkeys((Path(gettempdir()), Path("/var/tmp"), Path.home())))


def place_of_swap(wanted: int) -> Path:
    """A folder whose disk has room for that many bytes. LimitImpossible without one."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise LimitImpossible(
            "a swap file can be made by root only", "run it as root, or leave --swap out for a limit alone"
        )
    free = {place: shutil.disk_usage(place).free - _SPARE_BYTES for place in places() if place.is_dir()}
    for place, bytes_free in free.items():
        if bytes_free >= wanted and not _is_in_memory(place):
            return place
    told = ", ".join(f"{size(max(0, count))} in {place}" for place, count in free.items())
    raise LimitImpossible(
        f"there is no room on a disk for a swap file of {size(wanted)}: {told} may be taken",
        "free some space, set TMPDIR to a folder on a larger disk, or ask for less with --swap",
    )


def make_swap(file: Path, wanted: int) -> None:
    """Makes a file of that many bytes and has the kernel swap into it first. LimitImpossible where it will
    not."""
    try:
        _write_swap(file, wanted)
        library = ctypes.CDLL(None, use_errno=True)
        if library.swapon(os.fsencode(file), _PREFERRED) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    except OSError as error:
        raise LimitImpossible(
            f"there can be no swap file of {size(wanted)} in {file.parent}: {error.strerror}",
            "set TMPDIR to a folder on ext4 or XFS outside a container, or leave --swap out",
        ) from error


def _write_swap(file: Path, wanted: int) -> None:
    page = os.sysconf("SC_PAGE_SIZE")
    pages = wanted // page + 1  # the header takes one
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, pages * page)
        os.pwrite(descriptor, _header(page, pages), 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def active_swap() -> list[Path]:
    """The files that the kernel swaps into now."""
    with suppress(OSError):
        rows = SWAPS.read_text().splitlines()[1:]
        return [Path(row.split()[0]) for row in rows if row.split()[1] == "file"]
    return []


def _header(page: int, pages: int) -> bytes:
    """The first page of a swap file, as mkswap(8) writes it."""
    made = bytearray(page)
    _HEADER.pack_into(made, _HEADER_AT, 1, pages - 1, 0, uuid4().bytes)
    made[-len(_MAGIC) :] = _MAGIC
    return bytes(made)


def _is_in_memory(place: Path) -> bool:
    """Whether the folder lies in a file system that is memory itself."""
    best, kind = "", ""
    with suppress(OSError):
        for row in MOUNTS.read_text().splitlines():
            _, mounted, found = row.split()[:3]
            if place.resolve().is_relative_to(mounted) and len(mounted) >= len(best):
                best, kind = mounted, found
    return kind in ("tmpfs", "ramfs")
