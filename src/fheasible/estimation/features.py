"""What an operation asks of the machine, as a few numbers: the seam between the cost model and its fit.

time = features . prices. A feature is a kernel of the library's own way, scaled to the ring dimension, or
bytes that the caches cannot hold.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import Layout, Task
from fheasible.libraries.table import COLUMNS
from fheasible.libraries.work import count_rows
from fheasible.rings.rns.kernels import KERNELS, scaled

WORD = 8
NAMES = (*KERNELS, "l2_missed_bytes", "l3_missed_bytes")
ENCODING = ("encrypt", "add_plain", "mul_plain", "decrypt")
Features = tuple[float, ...]
_KERNELS = len(KERNELS)
_CALLS, _READS, _WRITES, _PEAK, _OPERANDS = (
    COLUMNS.index(name) for name in ("calls", "reads", "writes", "peak_limbs", "operand_limbs")
)


@dataclass(frozen=True, slots=True)
class Caches:
    """Bytes that one core has of the second and third level; what is unknown is taken as common."""

    l2_bytes: float = 1 << 20
    l3_bytes: float = 8 << 20


@dataclass(frozen=True, slots=True)
class Shape:
    """One operation: its kind, in a layout, at a ring dimension, on vectors of so many slots (0: all)."""

    n: int
    layout: Layout
    task: Task
    slots: int = 0

    @staticmethod
    def of(n: int, layout: Layout, task: Task, slots: int) -> "Shape":
        """`slots`: of the program's vectors; left out where the operation does not depend on them."""
        whole = Ring.of(layout.library, layout.scheme, n)
        encodes = task.action in ENCODING and Ring.of(layout.library, layout.scheme, n, slots) != whole
        return Shape(n, layout, task, slots if encodes else 0)

    @property
    def ring(self) -> "Ring":
        return Ring.of(self.layout.library, self.layout.scheme, self.n, self.slots)


@dataclass(frozen=True, slots=True)
class Ring:
    """What brings numbers of limbs to a size: the ring dimension, how many slots of a vector are embedded,
    and how many coefficients of it are not 0."""

    n: int
    embedded: int
    filled: int

    @staticmethod
    def of(name: str, scheme: str, n: int, slots: int = 0) -> "Ring":
        """`slots`: of vectors, n/2 in CKKS if that is not said."""
        return Ring(n, *library(name).encoded(scheme, n, min(slots or n, n // 2)))


@lru_cache(maxsize=1 << 16)
def features(shape: Shape, caches: Caches) -> Features:
    """The features in the order of `NAMES`: kernel counts, and bytes."""
    found = count_rows(shape.layout, (shape.task,))
    return tuple(feature_rows(found, shape.ring, caches)[0].tolist())


def feature_rows(counts: NDArray[np.int64], ring: Ring, caches: Caches) -> NDArray[np.float64]:
    """The features (..., NAMES) of counts (..., COLUMNS) in that ring."""
    found = np.empty((*counts.shape[:-1], len(NAMES)))
    found[..., :_KERNELS] = counts[..., :_KERNELS] * _sizes(ring)
    found[..., _CALLS] += 1.0  # of the library by whoever runs it
    limb = WORD * ring.n
    moved = limb * (counts[..., _READS] + counts[..., _WRITES])
    working = limb * (counts[..., _OPERANDS] + counts[..., _PEAK])
    found[..., _KERNELS] = _missed(moved, working, caches.l2_bytes)
    found[..., _KERNELS + 1] = _missed(moved, working, caches.l3_bytes)
    return found


@lru_cache(maxsize=256)
def _sizes(ring: Ring) -> NDArray[np.float64]:
    """What a limb of each kernel is."""
    sizes = scaled(dict.fromkeys(KERNELS, 1), ring.n, ring.embedded, ring.filled)
    return np.array([*sizes.values()], dtype=np.float64)


def _missed(moved: NDArray[np.int64], working: NDArray[np.int64], cache: float) -> NDArray[np.float64]:
    """Of the bytes moved, those that a cache does not hold while so many are worked on."""
    return np.asarray(moved * np.maximum(0.0, 1.0 - cache / np.maximum(working, 1)))
