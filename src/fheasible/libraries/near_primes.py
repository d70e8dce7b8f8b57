"""Primes near the powers of two, where every walk of a library begins, for the steps 2N of usual rings.

They are read from `data/primes.npy`, which `prime_tabulation.py` makes. A search would otherwise find the
same facts of arithmetic again each time.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np

STEPS: Final = range(13, 19)  # log2 of the steps
BITS: Final = range(20, 62)  # log2 of the powers of two
NEAR: Final = 2048  # the number of steps below a power of two that are tabled, and the number from it on
_SPAN: Final = 2 * NEAR
_FAR_BITS: Final = NEAR.bit_length() - 1


class PrimeWindow(NamedTuple):
    """The numbers first, first + step, ... that one line of the table covers.

    The number asked for is first + at * step.
    """

    line: int  # where the line begins in the table
    at: int
    first: int
    step: int

    @property
    def prime(self) -> bool:
        """Whether the number asked for is prime."""
        return bool(_table()[self.line + self.at])

    @property
    def beyond(self) -> int:
        """The first number after those that the line covers."""
        return self.first + _SPAN * self.step

    def upwards(self) -> Iterator[int]:
        """The primes of the line from the number asked for on, ascending."""
        at = self.at
        while (at := _table().find(1, self.line + at, self.line + _SPAN) - self.line) >= 0:
            yield self.first + at * self.step
            at += 1

    def downwards(self) -> Iterator[int]:
        at = self.at
        while (at := _table().rfind(1, self.line, self.line + at + 1) - self.line) >= 0:
            yield self.first + at * self.step
            at -= 1


def around(n: int, m: int) -> PrimeWindow | None:
    """The window around n in steps of m; None where the table does not have n."""
    step, bits = m.bit_length() - 1, _nearest(n)
    return None if m & m - 1 else _window(n, bits, step)


def known(n: int) -> bool | None:
    """Whether n is prime; None where the table does not have n."""
    bits = _nearest(n)
    away = abs(n - 1 - (1 << bits)).bit_length()
    window = _window(n, bits, max(away - _FAR_BITS, STEPS[0]))
    return None if window is None else window.prime


def _nearest(n: int) -> int:
    """log2 of the power of two nearest to n."""
    length = n.bit_length()
    return length if n >> max(length - 2, 0) == 3 else max(length - 1, 0)


def _window(n: int, bits: int, step: int) -> PrimeWindow | None:
    at, left = divmod(n - 1 - (1 << bits), 1 << step)
    if left or not -NEAR <= at < NEAR or bits not in BITS or step not in STEPS:
        return None
    line = _SPAN * ((step - STEPS[0]) * len(BITS) + bits - BITS[0])
    return PrimeWindow(line, at + NEAR, 1 + (1 << bits) - (NEAR << step), 1 << step)


@cache
def _table() -> bytes:
    """The table with a byte for each number, which is 1 for a prime."""
    with (files("fheasible.libraries") / "data" / "primes.npy").open("rb") as file:
        return np.unpackbits(np.load(file)).tobytes()
