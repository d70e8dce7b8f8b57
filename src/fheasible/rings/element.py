"""What a ring computes with: matrices of polynomials, and integer constants."""

from dataclasses import dataclass
from typing import Any

from fheasible.rings.sizes import Size


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A matrix of polynomials of n coefficients.

    `modular`: the coefficients are residues modulo q; else they are integers, below 2^`bits` in absolute
    value. `data` is the interpreter's: what it stores of the coefficients.
    """

    rows: Size
    cols: Size
    modular: bool
    bits: Size
    data: Any = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """An integer constant, below 2^`bits` in absolute value.

    `value` is None where only its size matters (the counting ring's floor(q/t)); `shift` is k for 2^k.
    """

    bits: Size
    value: int | None = None
    shift: Size | None = None

    @staticmethod
    def of(value: int) -> "Scalar":
        power = value > 0 and value & (value - 1) == 0
        return Scalar(abs(value).bit_length(), value, value.bit_length() - 1 if power else None)

    @staticmethod
    def power(shift: Size) -> "Scalar":
        """2^shift; an array of exponents makes one constant for each parameter set."""
        return Scalar(shift + 1, 1 << shift if isinstance(shift, int) else None, shift)
