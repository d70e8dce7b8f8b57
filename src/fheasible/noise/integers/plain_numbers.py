"""The integer by which a library really multiplies a BFV or BGV ciphertext, for a number in the program.

Modulo t the integer and the number are the same, but noise is multiplied by the integer itself.

* Lattigo and SEAL's BGV take the residue around 0: -3 multiplies noise by 3.
* OpenFHE encodes the number with coefficients in [0, t): -3 becomes t - 3. In BGV with FLEXIBLEAUTO(EXT) it
  multiplies this by the plain scale of the level, modulo t, and the result may be any residue.
* SEAL's BFV multiplies by the residue in [0, t) where every prime exceeds t. Elsewhere it multiplies by the
  residue around 0, and the noise is less than predicted here (evaluator.cpp, multiply_plain_normal of one
  coefficient).

Programs for the last two therefore contain 3 and a negation instead of -3 (`Style.signed_numbers`).
"""

from collections.abc import Sequence
from functools import cached_property
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.primitive import variant
from fheasible.noise.sets import Figure


class Numbers:
    """How much plain numbers multiply noise, for one set of parameters, or for the sets of several blocks one
    after another; all of them have the same t and technique."""

    def __init__(self, each: Sequence[IntegerSets]) -> None:
        self.each, self.t = each, each[0].plain_modulus
        self.signed = variant(each[0]).signed_numbers

    def bits(self, number: int, level: int) -> Figure:
        """log2 of the factor by which noise grows when `number` multiplies a ciphertext at `level`."""
        found = [log2(max(self._multiplier(number * by), 1)) for by in self._scales(level)]
        return found[0] if len(set(found)) == 1 else np.array(found)

    def of_each(self, numbers: NDArray[Any], level: int) -> Floats:
        """The `bits` of several numbers, in rows; one column where they are the same for all sets."""
        scales, kind = self._scales(level), np.int64 if self.t < 1 << 31 else object
        by = np.array([scales[0]] if len(set(scales)) == 1 else scales, dtype=kind)
        residues = (numbers % self.t).astype(kind)[:, None] * by % self.t
        found = np.minimum(residues, self.t - residues) if self.signed else residues
        return np.asarray(np.log2(np.maximum(found.astype(np.float64), 1.0)))

    def _multiplier(self, number: int) -> int:
        residue = number % self.t
        return min(residue, self.t - residue) if self.signed else residue

    def _scales(self, level: int) -> list[int]:
        return [scales[level] for scales in self._tables]

    @cached_property
    def _tables(self) -> list[tuple[int, ...]]:
        """The plain scales of every set by level; one row of ones where the library has no plain scales."""
        p = self.each[0]
        if not library(p.library).has_plain_scales(p.scheme):
            return [(1,) * p.limbs]
        return [library(p.library).plain_scales(one) for one in _exact(self.each)]


def _exact(each: Sequence[IntegerSets]) -> list[IntegerParameters]:
    return [one for p in each for one in (p.exact if isinstance(p, IntegerBlock) else (p,))]
