"""What a torus ring computes with: arrays of numbers, each array in a domain."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Domain(StrEnum):
    """What the numbers of an array are.

    Transforms are of polynomials of degree below N, along the last axis: N/2 complex values each.
    """

    WORDS = "words"  # numbers of the torus, as integers modulo 2^64
    DIGITS = "digits"  # small signed integers: what a decomposition gives, or the bits of a key
    EXPONENTS = "exponents"  # integers modulo 2N, which powers of X have
    FOURIER_WORDS = "transformed words"
    FOURIER_DIGITS = "transformed digits"


@dataclass(frozen=True, slots=True, eq=False)
class Torus:
    """An array of numbers of this shape. A polynomial lies along the last axis, lowest coefficient first.

    `data` belongs to the interpreter; None where it only counts. `bits`: digits have magnitudes of at most
    2^bits, and transformed words are sums of at most 2^bits transforms. `key`: the key that this array is a
    part of; each time a product reads it, its bytes are counted.
    """

    shape: tuple[int, ...]
    domain: Domain
    data: Any = None
    bits: int = 0
    key: str = ""
