"""The work of an operation as a few numbers, its features: the seam between the cost model and its fit.

time = features . prices. A feature is the count of one kernel in the library's own algorithm, scaled to the
ring dimension, or the number of bytes that a cache cannot hold.
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
    """Bytes of the second-level and third-level cache that one core has; unknown sizes keep the defaults."""

    l2_bytes: float = 1 << 20
    l3_bytes: float = 8 << 20


@dataclass(frozen=True, slots=True)
class Shape:
    """One operation: a task in a layout, at ring dimension n, on vectors of `slots` slots (0: all slots)."""

    n: int
    layout: Layout
    task: Task
    slots: int = 0

    @staticmethod
    def of(n: int, layout: Layout, task: Task, slots: int) -> "Shape":
        """The shape of a task in a program with vectors of `slots` slots.

        Its own `slots` are 0 where the operation does not depend on them.
        """
        whole = RingScale.of(layout.library, layout.scheme, n)
        encodes = task.action in ENCODING and RingScale.of(layout.library, layout.scheme, n, slots) != whole
        return Shape(n, layout, task, slots if encodes else 0)

    @property
    def ring(self) -> "RingScale":
        return RingScale.of(self.layout.library, self.layout.scheme, self.n, self.slots)


@dataclass(frozen=True, slots=True)
class RingScale:
    """What scales counts of limbs to sizes: the ring dimension n, the number of slots of a vector that are
    embedded, and the number of its coefficients that are not 0."""

    n: int
    embedded: int
    filled: int

    @staticmethod
    def of(name: str, scheme: str, n: int, slots: int = 0) -> "RingScale":
        """The ring for vectors of `slots` slots; 0, or more than n/2, stands for n/2."""
        return RingScale(n, *library(name).encoded(scheme, n, min(slots or n, n // 2)))


@lru_cache(maxsize=1 << 16)
def features(shape: Shape, caches: Caches) -> Features:
    """The features in the order of `NAMES`: kernel counts, and bytes."""
    found = count_rows(shape.layout, (shape.task,))
    return tuple(feature_rows(found, shape.ring, caches)[0].tolist())


def feature_rows(counts: NDArray[np.int64], ring: RingScale, caches: Caches) -> NDArray[np.float64]:
    """The features (..., NAMES) of counts (..., COLUMNS) in that ring."""
    found = np.empty((*counts.shape[:-1], len(NAMES)))
    found[..., :_KERNELS] = counts[..., :_KERNELS] * _sizes(ring)
    found[..., _CALLS] += 1.0  # the call into the library itself
    limb = WORD * ring.n
    moved = limb * (counts[..., _READS] + counts[..., _WRITES])
    working = limb * (counts[..., _OPERANDS] + counts[..., _PEAK])
    found[..., _KERNELS] = _missed(moved, working, caches.l2_bytes)
    found[..., _KERNELS + 1] = _missed(moved, working, caches.l3_bytes)
    return found


@lru_cache(maxsize=256)
def _sizes(ring: RingScale) -> NDArray[np.float64]:
    """The size in this ring of one limb of each kernel."""
    sizes = scaled(dict.fromkeys(KERNELS, 1), ring.n, ring.embedded, ring.filled)
    return np.array([*sizes.values()], dtype=np.float64)


def _missed(moved: NDArray[np.int64], working: NDArray[np.int64], cache: float) -> NDArray[np.float64]:
    """The bytes of `moved` that a cache of `cache` bytes cannot hold while `working` bytes are in use."""
    return np.asarray(moved * np.maximum(0.0, 1.0 - cache / np.maximum(working, 1)))
