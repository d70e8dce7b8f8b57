"""How much memory this process may still take: what the machine, its control groups and ulimit leave."""

from collections.abc import Iterator
from pathlib import Path

import psutil

from fheasible.measurement.groups import CGROUPS, OWN, own_groups
from fheasible.system import address_limit

_NAMES = {  # of the files with the limit and the use, and of the row with cached files, by version
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def free_bytes(groups: Path = CGROUPS, own: Path = OWN) -> int:
    """The least memory that the machine, the control groups and ulimit leave.

    Files that are only cached count as free, and so does swap.
    """
    machine = psutil.virtual_memory().available + psutil.swap_memory().free
    limit = address_limit()
    return max(0, min(machine, machine if limit is None else limit, *_left_in_groups(groups, own)))


def _left_in_groups(groups: Path, own: Path) -> Iterator[int]:
    """What is left in each control group of this process up to the tree's root, in versions 1 and 2."""
    for group in own_groups("memory", groups, own):
        left = _left(group.folder, *_NAMES[group.version])
        if left is not None:
            yield left


def _left(folder: Path, limit: str, used: str, cached: str) -> int | None:
    """What a group leaves; None where the group has no limit, or cannot be seen from here."""
    try:
        most = int((folder / limit).read_text())  # 'max' is no number
        taken = int((folder / used).read_text())
        rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return most - taken + next((int(row[1]) for row in rows if row[0] == cached), 0)
    except (OSError, ValueError):
        return None
