"""How many multiplications of integers each other operation is worth: data with their sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.errors import UnknownName
from fheasible.rings.sizes import Size


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of operations on integers, relative to a multiplication.

    `rate[op]` is the number of operations of that kind in the time of one multiplication. `karatsuba` is the
    exponent of n in the cost of a product of polynomials.
    """

    name: str
    rate: Mapping[str, float]
    karatsuba: float
    source: str

    def polynomial_product(self, n: Size) -> Size:
        """The integer multiplications in a product of two polynomials of n coefficients: ceil(n^1.59)."""
        made: Any = np.ceil(np.asarray(n, dtype=np.float64) ** self.karatsuba).astype(np.int64)
        return made if made.ndim else int(made)

    def total(self, integers: Mapping[str, Size]) -> Size:
        """All operations on integers, converted to multiplications; each kind is rounded up [FerLL18]."""
        total: Size = 0
        for operation, count in integers.items():
            total = total + _ceil(count, self.rate[operation])
        return total


def _ceil(count: Size, rate: float) -> Size:
    if rate == 1:
        return count
    made: Any = np.ceil(np.asarray(count) / rate).astype(np.int64)
    return made if made.ndim else int(made)


PANTHERS = Weights(
    "panthers",
    {
        "multiplication": 1,
        "shift": 1,
        "addition": 1.309,
        "subtraction": 1.065,
        "modulo": 0.909,
        "power": 0.48,
        "random": 0.53,
        "round": 0.314,
        "division": 0.115,
    },
    1.59,
    "ratios of CPU times in the published code of PAnTHErS (Complexity/complexity.sage, version 4) [FerLL18]",
)
WEIGHTS = {w.name: w for w in (PANTHERS,)}


def weights(name: str) -> Weights:
    """The weights of this name. UnknownName where there are none."""
    if name.lower() not in WEIGHTS:
        raise UnknownName(f"there are no weights {name!r}", f"choose among {', '.join(WEIGHTS)}")
    return WEIGHTS[name.lower()]
