"""What an RNS ring computes with: polynomials, each in a basis and a domain."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fheasible.rings.rns.basis import Basis


class Domain(StrEnum):
    """How a polynomial is stored: as its values at the roots of X^n + 1, or as its coefficients."""

    NTT = "NTT"
    COEFFICIENT = "coefficient"


class Conversion(StrEnum):
    """Which integer is written modulo other primes, where x is known modulo a product Q of primes.

    FAST     sum_i [x_i (Q/q_i)^-1]_{q_i} Q/q_i: x + uQ with 0 <= u < limbs; for one limb x in [0, Q) [BEHZ16]
    FLOOR    x in [0, Q): FAST and a correction in floating point
    EXACT    x in (-Q/2, Q/2]: FAST and a correction in floating point [HPS19]
    """

    FAST = "fast"
    FLOOR = "floor"
    EXACT = "exact"


@dataclass(frozen=True, slots=True, eq=False)
class Poly:
    """A polynomial of n coefficients: one limb for each prime of its basis.

    `data` belongs to the interpreter: an array (limbs, n) of residues, or what counts the limbs in use.
    """

    basis: Basis
    domain: Domain
    data: Any = None
