"""Primes of CKKS chains as columns: those of each size are found once for a library, technique and ring.

Primes of one size come from one sequence, which all sizes of a set share that are the same. So the chain
above the first prime is looked up by the scale, the first prime and the special ones by their bits, and all
by what is the same among them.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.block import Block
from fheasible.libraries.blocks import Made, blocks
from fheasible.libraries.catalogue import Library
from fheasible.libraries.openfhe import rns
from fheasible.libraries.parameters import Request
from fheasible.libraries.primes import next_prime

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SIZES: Final = 62  # bits of a prime are fewer
_LARGEST, _NEXT = 60, 59  # of a first prime that no other of the set is to equal
_EXACT: Final = 2.0**53  # a larger integer is no double, and far from all others
_SMALLEST: Final = rns.MIN_BITS


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Bits of the primes of many sets, a value for each: of the scale, the first prime, the special ones."""

    scale: Ints
    first: Ints
    special: Ints  # of OpenFHE, which sizes them itself, the largest

    def __len__(self) -> int:
        return len(self.scale)

    def take(self, chosen: NDArray[np.generic]) -> "Sizes":
        return Sizes(self.scale[chosen], self.first[chosen], self.special[chosen])


class Primes(NamedTuple):
    """(prime, set) and (level, set); NaN where the library has none."""

    q: Floats
    p: Floats
    scales: Floats


class _Table(NamedTuple):
    """The same by the bits of one size, and what all have in common."""

    q: Floats
    p: Floats
    scales: Floats
    block: Block | None

    @staticmethod
    def of(made: list[Made], bits: list[int]) -> "_Table":
        if not made:
            nothing = np.full((1, _SIZES), np.nan)
            return _Table(nothing, nothing, nothing, None)
        (one,) = made  # they differ in nothing that a layout has
        places = np.array(bits)[one.indices]
        columns = [_spread(part, places) for part in (one.block.q, one.block.p, one.block.scales)]
        return _Table(columns[0], columns[1], columns[2], one.block)


def _spread(rows: tuple[Floats, ...], places: Ints) -> Floats:
    found = np.full((len(rows), _SIZES), np.nan)
    if rows:
        found[:, places] = np.stack(rows)
    return found


class Chains:
    """Of one library and technique, in one ring; whatever their security."""

    def __init__(self, library: Library, technique: str | None, ring_dimension: int) -> None:
        self.library, self.technique, self.n = library, technique, ring_dimension
        self.own_special = library.name != "openfhe"  # whether special primes are the user's choice
        self._tables: dict[tuple[int, bool, bool, int], _Table] = {}

    def block(self, depth: int) -> Block | None:
        """One with the layout of such chains; None where the library makes none."""
        return self._chain(depth, False, False, 1).block

    def primes(self, depth: int, sizes: Sizes, count: int) -> Primes:
        """Of chains of that depth, with `count` special primes."""
        same_first = sizes.first == sizes.scale
        same_special = (sizes.special == sizes.scale) & self.own_special
        pair = (sizes.special == sizes.first) & self.own_special & ~same_first
        limbs = self._chain(depth, False, False, count)
        size = len(sizes)
        found = Primes(
            np.full((len(limbs.q), size), np.nan),
            np.full((count, size), np.nan),
            np.full((len(limbs.scales), size), np.nan),
        )
        for first in (False, True):
            for special in (False, True):
                here = np.flatnonzero((same_first == first) & (same_special == special))
                if len(here):
                    self._fill(found, here, self._chain(depth, first, special, count), sizes)
                if len(here) and not first:
                    found.q[0, here] = self._alone(count, False).q[0, sizes.first[here]]
                if len(here) and not special:
                    found.p[:, here] = self._special(sizes.special[here], count)
        both = np.flatnonzero(pair)
        if len(both):
            table = self._alone(count, True)
            found.q[0, both], found.p[:, both] = table.q[0, sizes.first[both]], table.p[:, sizes.first[both]]
        if not self.own_special:
            self._apart(found.q)
        return found

    def _apart(self, q: Floats) -> None:
        """OpenFHE takes the next prime above all others where its first is one of them, which are small."""
        for i in np.flatnonzero((q[1:] == q[0]).any(axis=0) & (q.max(axis=0) < _EXACT)):
            q[0, i] = next_prime(int(q[1:, i].max()), 2 * self.n)

    def _fill(self, found: Primes, here: Ints, table: _Table, sizes: Sizes) -> None:
        if table.block is not None:
            scale = sizes.scale[here]
            found.q[:, here], found.scales[:, here] = table.q[:, scale], table.scales[:, scale]
            if self.own_special:
                found.p[:, here] = table.p[:, scale]

    # -- tables ----------------------------------------------------------------------------------

    def _chain(self, depth: int, same_first: bool, same_special: bool, count: int) -> _Table:
        """By the bits of the scale. First and special primes of another size are not looked at."""
        key = (depth, same_first, same_special, count if same_special else 1)
        if key not in self._tables:
            scales = list(range(_SMALLEST, _LARGEST))
            sizes = ((s, s if same_first else _LARGEST, s if same_special else _LARGEST) for s in scales)
            requests = [self._request(depth, *three, key[3]) for three in sizes]
            self._tables[key] = _Table.of(blocks(self.library, requests).made, scales)
        return self._tables[key]

    def _alone(self, count: int, paired: bool) -> _Table:
        """By the bits of the first prime, the chain's only one; `paired`: the special primes have as many."""
        key = (-1, False, paired, count if paired else 1)
        if key not in self._tables:
            sizes = list(range(_SMALLEST + 1, _LARGEST + 1))
            requests = [self._request(0, _SMALLEST, b, b if paired else _other(b), key[3]) for b in sizes]
            self._tables[key] = _Table.of(blocks(self.library, requests).made, sizes)
        return self._tables[key]

    def _special(self, bits: Ints, count: int) -> Floats:
        if not self.own_special:
            return np.full((count, len(bits)), np.exp2(rns.MAX_BITS))
        key = (-2, False, False, count)
        if key not in self._tables:
            sizes = list(range(_SMALLEST, 1 + (_LARGEST if self.library.name == "seal" else 61)))
            requests = [self._request(0, _SMALLEST, _other(b), b, count) for b in sizes]
            self._tables[key] = _Table.of(blocks(self.library, requests).made, sizes)
        return self._tables[key].p[:, bits]

    def _request(self, depth: int, scale: int, first: int, special: int, count: int) -> Request:
        asked = Request(
            "ckks", depth, None, scale_bits=scale, first_bits=first, technique=self.technique,
            ring_dimension=self.n,
        )  # fmt: skip
        if self.own_special:
            return replace(asked, special_bits=(special,) * count)
        return replace(asked, key_switching="bv")  # which takes no P


def _other(bits: int) -> int:
    return _NEXT if bits == _LARGEST else _LARGEST


@cache
def chains(library: Library, technique: str | None, ring_dimension: int) -> Chains:
    return Chains(library, technique, ring_dimension)
