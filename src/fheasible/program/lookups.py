"""A program of table look-ups: what a scheme of the TFHE family executes, as it stands.

Values are vectors of ciphertexts, each of which holds an integer in [0, modulus), below one bit of padding.
Sums and products with small plain integers are exact as long as the results stay in that range, and
their noise grows with the 2-norm of the factors. A table look-up (programmable bootstrap) replaces each
element by its entry in a table, with fresh noise. A value of length 1 beside a longer one stands for each of
its elements.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.modulus import centred

Values = NDArray[np.int64]


class Step(StrEnum):
    ENCRYPT = "encrypt"  # the digit `digit` of the input `source`; `length` elements
    LINEAR = "linear"  # the sum of `weights[i]` times args[i], and of `plain`, element by element
    PICK = "pick"  # the elements `plain` of args[0], in that order: they may repeat
    JOIN = "join"  # the elements of all args, one argument after the other
    FOLD = "fold"  # sums of `group` neighbours of args[0] each; the last may have fewer
    LOOKUP = "lookup"  # the entries of `tables` at the elements of args[0]
    TRIVIAL = "trivial"  # the plain numbers `plain`, without encryption or noise


@dataclass(frozen=True, slots=True, eq=False)
class LookupStep:
    """One step, which makes value `out`, of `length` elements.

    `weights`: LINEAR: a factor for each argument, plain integers. `plain`: LINEAR: the summand, of length 1
    or `length`; PICK: places; TRIVIAL: numbers. `table`: LOOKUP: an index into the program's tables.
    """

    step: Step
    out: int
    length: int
    args: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    plain: Values | None = None
    group: int = 0
    table: int = 0
    source: str = ""
    digit: int = 0
    frees: tuple[int, ...] = ()  # values that no later step needs
    where: str = field(default="", compare=False, repr=False)  # file:line of the user's program


@dataclass(frozen=True, slots=True)
class Digits:
    """How integers lie in values: the sum of base^i times digit i, plus `low`, modulo `modulus` where that is
    set. A value that lies in [low, ...] is encrypted less its least, so that no digit is negative.

    `values`: one value for each digit, least first. For an input, those that ENCRYPT makes. `fraction`: the
    integers stand for real numbers, their multiples of 2^-fraction; None where they are integers.
    """

    name: str
    length: int
    values: tuple[int, ...]
    base: int
    low: int = 0
    modulus: int | None = None
    fraction: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LookupProgram:
    """Steps in order of execution. `modulus`: how many values a ciphertext holds (message times carry).

    Tables have `modulus` entries each, in [0, modulus).
    """

    modulus: int
    steps: tuple[LookupStep, ...]
    tables: tuple[tuple[int, ...], ...]
    inputs: tuple[Digits, ...]
    outputs: tuple[Digits, ...]

    @property
    def lookups(self) -> int:
        """How many bootstraps there are."""
        return sum(s.length for s in self.steps if s.step is Step.LOOKUP)


def digits_of(numbers: NDArray[Any], digits: Digits) -> list[Values]:
    """The digits of integers, least first, each of shape (length,); of real numbers, once they are rounded to
    multiples of 2^-fraction."""
    if digits.fraction is not None:
        numbers = np.rint(np.asarray(numbers, dtype=np.float64) * 2.0**digits.fraction).astype(np.int64)
    rest: Any = np.asarray(numbers, dtype=object) - digits.low
    if digits.modulus is not None:
        rest = rest % digits.modulus
    found = []
    for _ in digits.values:
        found.append(np.array(rest % digits.base, dtype=np.int64))
        rest = rest // digits.base
    return found


def from_digits(columns: list[Values], digits: Digits) -> NDArray[Any]:
    """The numbers, of shape (length,), of digits that may exceed the base: carries are added up. Integers are
    Python's, because they may exceed 64 bits; with the signs of residues where they wrap around. Real numbers
    are float64."""
    total: Any = np.zeros(digits.length, dtype=object)
    for i, each in enumerate(columns):
        total = total + np.asarray(each, dtype=object) * digits.base**i
    total = total + digits.low
    found: NDArray[Any] = total if digits.modulus is None else centred(total, digits.modulus)
    return found if digits.fraction is None else found.astype(np.float64) * 2.0**-digits.fraction
