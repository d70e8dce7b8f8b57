"""The control groups of this process, in versions 1 and 2, up to the root of each tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class Group:
    """The folder of a control group, and the version of its tree."""

    folder: Path
    version: int


def own_groups(kind: str, groups: Path = CGROUPS, own: Path = OWN) -> Iterator[Group]:
    """The groups of this process for `kind` ('memory', 'cpu'), each followed by those above it.

    In a container the root may be the process's own group. A folder may be missing.
    """
    for root, path, version in _places(kind, groups, own):
        folder = root / path
        while folder == root or root in folder.parents:
            yield Group(folder, version)
            if folder == root:
                break
            folder = folder.parent


def _places(kind: str, groups: Path, own: Path) -> list[tuple[Path, str, int]]:
    """(root, path below it, version) of each group.

    They are read from lines such as '0::/a/b' (version 2) and '5:memory:/a' (version 1).
    """
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        lines = []
    found = [(groups, "", 2), (groups / kind, "", 1)]
    for number, kinds, path in (line for line in lines if len(line) == 3):
        if number == "0" and not kinds:
            found.append((groups, path.strip("/"), 2))
        elif kind in kinds.split(","):
            found.append((groups / kind, path.strip("/"), 1))
    return found
