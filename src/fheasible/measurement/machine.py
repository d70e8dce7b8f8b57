"""This machine, and what a time measured on it depends on."""

import hashlib
import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import psutil

from fheasible.aliases import Json

_CPUINFO = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}


@dataclass(frozen=True, slots=True)
class Machine:
    """The hardware and system. `cores` are those that this process may use."""

    cpu: str
    flags: tuple[str, ...]
    cores: int
    memory_bytes: int
    caches: dict[str, str]
    os: str
    kernel: str

    @property
    def fingerprint(self) -> str:
        """A hash of processor, cores and memory, which is the same under whatever name the machine goes.

        Memory counts in whole GiB: kernels reserve a little more or less of it from start to start.
        """
        shape = [self.cpu, self.flags, self.cores, round(self.memory_bytes / 2**30)]
        return hashlib.sha256(json.dumps(shape).encode()).hexdigest()[:16]

    @property
    def l2_bytes(self) -> int | None:
        """The second-level cache of one core; None where the system does not tell."""
        return _cache_bytes(self.caches, 2)

    @property
    def l3_bytes(self) -> int | None:
        """The third-level cache, which cores share; None where it is missing or the system does not tell."""
        return _cache_bytes(self.caches, 3)

    def to_json(self) -> Json:
        return asdict(self) | {"machine": self.fingerprint, "flags": list(self.flags)}


@cache
def this_machine() -> Machine:
    cpu, flags = _processor(_CPUINFO)
    return Machine(
        cpu,
        flags,
        len(psutil.Process().cpu_affinity())
        if hasattr(psutil.Process, "cpu_affinity")
        else os.cpu_count() or 1,
        psutil.virtual_memory().total,
        _caches(_CACHES),
        _system(),
        f"{platform.system()} {platform.release()} {platform.machine()}",
    )


def load() -> float:
    """The number of processes wanting to run, averaged over the last minute."""
    averages = getattr(os, "getloadavg", psutil.getloadavg)  # Windows has none of its own
    return round(averages()[0], 2)


def _system() -> str:
    """The system's name, such as 'Debian GNU/Linux 12 (bookworm)', or Python's name for it."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(aliased=True, terse=True)


def _processor(cpuinfo: Path) -> tuple[str, tuple[str, ...]]:
    """The processor's model and its sorted flags.

    Reading /proc is a thousand times faster than asking py-cpuinfo.
    """
    try:
        fields = _fields(cpuinfo.read_text())
        return fields["model name"], tuple(sorted(fields["flags"].split()))
    except (OSError, KeyError):
        return _ask_cpuinfo()


def _fields(text: str) -> dict[str, str]:
    """The fields of the first processor."""
    lines = (line.partition(":") for line in text.split("\n\n")[0].splitlines())
    return {name.strip(): value.strip() for name, _, value in lines}


def _ask_cpuinfo() -> tuple[str, tuple[str, ...]]:
    """The processor's model and its sorted flags, on systems other than Linux on x86."""
    from cpuinfo import get_cpu_info  # slow, and seldom needed

    info = get_cpu_info()
    return info.get("brand_raw") or platform.processor() or "unknown", tuple(sorted(info.get("flags", ())))


def _caches(folder: Path) -> dict[str, str]:
    """{'L1 Data': '32K', ...} of the first processor, as the kernel tells; empty where it does not."""
    found = {}
    for index in sorted(folder.glob("index*")):
        try:
            level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        found[f"L{level} {kind}"] = size
    return found


def _cache_bytes(caches: Mapping[str, str], level: int) -> int | None:
    """The bytes of the data cache on that level, from sizes such as '1024K' and '32M'."""
    for kind in ("Unified", "Data"):
        size = re.fullmatch(r"(\d+)(K|M|G|)", caches.get(f"L{level} {kind}", "").upper())
        if size:
            return int(size[1]) << _SHIFTS[size[2]]
    return None
