"""What a machine is set to while it measures: what may change from day to day, and changes times.

What the system does not tell is None, which means unknown.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from fheasible.aliases import Json
from fheasible.measurement.groups import CGROUPS, OWN, Group, own_groups
from fheasible.measurement.machine import this_machine

_CPUS = Path("/sys/devices/system/cpu")
_NODES = Path("/sys/devices/system/node")
_ROOT = Path("/")
_CONTAINER_FILES = {".dockerenv": "Docker", "run/.containerenv": "Podman"}
_CONTAINER_GROUPS = {"docker": "Docker", "kubepods": "Kubernetes", "libpod": "Podman", "lxc": "LXC"}
_UNLIMITED_BYTES = 1 << 60  # version 1 writes a huge number where there is no limit


@dataclass(frozen=True, slots=True)
class Conditions:
    """`governor` chooses the processor's frequency; 'mixed' where cores have several.

    A limit of the control groups is None where there is none; `control_groups` is the version that was read,
    and None where they cannot be seen, so that limits are unknown. `container` is None where nothing points
    to one.
    """

    governor: str | None
    turbo: bool | None
    virtual: bool | None
    numa_nodes: int | None
    swap_bytes: int | None
    swap_used_bytes: int | None
    container: str | None
    control_groups: int | None
    cpu_limit: float | None  # cores
    memory_limit_bytes: int | None

    def to_json(self) -> Json:
        return asdict(self)


def conditions() -> Conditions:
    """The conditions now."""
    flags = this_machine().flags
    swap, used = _swap()
    memory, cores = (list(own_groups(kind, CGROUPS, OWN)) for kind in ("memory", "cpu"))
    return Conditions(
        governor=_governor(),
        turbo=_turbo(),
        virtual="hypervisor" in flags if flags else None,
        numa_nodes=len(list(_NODES.glob("node[0-9]*"))) or None,
        swap_bytes=swap,
        swap_used_bytes=used,
        container=_container(),
        control_groups=_version(memory),
        cpu_limit=min((n for n in map(_cores, cores) if n is not None), default=None),
        memory_limit_bytes=min((n for n in map(_bytes, memory) if n is not None), default=None),
    )


def _governor() -> str | None:
    """The governor of all cores that this process may use."""
    found = {_read(_CPUS / f"cpu{core}" / "cpufreq" / "scaling_governor") for core in _cores_allowed()}
    return found.pop() if len(found) == 1 else "mixed"


def _cores_allowed() -> Iterable[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _turbo() -> bool | None:
    """Whether the processor may exceed its nominal frequency, by Intel's driver or by the general one."""
    off, boost = _read(_CPUS / "intel_pstate" / "no_turbo"), _read(_CPUS / "cpufreq" / "boost")
    if off is not None:
        return off == "0"
    return None if boost is None else boost == "1"


def _swap() -> tuple[int | None, int | None]:
    try:
        found = psutil.swap_memory()
    except (OSError, RuntimeError):
        return None, None
    return found.total, found.used


def _container() -> str | None:
    for file, name in _CONTAINER_FILES.items():
        if (_ROOT / file).exists():
            return name
    groups = _read(OWN) or ""
    return next((name for word, name in _CONTAINER_GROUPS.items() if word in groups), None)


def _version(groups: Iterable[Group]) -> int | None:
    """The version of the nearest control group that can be seen."""
    names = {1: "memory.limit_in_bytes", 2: "cgroup.controllers"}
    return next((g.version for g in groups if (g.folder / names[g.version]).is_file()), None)


def _cores(group: Group) -> float | None:
    """How many cores the group's processes may use together; None without a limit."""
    if group.version == 2:
        words = (_read(group.folder / "cpu.max") or "max").split()
    else:
        words = [_read(group.folder / f"cpu.cfs_{name}_us") or "" for name in ("quota", "period")]
    if len(words) != 2 or not all(map(str.isdecimal, words)):  # 'max', or a quota of -1
        return None
    return int(words[0]) / int(words[1])


def _bytes(group: Group) -> int | None:
    name = "memory.max" if group.version == 2 else "memory.limit_in_bytes"
    limit = _read(group.folder / name) or ""
    return int(limit) if limit.isdecimal() and int(limit) < _UNLIMITED_BYTES else None


def _read(file: Path) -> str | None:
    """The file's text; None where it cannot be read or is empty."""
    try:
        return file.read_text().strip() or None
    except (OSError, UnicodeDecodeError):
        return None
