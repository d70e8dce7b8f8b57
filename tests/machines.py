"""Machines that the tests may be run on: what the system would tell of each, put where it is read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from fheasible.measurement import conditions, machine

GIB = 2**30
CPUINFO = "processor\t: 0\nmodel name\t: {cpu}\nflags\t\t: {flags}\n\nprocessor\t: 1\n"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a system tells of itself; `caches` as in `Machine`, of the first core."""

    cpu: str
    flags: str
    cores: int
    memory_bytes: int
    caches: Mapping[str, str]
    load: float = 0.3
    governor: str | None = None
    no_turbo: str | None = None  # as Intel's driver says it
    boost: str | None = None  # as the general one does
    nodes: int = 0
    swap: tuple[int, int] = (0, 0)  # bytes in all, bytes in use
    sign: str = ""  # a file of a container's root
    groups: Mapping[str, str] = field(default_factory=dict)  # files of the control groups with their content
    own_group: str = ""  # /proc/self/cgroup


MACHINES = {
    "laptop": Facts(
        "A Small Core i5", "sse2 avx2", 4, 8 * GIB,
        {"L1 Data": "32K", "L2 Unified": "256K", "L3 Unified": "6M"},
        governor="powersave", no_turbo="0", nodes=1, swap=(8 * GIB, GIB), own_group="0::/user.slice\n",
        groups={"cgroup.controllers": "cpu memory", "user.slice/memory.max": "max"},
    ),
    "server": Facts(
        "A Large Server", "sse2 avx2 avx512f", 64, 512 * GIB,
        {"L1 Data": "48K", "L2 Unified": "2048K", "L3 Unified": "320M"},
        governor="performance", boost="0", nodes=2,
    ),
    "rented": Facts(  # two cores of a processor whose whole third level is reported
        "A Rented Xeon", "sse2 avx2 avx512f", 2, 24 * GIB,
        {"L1 Data": "48K", "L2 Unified": "2048K", "L3 Unified": "491520K"}, 9.0,
    ),
    "epyc": Facts(
        "A Rented EPYC", "sse2 avx2 avx512f", 2, 24 * GIB,
        {"L1 Data": "32K", "L2 Unified": "1024K", "L3 Unified": "32768K"},
    ),
    "one core": Facts("One Core", "sse2", 1, 4 * GIB, {"L1 Data": "32K", "L2 Unified": "512K"}, 3.0),
    "unknown": Facts("Unknown", "", 2, 16 * GIB, {}),
}  # fmt: skip


CONTAINERS = {
    "container": Facts(
        "A Rented EPYC", "sse2 avx2 hypervisor", 8, 32 * GIB, {}, nodes=1, sign=".dockerenv",
        own_group="4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n",
        groups={
            "memory/memory.limit_in_bytes": str(2**63 - 4096),
            "memory/docker/1/memory.limit_in_bytes": str(4 * GIB),
            "cpu/docker/1/cpu.cfs_quota_us": "150000", "cpu/docker/1/cpu.cfs_period_us": "100000",
        },
    ),
    "pod": Facts(
        "A Rented EPYC", "sse2 avx2 hypervisor", 4, 32 * GIB, {}, nodes=1, own_group="0::/kubepods/pod1\n",
        groups={
            "cgroup.controllers": "cpu memory",
            "kubepods/cpu.max": "200000 100000", "kubepods/pod1/cpu.max": "max 100000",
            "kubepods/memory.max": str(8 * GIB), "kubepods/pod1/memory.max": str(2 * GIB),
        },
    ),
}  # fmt: skip


@contextmanager
def on(facts: Facts, folder: Path) -> Iterator[None]:
    """Within it the system tells these facts, wherever Fheasible reads them."""
    with pytest.MonkeyPatch.context() as patch:
        _replace(patch, folder, facts)
        machine.this_machine.cache_clear()
        yield
    machine.this_machine.cache_clear()


def _replace(patch: pytest.MonkeyPatch, folder: Path, facts: Facts) -> None:
    (folder / "cpuinfo").write_text(CPUINFO.format(cpu=facts.cpu, flags=facts.flags))
    for i, (name, size) in enumerate(facts.caches.items()):
        told = folder / "cache" / f"index{i}"
        told.mkdir(parents=True)
        level, kind = name.removeprefix("L").split()
        for file, content in {"level": level, "type": kind, "size": size}.items():
            (told / file).write_text(f"{content}\n")
    patch.setattr(machine, "_CPUINFO", folder / "cpuinfo")
    patch.setattr(machine, "_CACHES", folder / "cache")
    patch.setattr(psutil.Process, "cpu_affinity", lambda self: [*range(facts.cores)], raising=False)
    told_memory = psutil.virtual_memory()._replace(total=facts.memory_bytes)
    patch.setattr(psutil, "virtual_memory", lambda: told_memory)
    _replace_conditions(patch, folder, facts)
    patch.setattr("os.getloadavg", lambda: (facts.load,) * 3)


def _replace_conditions(patch: pytest.MonkeyPatch, folder: Path, facts: Facts) -> None:
    told = {f"cpus/cpu{i}/cpufreq/scaling_governor": facts.governor for i in range(facts.cores)}
    told |= {"cpus/intel_pstate/no_turbo": facts.no_turbo, "cpus/cpufreq/boost": facts.boost}
    told |= {f"nodes/node{i}/cpulist": "0" for i in range(facts.nodes)}
    told |= {f"groups/{name}": content for name, content in facts.groups.items()}
    told |= {"own": facts.own_group, **({f"root/{facts.sign}": ""} if facts.sign else {})}
    for name, content in told.items():
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
    places = {"_CPUS": "cpus", "_NODES": "nodes", "_ROOT": "root", "CGROUPS": "groups", "OWN": "own"}
    for name, place in places.items():
        patch.setattr(conditions, name, folder / place)
    patch.setattr("os.sched_getaffinity", lambda pid: {*range(facts.cores)}, raising=False)
    total, used = facts.swap
    swapped = psutil.swap_memory()._replace(total=total, used=used)
    patch.setattr(psutil, "swap_memory", lambda: swapped)
