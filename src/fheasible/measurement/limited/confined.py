"""Makes the control group and the swap file of one run, and has both removed however the run ends.

A guardian, a small process of its own, removes them when this process ends the block or dies. Where the
guardian is killed as well, the next run of any kind removes what is left.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from fheasible.measurement.groups import CGROUPS
from fheasible.measurement.limited import release as guardian
from fheasible.measurement.limited.group import MemoryGroup, place_of_group
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.limited.release import PATIENCE_SECONDS, release
from fheasible.measurement.limited.swap import active_swap, make_swap, place_of_swap, places
from fheasible.measurement.limited.usage import Follower
from fheasible.measurement.scratch import PREFIX, is_left, own_name

_ENDING = ".swap"


@dataclass(frozen=True, slots=True)
class Confined:
    """A control group that is there, with its limit."""

    group: MemoryGroup
    limit: MemoryLimit

    def followed(self) -> Follower:
        return Follower(self.group, self.limit)


@contextmanager
def confined(limit: MemoryLimit | None) -> Iterator[Confined | None]:
    """A group with that limit, which a worker can join; None without a limit.

    LimitImpossible where there can be none. What dead processes left is removed first.
    """
    sweep()
    if limit is None:
        yield None
        return
    place, name = place_of_group(), f"{own_name()}{uuid4().hex[:8]}"
    group = MemoryGroup(place.folder / name, place.version)
    swap = place_of_swap(limit.swap_bytes) / (name + _ENDING) if limit.swap_bytes else None
    with _guarded(group.folder, swap):
        if swap is not None:
            make_swap(swap, limit.swap_bytes)
        group.make(limit)
        yield Confined(group, limit)


def sweep(groups: Path = CGROUPS) -> None:
    """Removes control groups and swap files of processes of this machine that have ended."""
    with suppress(OSError):
        memory = groups / "memory"  # the tree in version 1
        for folder, inner, _ in os.walk(memory if memory.is_dir() else groups):
            for name in inner:
                if name.startswith(PREFIX) and is_left(name):
                    release(Path(folder, name), None)
        there = [file for place in places() for file in place.glob(f"{PREFIX}*{_ENDING}")]
        for file in (*active_swap(), *there):
            if file.suffix == _ENDING and is_left(file.name):
                release(None, file)


@contextmanager
def _guarded(group: Path, swap: Path | None) -> Iterator[None]:
    """Starts the guardian of both; they are gone when the block is left."""
    command = [sys.executable, "-I", "-S", str(guardian.__file__), str(group), str(swap or "")]
    # in a session of its own, so that what ends our group of processes does not end the guardian
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as watching:
        try:
            yield
        finally:
            if watching.stdin is not None:
                watching.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                watching.wait(3 * PATIENCE_SECONDS)
            if watching.returncode != 0:
                watching.kill()
                release(group, swap)
