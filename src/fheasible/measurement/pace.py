"""A fixed piece of work, whose time tells how busy the machine is with other processes."""

import time

import numpy as np
from numpy.typing import NDArray

PACE = 1.1  # times the least time: beyond this, other processes slow the machine
_WORDS = 1 << 15  # in each operand: 256 KiB, like a limb of a large ring
_TURNS = 60


def reference_loop() -> float:
    """CPU seconds of a fixed piece of work like a library's, products and sums: the least of three runs."""
    x = np.arange(_WORDS, dtype=np.uint64)
    made = np.empty_like(x)
    return min(_turns(x, made) for _ in range(3))


def _turns(x: NDArray[np.uint64], made: NDArray[np.uint64]) -> float:
    begun = time.thread_time()
    for _ in range(_TURNS):
        np.multiply(x, x, out=made)
        np.add(made, x, out=made)
    return time.thread_time() - begun
