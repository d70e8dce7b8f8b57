"""Machines that the tests may be run on: what the system would tell of each, put where it is read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from fheasible.measurement import machine

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


MACHINES = {
    "laptop": Facts(
        "A Small Core i5", "sse2 avx2", 4, 8 * GIB,
        {"L1 Data": "32K", "L2 Unified": "256K", "L3 Unified": "6M"},
    ),
    "server": Facts(
        "A Large Server", "sse2 avx2 avx512f", 64, 512 * GIB,
        {"L1 Data": "48K", "L2 Unified": "2048K", "L3 Unified": "320M"},
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
    patch.setattr("os.getloadavg", lambda: (facts.load,) * 3)
