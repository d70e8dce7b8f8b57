"""What an operation asks of the machine, as a few numbers: the seam between the cost model and its fit.

time = features . prices. A feature is a kernel of the library's own way, scaled to the ring dimension, or
bytes that the caches cannot hold.
"""

from dataclasses import dataclass
from functools import lru_cache

from fheasible.libraries.work import Layout, Task, counts
from fheasible.rings.rns.kernels import KERNELS, scaled

WORD = 8
NAMES = (*KERNELS, "l2_missed_bytes", "l3_missed_bytes")
Features = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Caches:
    """Bytes that one core has of the second and third level; what is unknown is taken as common."""

    l2_bytes: float = 1 << 20
    l3_bytes: float = 8 << 20


@dataclass(frozen=True, slots=True)
class Shape:
    """One operation: its kind, in a layout, at a ring dimension."""

    n: int
    layout: Layout
    task: Task


@lru_cache(maxsize=1 << 16)
def features(shape: Shape, caches: Caches) -> Features:
    """The features in the order of `NAMES`: kernel counts, and bytes."""
    found = counts(shape.layout, shape.task)
    sized = scaled(found, shape.n)
    sized["calls"] = sized.get("calls", 0.0) + 1.0  # of the library by whoever runs it
    limb = WORD * shape.n
    moved = limb * (found.get("reads", 0) + found.get("writes", 0))
    working = limb * (found.get("operand_limbs", 0) + found.get("peak_limbs", 0))
    missed = (_missed(moved, working, cache) for cache in (caches.l2_bytes, caches.l3_bytes))
    return (*(sized.get(name, 0.0) for name in KERNELS), *missed)


def _missed(moved: float, working: float, cache: float) -> float:
    """Of the bytes moved, those that a cache does not hold while so many are worked on."""
    return moved * max(0.0, 1.0 - cache / max(working, 1.0))
