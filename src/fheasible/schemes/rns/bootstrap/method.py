"""What libraries do differently in a bootstrap, as small choices beside those of `Variant`."""

from dataclasses import dataclass
from enum import StrEnum


class Diagonals(StrEnum):
    """How the diagonals of a factor of the DFT are cut into baby and giant steps.

    MERGED    each shift modulo the period once, in multiples of a power of two and a rest; every multiple is
              a giant step of its own
    REPEATED  shifts from 0 upwards, so that the result is turned by an offset; the same giant step is done
              again and again, as in Horner's rule, and the last factor turns the result back
    """

    MERGED = "merged"
    REPEATED = "repeated"


class Series(StrEnum):
    """How a Chebyshev series is evaluated.

    MONIC    Paterson and Stockmeyer's division by monic polynomials of degree k·2^i; levels are matched as
             late as possible, and a value that is used twice is rescaled twice [CCS19]
    HALVING  division by T_(2^i), with every coefficient at the scale that makes all sums exact [BMTH21]
    """

    MONIC = "monic"
    HALVING = "halving"


class Alignment(StrEnum):
    """How operands are brought together where scales are not chosen beforehand.

    CORRECTED  by a number that brings the scale to that of the lower level; products are rescaled late
    DROPPED    by leaving limbs out, since all levels are said to have one scale; products are rescaled late
    AT_ONCE    by leaving limbs out; products are rescaled at once
    """

    CORRECTED = "corrected"
    DROPPED = "dropped"
    AT_ONCE = "at once"


@dataclass(frozen=True, slots=True)
class Method:
    """The choices; `EVEN` and `LATE` are two sets of them that go together."""

    diagonals: Diagonals = Diagonals.MERGED
    series: Series = Series.HALVING
    babies_per_giant: int = 2  # MERGED: how many more baby steps than giant steps at most
    dense: bool = False  # one factor for each direction is a matrix without structure, and not reordered
    zero_limbs: bool = False  # an operand that is not rotated has limbs over P, too, which are zero
    repacked: bool = (
        True  # sparse: the imaginary part is brought to the second half by a rotation, and back by
    )
    # the first factor; otherwise the plain vectors do this, and both halves are added at the end
    spread: bool = True  # constants are shared out among the factors, not multiplied into the last
    alignment: Alignment = Alignment.CORRECTED  # `normalised_apart`
    plains_at_start: bool = True  # all plain vectors of a direction have the limbs of its first factor
    normalised_apart: bool = (
        False  # two levels are spent on constants, before and after the modulus is raised
    )
    bound_apart: bool = True  # `normalised_apart`: these constants divide by K, not the DFT
    raised_digits: bool = True  # encapsulation: the raised c_1 is itself each digit of the switch back, and
    # is transformed once for every limb of Q
    raised_limbs: bool = False  # all limbs of what is raised are transformed, though only the first is used
    units_again: bool = False  # X^(n/2), which is i, is transformed at every product with i
    shifted: bool = True  # the wave is even: 1/4 is subtracted before it, and odd terms are left out
    exact_trace: bool = True  # the sum over the repeated slots is divided by their number beforehand
    hoisted_trace: bool = False  # that sum is made of four rotations at a time, which share digits, over QP


EVEN = Method()
LATE = Method(
    diagonals=Diagonals.REPEATED,
    series=Series.MONIC,
    dense=True,
    zero_limbs=True,
    repacked=False,
    spread=False,
    plains_at_start=False,
    normalised_apart=True,
    raised_digits=False,
    raised_limbs=True,
    units_again=True,
    shifted=False,
    exact_trace=False,
    hoisted_trace=True,
)
