"""What encoding and decoding in doubles leave of values.

A transform of n numbers rounds relative to all of them: each slot is off by some units in the last place of
their root mean square, times sqrt(log2 n). An element that is tiny beside the others of its vector keeps few
digits of its own. The figures are those of each library's transforms (`Library.encoding`, `decoding`).
"""

from math import log2

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.types import Program

Floats = NDArray[np.float64]

UNIT = 2.0**-53  # the rounding of a double, as a part of it
OF_DOUBLES = 2.0**-47  # of a value: no error is told that is smaller
_IMAGINARY = 3.0  # units, as measured: OpenFHE's roots of unity are those of rounded angles


def encoding(program: Program, library: str) -> float:
    """Variance of a slot of a vector that is encoded, whose slots have a mean square of one."""
    return _variance(program, CATALOGUE[library].encoding)


def decoding(program: Program, library: str) -> float:
    """The same of one that is decoded."""
    return _variance(program, CATALOGUE[library].decoding)


def imaginary(program: Program, degree: float, largest: float) -> float:
    """The mean square of the slots' imaginary parts that OpenFHE's encoding leaves of a result of that degree
    in the inputs, with elements up to the largest: it is alike in all slots, and adds up in sums. The secret
    has no part in it."""
    return _variance(program, _IMAGINARY * degree * largest)


def _variance(program: Program, units: float) -> float:
    return (UNIT * units) ** 2 * max(log2(program.slots), 1.0)


def mean_square(slots: Floats) -> float:
    """Of a value, by a number for each slot or one for all."""
    return float(slots @ slots) / len(slots)
