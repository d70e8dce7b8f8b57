"""How a logical vector lies in ciphertexts, and what sits in the slots beyond its end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fheasible.lowering.builder import Value


@dataclass(frozen=True, slots=True)
class PackedVector:
    """`length` elements in `values`, one ciphertext per `slots` of them, times `factor`.

    A vector of length 1 fills every slot of its one value. `clean` says that the slots beyond the end hold
    zero. `factor` is a plain constant that has not been multiplied in yet, because a level is saved when two
    such constants meet (CKKS only; 1 otherwise). If `period` is not 0, every slot t holds what slot t mod
    period does. `wild` says that slots beyond the end may hold values unlike any element's; `tiled` says that
    they repeat the first elements.
    """

    length: int
    values: tuple[Value, ...]
    clean: bool = True
    factor: float = 1.0
    period: int = 0
    wild: bool = False
    tiled: bool = False

    @property
    def spread(self) -> bool:
        return self.length == 1


def slots_for(lengths: list[int], capacity: int) -> int:
    """The period that packs the longest vector: its length rounded up to a power of two, at most
    `capacity` slots."""
    return min(capacity, 1 << (max(lengths) - 1).bit_length())


def chunks_of(length: int, slots: int) -> int:
    return -(-length // slots)


def has_padding(length: int, slots: int) -> bool:
    """Whether slots beyond the end exist (a single value fills them all)."""
    return length > 1 and length % slots != 0


def valid(length: int, slots: int, chunk: int) -> NDArray[np.bool_]:
    """Which slots of that chunk hold elements."""
    return np.arange(chunk * slots, (chunk + 1) * slots) < length
