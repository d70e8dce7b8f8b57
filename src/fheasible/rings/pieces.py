"""New memory, piece by piece: what it costs depends on where the C library takes it from.

Small pieces lie on the heap, where memory that was freed is used again. A large piece is pages of its own,
which the kernel of the operating system clears before their first use, each time anew: that takes longer than
many an operation on them. Only where enough was freed on the heap is a large piece put there, too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.rings.limbs import LIMB_BYTES
from fheasible.rings.sizes import Size, larger, smaller

Counts = dict[str, Size]

SCATTERED_BYTES = 1 << 21  # of what was freed on the heap, so much lies in pieces too small for large ones
HEAP, PAGED, HUGE = "heap_bytes", "paged_bytes", "huge_page_bytes"  # kernels: new bytes, by where they lie
PHASES, TABLES = "phases", "table_bytes"  # kernels: the beginning of a phase, and what caches lack then
MAPPED_BYTES = 1 << 18  # pieces from this size on are pages of their own
HUGE_BYTES = 1 << 22  # for arrays from this size on, numpy asks for huge pages, which are cleared faster
HUGE_PAGE = 1 << 21


def copies(size: Size) -> Counts:
    """Counts of a copy of an array of `size` bytes, as scattered operands need one."""
    return {"moved_words": size // LIMB_BYTES} | new_array(size)


def together(*parts: Counts) -> Counts:
    """The sums of counts."""
    total: Counts = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return total


def many(times: Size, counts: Counts) -> Counts:
    """The counts of that many equal pieces of work."""
    return {name: times * count for name, count in counts.items()}


def new_buffer(size: Size) -> Counts:
    """Counts of new memory of the native code."""
    return {HEAP: on_heap(size), PAGED: size - on_heap(size)}


def new_array(size: Size) -> Counts:
    """Counts of the memory of a new array.

    An array on huge pages has small ones at its ends, because it is not aligned.
    """
    huge = (size - HUGE_PAGE // 2) // HUGE_PAGE * HUGE_PAGE * (size >= HUGE_BYTES)
    return {HEAP: on_heap(size), PAGED: size - on_heap(size) - huge, HUGE: huge}


def on_heap(size: Size) -> Size:
    """The bytes of a new piece that lie on the heap: all or none."""
    return size * (size < MAPPED_BYTES)


def share_on_heap(room: Size, needed: Size) -> Any:
    """The share of `needed` bytes in large pieces for which freed memory on the heap has room."""
    free = np.maximum(np.asarray(room) - SCATTERED_BYTES, 0.0)
    return np.minimum(free / np.maximum(needed, 1), 1.0)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The counts of an operation with where its new memory lies, given `room` that was freed on the heap.

    `stored` bytes are its result, `passing` bytes are needed while it runs. Where the room is too small for
    all large pieces at once, that share of them is put there.
    """

    given: Counts
    stored: Size
    passing: Size
    room: Size

    @property
    def share(self) -> Any:
        """The share of the large pieces that is put on the heap."""
        return share_on_heap(self.room, self._large)

    @property
    def _large(self) -> Size:
        """Bytes of the large pieces that are in use at once, at most."""
        together = self.stored + self.passing - on_heap(self.stored) - self.passing_heap
        return smaller(together, self.given[PAGED] + self.given.get(HUGE, 0))

    @property
    def passing_heap(self) -> Size:
        """Bytes on the heap, beside the result, while the operation runs."""
        return smaller(larger(self.given[HEAP] - on_heap(self.stored), 0), self.passing)

    @property
    def heap(self) -> Size:
        """Bytes of the result on the heap."""
        small = on_heap(self.stored)
        return small + self._moved(self.stored - small)

    @property
    def counts(self) -> Counts:
        paged, huge = self.given[PAGED], self.given.get(HUGE, 0)
        lie = {PAGED: paged - self._moved(paged), HUGE: huge - self._moved(huge)}
        return self.given | lie | {HEAP: self.given[HEAP] + self._moved(paged) + self._moved(huge)}

    def _moved(self, large: Size) -> Size:
        """The whole bytes of large pieces that are put on the heap."""
        moved = np.floor(large * self.share)
        return moved.astype(np.int64) if moved.ndim else int(moved)
