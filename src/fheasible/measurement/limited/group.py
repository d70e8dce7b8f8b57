"""A memory control group for one worker, in versions 1 and 2 of control groups."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fheasible.errors import LimitImpossible
from fheasible.measurement.groups import CGROUPS, OWN, Group, own_groups
from fheasible.measurement.limited.limit import MemoryLimit

MACHINE, GROUP = "machine", "group"  # of which the kernel tells a figure
_PROC = Path("/proc")
_MICRO = 1e-6
_LIMITS = {1: "memory.limit_in_bytes", 2: "memory.max"}
_HELD = {1: "memory.usage_in_bytes", 2: "memory.current"}
_MOST_HELD = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}


@dataclass(frozen=True, slots=True)
class Figures:
    """What the kernel counts of a group from its start on; None for what it does not tell here.

    `swap_of` and `pressure_of` say whether the swap traffic and the pressure are those of the group or, where
    the kernel tells no more, of the whole machine.
    """

    page_faults: int | None
    major_faults: int | None
    read_bytes: int | None
    written_bytes: int | None
    swap_of: str
    swapped_bytes: int | None
    held_bytes: int | None
    most_held_bytes: int | None
    limit_hits: int | None
    kills: int | None
    some_seconds: float | None
    full_seconds: float | None
    pressure_of: str


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """The folder of a group, and the version of its tree."""

    folder: Path
    version: int
    proc: Path = _PROC

    def make(self, limit: MemoryLimit) -> None:
        """Makes the group with that limit. LimitImpossible where the kernel refuses."""
        try:
            self.folder.mkdir()
            self._write(_LIMITS[self.version], limit.memory_bytes)
            if self.version == 1:
                self._write("memory.memsw.limit_in_bytes", limit.memory_bytes + limit.swap_bytes)
            elif limit.swap_bytes or (self.folder / "memory.swap.max").exists():
                self._write("memory.swap.max", limit.swap_bytes)
        except OSError as error:
            raise LimitImpossible(
                f"the kernel does not limit {limit} in {self.folder}: {error}",
                "where a file with 'memsw' or 'swap' is missing, start the kernel with swapaccount=1; "
                "else ask for another limit",
            ) from error

    def join(self) -> None:
        """Puts the calling process into the group; for the child, between fork and exec."""
        descriptor = os.open(self.folder / "cgroup.procs", os.O_WRONLY)
        os.write(descriptor, b"0")
        os.close(descriptor)

    def has_killed(self) -> bool:
        """Whether a process of the group was killed because memory had run out."""
        return bool(self.figures().kills)

    def figures(self) -> Figures:
        return _figures_1(self.folder, self.proc) if self.version == 1 else _figures_2(self.folder, self.proc)

    def _write(self, name: str, value: int) -> None:
        """Writes to a file that exists already, since the kernel makes them."""
        descriptor = os.open(self.folder / name, os.O_WRONLY)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)


def place_of_group(groups: Path = CGROUPS, own: Path = OWN) -> Group:
    """The deepest group of this process, or above it, in which this user can make a group with a limit.

    LimitImpossible without one.
    """
    found = sorted(own_groups("memory", groups, own), key=lambda g: -len(g.folder.parts))
    for group in found:
        if _may_have_children(group):
            return group
    there = any((g.folder / "cgroup.procs").exists() for g in found)
    raise LimitImpossible(
        "this user may make no memory control group here"
        if there
        else "a memory limit needs Linux with control groups, and there are none here",
        "run it as root, or with systemd-run --user --scope fheasible ...; a container or a virtual machine "
        "with less memory also limits a run",
    )


def _may_have_children(group: Group) -> bool:
    folder = group.folder
    if not (os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)):
        return False
    if group.version == 1:
        return (folder / _LIMITS[1]).exists()
    if "memory" not in _words(folder / "cgroup.controllers"):
        return False
    with suppress(OSError):  # a group that holds processes cannot share its memory out
        if "memory" not in _words(folder / "cgroup.subtree_control"):
            (folder / "cgroup.subtree_control").write_text("+memory")
    return "memory" in _words(folder / "cgroup.subtree_control")


def _figures_1(folder: Path, proc: Path) -> Figures:
    counted, machine = _rows(folder / "memory.stat"), _rows(proc / "vmstat")
    some, full = _pressure(proc / "pressure" / "memory")
    return Figures(
        page_faults=counted.get("pgfault"),
        major_faults=counted.get("pgmajfault"),
        read_bytes=_pages(machine.get("pswpin")),
        written_bytes=_pages(machine.get("pswpout")),
        swap_of=MACHINE,
        swapped_bytes=counted.get("swap"),
        held_bytes=_number(folder / _HELD[1]),
        most_held_bytes=_number(folder / _MOST_HELD[1]),
        limit_hits=_number(folder / "memory.failcnt") if _has_swap_1(folder) else None,
        kills=_rows(folder / "memory.oom_control").get("oom_kill"),
        some_seconds=some,
        full_seconds=full,
        pressure_of=MACHINE,
    )


def _figures_2(folder: Path, proc: Path) -> Figures:
    counted, events = _rows(folder / "memory.stat"), _rows(folder / "memory.events")
    own = "pswpin" in counted  # since Linux 6.13
    swap = counted if own else _rows(proc / "vmstat")
    some, full = _pressure(folder / "memory.pressure")
    return Figures(
        page_faults=counted.get("pgfault"),
        major_faults=counted.get("pgmajfault"),
        read_bytes=_pages(swap.get("pswpin")),
        written_bytes=_pages(swap.get("pswpout")),
        swap_of=GROUP if own else MACHINE,
        swapped_bytes=_number(folder / "memory.swap.current"),
        held_bytes=_number(folder / _HELD[2]),
        most_held_bytes=_number(folder / _MOST_HELD[2]),
        limit_hits=events.get("max"),
        kills=events.get("oom_kill"),
        some_seconds=some,
        full_seconds=full,
        pressure_of=GROUP,
    )


def _rows(file: Path) -> Mapping[str, int]:
    """The numbers of a file with lines 'name number'; none where it cannot be read."""
    with suppress(OSError, ValueError):
        return {name: int(value) for name, value in map(str.split, file.read_text().splitlines())}
    return {}


def _words(file: Path) -> list[str]:
    with suppress(OSError):
        return file.read_text().split()
    return []


def _number(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        return int(file.read_text())
    return None


def _has_swap_1(folder: Path) -> bool:
    """Whether the group's memory ends before memory and swap together do. Otherwise the kernel reaches the
    latter limit first, and counts that nowhere."""
    whole, memory = (_number(folder / name) for name in ("memory.memsw.limit_in_bytes", _LIMITS[1]))
    return whole != memory


def _pages(count: int | None) -> int | None:
    return None if count is None else count * os.sysconf("SC_PAGE_SIZE")


def _pressure(file: Path) -> tuple[float | None, float | None]:
    """Seconds in which some process waited for memory, and in which all did; None where it is not told."""
    found = {}
    for kind, *values in map(str.split, _lines(file)):
        total = next((v for v in values if v.startswith("total=")), None)
        if total is not None:
            found[kind] = int(total.removeprefix("total=")) * _MICRO
    return found.get("some"), found.get("full")


def _lines(file: Path) -> list[str]:
    with suppress(OSError):  # also where the kernel has it, but was started without it
        return file.read_text().splitlines()
    return []
