"""How a library wants a program of one scheme to be written."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from fheasible.program.types import Scheme

_BFV: Final = Scheme.BFV
_CKKS: Final = Scheme.CKKS
SeriesDepth = Callable[[int, bool], int]  # levels, by the degree and whether the interval is [-1, 1]


class Layout(StrEnum):
    """How inputs of equal length lie in ciphertexts."""

    BY_COLUMN = "by_column"  # each in ciphertexts of its own
    SIDE_BY_SIDE = "side_by_side"  # one after another in one vector
    BY_ROW = "by_row"  # their first elements, then their second ones, and so on


@dataclass(frozen=True, slots=True)
class LevelBudget:
    """The levels that a program has, where bootstraps bring them back (CKKS)."""

    levels: int  # after a bootstrap, and of fresh inputs at least
    least: int = 0  # the lowest level that a bootstrap's operand may have
    bound: float = 1.0  # the largest magnitude that its slots may have
    above: int = 0  # levels that fresh inputs may have beyond those after a bootstrap


@dataclass(frozen=True, slots=True)
class Style:
    """Facts about (scheme, library, technique) that change which operations a program consists of."""

    scheme: Scheme
    automatic: bool = False  # the library brings operands to one level by itself
    extended: bool = False  # fresh ciphertexts carry one more limb and its degree (FLEXIBLEAUTOEXT)
    series_depth: SeriesDepth | None = field(default=None, repr=False)  # where series are the library's own
    exact_scales: bool = True  # CKKS: each level has its own scale, so values must be brought to it
    as_written: bool = False  # products are in the order as written, even if that is deeper than needed
    layout: Layout = Layout.BY_COLUMN
    spare: int = 0  # levels that results keep, to leave room for values beyond the first prime
    mixed_sizes: bool = True  # sums may mix values of sizes 3 and 2
    hoists: bool = False  # rotations of one value share its digits
    signed_numbers: bool = True  # -3 multiplies noise by 3; by t - 3 where integers lie in [0, t)
    loses_last_summands: bool = False  # plain summands at the last level count as zero
    budget: LevelBudget | None = None  # None: as many levels as the circuit is deep, and no bootstrap

    @property
    def composites(self) -> bool:
        """Whether sums and Chebyshev series are the library's own, as studies compare them."""
        return self.series_depth is not None

    @property
    def leveled(self) -> bool:
        """Whether multiplications use up levels."""
        return self.scheme is not _BFV

    def slots_of(self, ring_dimension: int) -> int:
        """The slots of a ciphertext."""
        return ring_dimension if self.exact else ring_dimension // 2

    @property
    def exact(self) -> bool:
        """Whether the plaintexts are integers."""
        return self.scheme is not _CKKS
