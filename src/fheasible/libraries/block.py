"""Many parameter sets of one layout as columns: what differs between them is an array, a value for each set.

A block answers like `Parameters`: q[l], p[i], scales[l], log_q, log_p and flooding are arrays over the sets,
and all else is alike. A formula written for either works on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.parameters import Parameters

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Block:
    """Sets of one library, scheme and layout, in one ring; primes as doubles."""

    library: str
    scheme: str
    ring_dimension: int
    q: tuple[Floats, ...]
    p: tuple[Floats, ...]
    digits: int
    technique: str
    key_switching: str
    secret: str
    plain_modulus: int | None
    scales: tuple[Floats, ...]
    levels: int
    extended_limbs: int
    flooding: Floats
    nominal: Floats  # CKKS: the scale that was asked for
    exact: tuple[Parameters, ...] = ()  # BGV, BFV: the sets, of whose primes the last digit matters

    @staticmethod
    def of(sets: Sequence[Parameters]) -> "Block":
        """Those sets, which must be alike but for the values of their primes, scales and flooding."""
        first = sets[0]
        return Block(
            first.library,
            first.scheme,
            first.ring_dimension,
            _columns([s.q for s in sets]),
            _columns([s.p for s in sets]),
            first.digits,
            first.technique,
            first.key_switching,
            first.secret,
            first.plain_modulus,
            _columns([s.scales for s in sets]),
            first.levels,
            first.extended_limbs,
            np.array([s.flooding for s in sets]),
            np.array([s.nominal for s in sets]),
            () if first.scheme == "ckks" else tuple(sets),
        )

    def __len__(self) -> int:
        return len(self.flooding)

    @property
    def limbs(self) -> int:
        return len(self.q)

    @property
    def limbs_per_digit(self) -> int:
        """Of key switching, as `Parameters.limbs_per_digit`."""
        if self.key_switching == "bv":
            return 1
        if self.library == "lattigo":
            return max(len(self.p), 1)
        return -(-self.limbs // max(self.digits, 1))

    @cached_property
    def log_q(self) -> Floats:
        return _log2(self.q, len(self))

    @cached_property
    def log_p(self) -> Floats:
        return _log2(self.p, len(self))

    @property
    def log_qp(self) -> Floats:
        return self.log_q + self.log_p


Sets = Parameters | Block  # what formulas take that work for either


def _columns(rows: Sequence[tuple[float, ...]]) -> tuple[Floats, ...]:
    """One array for each position."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("sets of one block have equally many primes and scales")
    return tuple(np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))


def _log2(primes: tuple[Floats, ...], size: int) -> Floats:
    return np.sum(np.log2(primes), axis=0) if primes else np.zeros(size)
