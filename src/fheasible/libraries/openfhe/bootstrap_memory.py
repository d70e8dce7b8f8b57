"""The memory of OpenFHE's bootstrap, in limbs of 8n bytes: the matrices that it keeps, and what it works in.

Both follow the wheel 1.6.1 (`bootstrap`), whose resident set was compared with them for rings of 2^12 to
2^13 of full and few slots: see `resident`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

from fheasible.libraries.openfhe.bootstrap import baby_steps, diagonals
from fheasible.libraries.openfhe.ckks import chebyshev_depth
from fheasible.schemes.rns.bootstrap.procedure import Procedure

_EPHEMERAL_LIMBS = 2 * 3  # of the key to the sparse secret
_LINEAR = 9  # polynomials over QP beside the baby steps: three digits, a sum, a product and a result
_KEPT = 5  # polynomials over Q: the value, a copy of it and a first part of the result
_SERIES = 10  # polynomials of one product in a series, beside its powers and digits


@dataclass(frozen=True, slots=True)
class Refresh:
    """A bootstrap in a chain of so many limbs, without the extra limb of FLEXIBLEAUTOEXT."""

    procedure: Procedure
    n: int
    chain: int
    special: int
    digits: int

    @property
    def plaintexts(self) -> float:
        """The limbs of the matrices: each diagonal over QP and as complex numbers, of both halves where there
        are fewer slots than N/2."""
        slots = self.procedure.slots
        numbers = (2 if slots < self.n // 2 else 1) * 2 * slots / self.n
        return sum(count * (limbs + self.special + numbers) for _, count, limbs in self._factors())

    @property
    def peak(self) -> int:
        """The most limbs alive during a bootstrap, beside the value that is bootstrapped."""
        raised, doubled = 2 * self.chain, 2 if self.procedure.iterations > 1 else 0
        linear = max(
            (2 * baby_steps(stages) + _LINEAR) * (limbs + self.special) + _KEPT * limbs
            for stages, _, limbs in self._factors()
        )
        return raised + doubled * self.chain + max(linear, self._series())

    @property
    def unlike_others(self) -> int:
        """By how many limbs the key to the sparse secret is shorter than the other keys."""
        if self.procedure.ephemeral is None:
            return 0
        return 2 * self.digits * (self.chain + self.special) - _EPHEMERAL_LIMBS

    def _series(self) -> int:
        """The limbs of a series' powers and of its largest product, twice where all slots are full."""
        limbs = self.chain - 1 - len(self.procedure.encode)
        powers = ceil(2 * log2(self.procedure.reduction.degree))
        others = 2 * limbs * (self.procedure.slots == self.n // 2)
        return (2 * powers + _SERIES) * limbs + self.digits * (limbs + self.special) + others

    def _factors(self) -> Iterator[tuple[int, int, int]]:
        """(stages, number of diagonals, limbs that it works on) of each factor."""
        own, limbs = self.procedure, self.chain - 1
        for stages in own.encode:
            yield stages, diagonals(own, stages), limbs
            limbs -= 1
        limbs -= chebyshev_depth(own.reduction.degree, normalised=True) + own.reduction.doublings
        for stages in own.decode:
            yield stages, diagonals(own, stages), limbs
            limbs -= 1
