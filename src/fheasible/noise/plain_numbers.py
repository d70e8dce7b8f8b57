"""The integer that a library really multiplies a BFV or BGV ciphertext by where a program says a number.

Modulo t they are the same; noise is multiplied by the integer itself.

* Lattigo and SEAL's BGV take the residue around 0: 3 for -3.
* OpenFHE encodes the number with coefficients in [0, t): t - 3. FLEXIBLEAUTO(EXT) of its BGV multiplies that
  by the plain scale of the level, modulo t: it may become any.
* SEAL's BFV multiplies by the residue in [0, t) where every prime exceeds t; else by the residue around 0,
  and the noise is less than is said here (evaluator.cpp, multiply_plain_normal of one coefficient).

So programs for the last two have 3 and a negation in the place of -3 (`Style.signed_numbers`).
"""

from collections.abc import Sequence
from functools import cached_property
from math import log2

import numpy as np

from fheasible.libraries.block import Block
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.noise.primitive import variant
from fheasible.noise.sets import Figure, Sets


class Numbers:
    """Of one set, or of the sets of some blocks one after another, that have one t and technique."""

    def __init__(self, each: Sequence[Sets]) -> None:
        self.each, self.t = each, each[0].plain_modulus or 2
        self.signed = variant(each[0]).signed_numbers

    def bits(self, number: int, level: int) -> Figure:
        """log2 of what noise grows by when that number multiplies at the level."""
        found = [log2(max(self._multiplier(number * by), 1)) for by in self._scales(level)]
        return found[0] if len(set(found)) == 1 else np.array(found)

    def _multiplier(self, number: int) -> int:
        residue = number % self.t
        return min(residue, self.t - residue) if self.signed else residue

    def _scales(self, level: int) -> list[int]:
        return [scales[level] for scales in self._tables]

    @cached_property
    def _tables(self) -> list[tuple[int, ...]]:
        """`plain_scales` of every set; once where they are all the same."""
        p = self.each[0]
        if not library(p.library).has_plain_scales(p.scheme):
            return [(1,) * p.limbs]
        return [library(p.library).plain_scales(one) for one in _exact(self.each)]


def _exact(each: Sequence[Sets]) -> list[Parameters]:
    return [one for p in each for one in (p.exact if isinstance(p, Block) else (p,))]
