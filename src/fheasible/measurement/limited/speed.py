"""How a machine swaps: a small process uses three times as much memory as it may keep, pass by pass."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from fheasible.errors import LimitImpossible
from fheasible.measurement.limited import probe
from fheasible.measurement.limited.confined import confined
from fheasible.measurement.limited.group import Figures, MemoryGroup
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.units import MIB

LIMIT: Final = MemoryLimit(48 * MIB, 512 * MIB)
USED_BYTES: Final = 144 * MIB


@dataclass(frozen=True, slots=True)
class SwapPass:
    """One pass of the probe: what it did, how long it took, and the bytes that went from and to swap."""

    name: str
    seconds: float
    read_bytes: int
    written_bytes: int


def swap_passes() -> list[SwapPass]:
    """The passes of `probe`. LimitImpossible where no control group or swap file can be made, or where the
    kernel does not tell what it swaps."""
    with confined(LIMIT) as group, _probing(group.group) as child:  # type: ignore[union-attr]
        assert group is not None
        assert child.stdin is not None
        assert child.stdout is not None
        found = []
        child.stdout.readline()
        before = _traffic(group.group.figures())
        for _ in probe.PASSES:
            child.stdin.write("\n")
            child.stdin.flush()
            line = child.stdout.readline().split()
            if len(line) != 2:
                raise LimitImpossible("the process that measures the speed of swap ended", "run it again")
            after = _traffic(group.group.figures())
            read, written = (b - a for a, b in zip(before, after, strict=True))
            found.append(SwapPass(line[0], float(line[1]), read, written))
            before = after
        return found


@contextmanager
def _probing(group: MemoryGroup) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-I", "-S", str(probe.__file__), str(USED_BYTES)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=group.join
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def _traffic(figures: Figures) -> tuple[int, int]:
    if figures.read_bytes is None or figures.written_bytes is None:
        raise LimitImpossible("the kernel does not tell here what it swaps", "run it outside a container")
    return figures.read_bytes, figures.written_bytes
