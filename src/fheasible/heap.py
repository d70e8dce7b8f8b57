"""The heap of this process: freed memory is kept for the next array, and cycles are rarely looked for.

The C library gives freed pages back to the system, which clears them when they are asked for again. Where
arrays of a megabyte come and go by the thousand, that takes a third of the time. Python looks for objects
that keep each other alive whenever 700 more have been made than freed. Where no objects do so, that takes a
tenth of the time for nothing.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

# M_MMAP_THRESHOLD, at the most that it may be: only larger arrays have pages of their own
_MAPPED: Final = -3, 1 << 25
RARELY: Final = 300_000  # objects made more than freed before cycles are looked for
_KEPT: Final = -1, 1 << 28  # M_TRIM_THRESHOLD: bytes at the end of the heap that are not given back


@cache
def keep_freed_memory() -> bool:
    """Whether freed memory is kept from now on, up to a quarter of a gibibyte: only the GNU C library can."""
    import ctypes  # imported here: it is slow to load, and only a search needs it

    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return all(mallopt(*option) for option in (_MAPPED, _KEPT))


@contextmanager
def collected_rarely() -> Iterator[None]:
    """A block, or a decorator of a function, in which cycles are looked for far more rarely."""
    before = gc.get_threshold()
    gc.set_threshold(max(RARELY, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
