"""The heap of this process: what is freed is kept for the next array, and cycles are rarely looked for.

The C library gives freed pages back to the system, which clears them when they are asked for again. Where
arrays of a megabyte come and go by the thousand, that takes a third of the time. Python looks for objects
that keep each other alive whenever 700 more have come than gone: a tenth of the time, where there are none.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

# M_MMAP_THRESHOLD: larger arrays alone have pages of their own; the most it may be
_MAPPED: Final = -3, 1 << 25
RARELY: Final = 100_000  # objects more
_KEPT: Final = -1, 1 << 28  # M_TRIM_THRESHOLD: bytes at the end of the heap that are not given back


@cache
def keep_freed_memory() -> bool:
    """Whether it is so from now on, up to a quarter of a gibibyte: with the GNU C library alone."""
    import ctypes  # which is slow to load, and needed by a search alone

    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return all(mallopt(*option) for option in (_MAPPED, _KEPT))


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Inside, or in each call of what this decorates, cycles are looked for far more rarely."""
    before = gc.get_threshold()
    gc.set_threshold(max(RARELY, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
