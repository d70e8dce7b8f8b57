"""The heap of this process: what is freed is kept for the next array.

The C library gives freed pages back to the system, which clears them when they are asked for again. Where
arrays of a megabyte come and go by the thousand, that takes a third of the time.
"""

import ctypes
import sys
from functools import cache
from typing import Final

_MAPPED: Final = (
    -3,
    1 << 25,
)  # M_MMAP_THRESHOLD: larger arrays alone have pages of their own; the most it may be
_KEPT: Final = -1, 1 << 28  # M_TRIM_THRESHOLD: bytes at the end of the heap that are not given back


@cache
def keep_freed_memory() -> bool:
    """Whether it is so from now on, up to a quarter of a gibibyte: with the GNU C library alone."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return all(mallopt(*option) for option in (_MAPPED, _KEPT))
