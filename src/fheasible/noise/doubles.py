"""The errors that encoding and decoding in doubles leave in values.

A transform of n numbers rounds relative to all of them: each slot is off by some units in the last place of
their root mean square, times sqrt(log2 n). An element that is tiny compared with the others of its vector
keeps few digits of its own. The figures are those of each library's transforms (`Library.encoding`,
`decoding`).
"""

from math import log2

from fheasible.aliases import Floats
from fheasible.libraries.catalogue import BY_NAME
from fheasible.program.types import Program

UNIT = 2.0**-53  # the rounding error of a double, as a fraction of it
OF_DOUBLES = 2.0**-47  # fraction of a value: no smaller error is reported
_IMAGINARY = 3.0  # units, as measured: OpenFHE's roots of unity are those of rounded angles


def encoding(program: Program, library: str) -> float:
    """The variance that encoding adds to a slot of a vector whose slots have a mean square of one."""
    return _variance(program, BY_NAME[library].encoding)


def decoding(program: Program, library: str) -> float:
    """The variance that decoding adds to a slot of a vector whose slots have a mean square of one."""
    return _variance(program, BY_NAME[library].decoding)


def imaginary(program: Program, degree: float, largest: float) -> float:
    """The mean square of the imaginary parts that OpenFHE's encoding leaves in the slots of a result that has
    degree `degree` in the inputs and elements up to `largest`. The imaginary parts are the same in all slots,
    add up in sums, and do not depend on the secret."""
    return _variance(program, _IMAGINARY * degree * largest)


def _variance(program: Program, units: float) -> float:
    return (UNIT * units) ** 2 * max(log2(program.slots), 1.0)


def mean_square(slots: Floats) -> float:
    """The mean square of a value's slots, which are given as a number for each slot or one for all."""
    return float(slots @ slots) / len(slots)
