"""What libraries do differently in a bootstrap, as small choices beside those of `Variant`."""

from dataclasses import dataclass
from enum import StrEnum


class Diagonals(StrEnum):
    """Which diagonals a factor of the DFT has.

    SIGNED  all of its shifts to either side, though two of them may be the same modulo the period
    MERGED  each shift modulo the period once: diagonals with the same shift are added
    """

    SIGNED = "signed"
    MERGED = "merged"


class Series(StrEnum):
    """How a Chebyshev series is evaluated.

    MONIC    Paterson and Stockmeyer's division by monic polynomials of degree k·2^i; levels are matched as
             late as possible, and a value that is used twice is rescaled twice [CCS19]
    HALVING  division by T_(2^i), with every coefficient at the scale that makes all sums exact [BMTH21]
    """

    MONIC = "monic"
    HALVING = "halving"


@dataclass(frozen=True, slots=True)
class Method:
    """The choices; `EVEN` and `CENTRED` are two sets of them that go together."""

    diagonals: Diagonals = Diagonals.MERGED
    series: Series = Series.HALVING
    babies_per_giant: int = 2  # MERGED: how many more baby steps than giant steps at most
    dense: bool = False  # one factor for each direction is a matrix without structure, and not reordered
    whole_giants: bool = False  # both polynomials of a giant step are divided by P before it, not c_1 alone
    repacked: bool = (
        True  # sparse: the imaginary part is brought to the second half by a rotation, and back by
    )
    # the first factor; otherwise the plain vectors do this, and both halves are added at the end
    spread: bool = True  # constants are shared out among the factors, not multiplied into the last
    normalised_apart: bool = (
        False  # two levels are spent on constants, before and after the modulus is raised
    )
    bound_apart: bool = (
        True  # `normalised_apart`: the division by K belongs to these constants, not to the DFT
    )
    raised_digits: bool = True  # encapsulation: the raised c_1 is itself each digit of the switch back
    shifted: bool = True  # the wave is even: 1/4 is subtracted before it, and odd terms are left out
    exact_trace: bool = True  # the sum over the repeated slots is divided by their number beforehand


EVEN = Method()
CENTRED = Method(
    diagonals=Diagonals.SIGNED,
    series=Series.MONIC,
    dense=True,
    whole_giants=True,
    repacked=False,
    spread=False,
    normalised_apart=True,
    raised_digits=False,
    shifted=False,
    exact_trace=False,
)
