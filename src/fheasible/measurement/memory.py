"""How much memory this process may still take: what the machine, its control groups and ulimit leave."""

import resource
from collections.abc import Iterator
from pathlib import Path

import psutil

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("memory.max", "memory.current", "inactive_file")


def free_bytes(groups: Path = CGROUPS, own: Path = OWN) -> int:
    """The least memory that the machine, the control groups and ulimit leave.

    Files that are only cached count as free, and so does swap.
    """
    machine = psutil.virtual_memory().available + psutil.swap_memory().free
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    limit = machine if most == resource.RLIM_INFINITY else most
    return max(0, min(machine, limit, *_left_in_groups(groups, own)))


def _left_in_groups(groups: Path, own: Path) -> Iterator[int]:
    """What is left in each control group of this process up to the tree's root, in versions 1 and 2."""
    for root, path, names in _memory_groups(groups, own):
        folder = root / path
        while folder == root or root in folder.parents:
            left = _left(folder, *names)
            if left is not None:
                yield left
            if folder == root:
                break
            folder = folder.parent


def _memory_groups(groups: Path, own: Path) -> list[tuple[Path, str, tuple[str, str, str]]]:
    """(root, path below it, names of files) of each control group for memory.

    They are read from lines such as '0::/a/b' (version 2) and '5:memory:/a' (version 1).
    """
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        lines = []
    found = [(groups, "", _V2), (groups / "memory", "", _V1)]  # in a container the root may be its own group
    for number, kinds, path in (line for line in lines if len(line) == 3):
        if number == "0" and not kinds:
            found.append((groups, path.strip("/"), _V2))
        elif "memory" in kinds.split(","):
            found.append((groups / "memory", path.strip("/"), _V1))
    return found


def _left(folder: Path, limit: str, used: str, cached: str) -> int | None:
    """What a group leaves; None where the group has no limit, or cannot be seen from here."""
    try:
        most = int((folder / limit).read_text())  # 'max' is no number
        taken = int((folder / used).read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return most - taken + next((int(row[1]) for row in rows if row[0] == cached), 0)
    except (OSError, ValueError):
        return None
