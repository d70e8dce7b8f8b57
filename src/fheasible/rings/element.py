"""What a ring computes with: matrices of polynomials, and integer constants."""

from dataclasses import dataclass
from typing import Any

from fheasible.rings.sizes import Size


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A matrix of polynomials of n coefficients.

    Where `modular`, the coefficients are residues modulo q; otherwise they are integers below 2^`bits` in
    absolute value. `data` belongs to the interpreter: what it stores for the coefficients.
    """

    rows: Size
    cols: Size
    modular: bool
    bits: Size
    data: Any = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """An integer constant, below 2^`bits` in absolute value.

    `value` is None where only the size matters (floor(q/t) in the counting ring). `shift` is k where the
    constant is 2^k, otherwise None.
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
        """The constant 2^shift; an array of exponents gives one constant for each parameter set."""
        return Scalar(shift + 1, 1 << shift if isinstance(shift, int) else None, shift)
