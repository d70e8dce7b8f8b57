"""The primes of CKKS chains as columns. The primes of each size are found once for a library, technique and
ring.

Primes of one size come from one sequence. Where the scale, the first prime and the special primes of a set
have the same size, they share that sequence. So the chain above the first prime is looked up by the bits of
the scale, the first prime and the special primes by their own bits, and all of them also by which of these
sizes are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.libraries.block import CkksBlock
from fheasible.libraries.blocks import MadeBlock, blocks
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksRequest
from fheasible.libraries.primes import next_prime

SIZES: Final = 62  # more than the bits of any prime
_LARGEST, _NEXT = 60, 59  # bits of a prime whose size no other prime of the set shall have
_EXACT: Final = 2.0**53  # larger integers are not exact as doubles, and such primes are far from all others
_SMALLEST: Final = 14  # bits of the smallest prime that is looked up
_FIRSTS, _SPECIALS = -1, -2  # in place of a depth, in the keys of tables of these primes alone

# (depth, whether the first prime has the size looked up, whether special primes have it, how many of these)
_Key = tuple[int, bool, bool, int]


@dataclass(frozen=True, slots=True, eq=False)
class ChainSizes:
    """The bits of the primes of many sets, one value for each set: of the scale, the first prime and the
    special primes."""

    scale: Ints
    first: Ints
    special: Ints  # the largest, where the library sizes them by itself

    def __len__(self) -> int:
        return len(self.scale)

    def take(self, chosen: NDArray[np.generic]) -> "ChainSizes":
        return ChainSizes(self.scale[chosen], self.first[chosen], self.special[chosen])


class Primes(NamedTuple):
    """The primes of many sets, as (prime, set), and their scales, as (level, set); NaN where the library has
    none."""

    q: Floats
    p: Floats
    scales: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Chained:
    """The primes of many sets, looked up; NaN where the library has none. Sets of one `ladder` have the same
    primes above the first, and the same scales; sets of one `end` have the same special primes."""

    first: Floats  # of each set
    ladder: Ints
    end: Ints
    above: Floats  # (prime above the first, ladder)
    scales: Floats  # (level, ladder)
    special: Floats  # (prime, end)
    log_above: Floats  # of each ladder
    log_special: Floats  # of each end

    def primes(self, places: Ints) -> Primes:
        """The primes and scales of the sets at these places."""
        ladder, end = self.ladder[places], self.end[places]
        q = np.vstack([self.first[places][None], np.take(self.above, ladder, axis=1)])
        return Primes(q, np.take(self.special, end, axis=1), np.take(self.scales, ladder, axis=1))

    @property
    def log_q(self) -> Floats:
        return np.log2(self.first) + self.log_above[self.ladder]

    @property
    def log_p(self) -> Floats:
        return self.log_special[self.end]


class _Table(NamedTuple):
    """Primes and scales by the bits of one size, and a `block` with the layout that all have in common."""

    q: Floats
    p: Floats
    scales: Floats
    block: CkksBlock | None

    @staticmethod
    def of(made: list[MadeBlock[CkksBlock]], bits: list[int]) -> "_Table":
        if not made:
            return _NOTHING
        (one,) = made  # the sets have the same layout
        places = np.array(bits)[one.indices]
        columns = [_spread(part, places) for part in (one.block.q, one.block.p, one.block.scales)]
        return _Table(columns[0], columns[1], columns[2], one.block)

    def of_special(self, count: int) -> "_Table":
        """The table with only the first `count` special primes."""
        return self._replace(p=self.p[:count])

    def filled(self, other: "_Table") -> "_Table":
        """The table, with values of the other table where it has none itself."""
        if other.block is None or self.block is None:
            return self if other.block is None else other
        q, p, scales = (np.where(np.isnan(x), y, x) for x, y in zip(self[:3], other[:3], strict=True))
        return _Table(q, p, scales, self.block)


class _SideBySide(NamedTuple):
    """First primes by their bits, and the columns of a `Chained` by its ladders and ends. First primes are
    `alone` where no other prime has their size, and `paired` where special primes have it; `first` are those
    of chains whose first prime has the size of the scale, by ladder."""

    alone: Floats
    paired: Floats
    first: Floats
    above: Floats
    scales: Floats
    special: Floats
    log_above: Floats
    log_special: Floats


_NONE: Final = np.full((1, SIZES), np.nan)
_NOTHING: Final = _Table(_NONE, _NONE, _NONE, None)


def _tall(rows: Floats, height: int) -> Floats:
    """The first `height` rows; NaN where the library has no such sets at all."""
    return rows[:height] if len(rows) >= height else np.full((height, SIZES), np.nan)


def _spread(rows: tuple[Floats, ...], places: Ints) -> Floats:
    found = np.full((len(rows), SIZES), np.nan)
    if rows:
        found[:, places] = np.stack(rows)
    return found


class Chains:
    """The chains of one library and technique in one ring, whatever their security."""

    def __init__(self, library: Library, technique: str | None, ring_dimension: int) -> None:
        self.library, self.technique, self.n = library, technique, ring_dimension
        self.own_special = library.own_primes is None  # whether special primes are the user's choice
        self._tables: dict[_Key, _Table] = {}
        self._joined: dict[tuple[int, tuple[bool, ...], bool, int], _SideBySide] = {}

    def block(self, depth: int) -> CkksBlock | None:
        """A block with the layout of chains of that depth; None where the library makes none."""
        return self._chain(depth, False, False, 1).block

    @property
    def alone(self) -> Floats:
        """The first prime by its bits, where no other prime has its size."""
        found: Floats = self._alone(1, False).q[0]
        return found

    def primes(self, depth: int, sizes: ChainSizes, count: int) -> Primes:
        """The primes and scales of chains of that depth, with `count` special primes."""
        return self.chained(depth, sizes, count).primes(np.arange(len(sizes)))

    def chained(self, depth: int, sizes: ChainSizes, count: int) -> Chained:
        """The primes and scales of chains of that depth, looked up. The ladder of a set follows from the bits
        of its scale, and from what else has that size: nothing, the first prime, the special primes, or
        both."""
        same_first = sizes.first == sizes.scale
        same_special = (sizes.special == sizes.scale) & self.own_special
        pair = (sizes.special == sizes.first) & self.own_special & ~same_first
        alike = same_first + 2 * same_special
        asked = np.bincount(alike, minlength=4 if self.own_special else 2) > 0
        side = self._side_by_side(depth, tuple(asked.tolist()), bool(pair.any()), count)
        ladder = alike * SIZES + sizes.scale
        firsts = side.alone[sizes.first]
        if pair.any():
            firsts = np.where(pair, side.paired[sizes.first], firsts)
        first = np.where(same_first, side.first[ladder], firsts)
        if not self.own_special:
            first = self._apart(first, ladder, side.above)
        end = sizes.special + SIZES * np.where(same_special, alike, pair)
        logs = side.log_above, side.log_special
        return Chained(first, ladder, end, side.above, side.scales, side.special, *logs)

    def _side_by_side(self, depth: int, asked: tuple[bool, ...], pair: bool, count: int) -> "_SideBySide":
        """Every ladder and end that is needed, made once. `asked` says for each of the four kinds of ladder
        whether it is needed, `pair` whether first primes are that special primes equal in size."""
        key = (depth, asked, pair, count)
        if key not in self._joined:
            tables = [
                self._chain(depth, bool(k & 1), bool(k & 2), count) if some else _NOTHING
                for k, some in enumerate(asked)
            ]
            layout, paired = self._chain(depth, False, False, count), _NOTHING
            if pair:
                paired = self._alone(count, True)
            ends = [self._special(count), paired.p, *(table.p for table in tables[2:])]
            whole = np.hstack([_tall(table.q, len(layout.q)) for table in tables])
            special = np.hstack([_tall(part, count) for part in ends])
            self._joined[key] = _SideBySide(
                self._alone(count, False).q[0],
                paired.q[0],
                whole[0],
                whole[1:],
                np.hstack([_tall(table.scales, len(layout.scales)) for table in tables]),
                special,
                np.log2(whole[1:]).sum(axis=0),
                np.log2(special).sum(axis=0),
            )
        return self._joined[key]

    def _apart(self, first: Floats, ladder: Ints, above: Floats) -> Floats:
        """The first primes of a library that picks primes by itself. Where the first prime would be one of
        the others, which happens to small primes, the library takes the next prime above all others."""
        largest = above.max(axis=0, initial=0.0)[ladder]
        met = np.flatnonzero((first <= largest) & (largest < _EXACT))
        taken = np.flatnonzero((above[:, ladder[met]] == first[met]).any(axis=0))
        for i in met[taken].tolist():
            first[i] = next_prime(int(largest[i]), 2 * self.n)
        return first

    # -- tables ----------------------------------------------------------------------------------

    def _chain(self, depth: int, same_first: bool, same_special: bool, count: int) -> _Table:
        """The table of chains by the bits of the scale. First and special primes of another size are not read
        from it."""
        key = (depth, same_first, same_special, count if same_special else 1)
        if key not in self._tables:
            scales = range(_SMALLEST, _LARGEST)
            sizes = [(s, s if same_first else _LARGEST, s if same_special else _LARGEST) for s in scales]
            self._tables[key] = self._table(key, sizes, 0)
        return self._tables[key]

    def _alone(self, count: int, paired: bool) -> _Table:
        """The table of first primes by their bits, from chains that have no other prime, whatever the
        technique. `paired`: the special primes have the same size."""
        usual = self.library.techniques[0] or None
        if self.technique != usual:
            return _chains(self.library, usual, self.n)._alone(count, paired)
        key = (_FIRSTS, False, paired, count if paired else 1)
        if key not in self._tables:
            bits = range(_SMALLEST + 1, _LARGEST + 1)
            sizes = [(_SMALLEST, b, b if paired else _other(b)) for b in bits]
            self._tables[key] = self._table(key, sizes, 1)
        return self._tables[key]

    def _special(self, count: int) -> Floats:
        """The special primes by their bits."""
        if self.library.own_primes is not None:
            return np.full((count, SIZES), np.exp2(self.library.own_primes.SPECIAL_BITS))
        key = (_SPECIALS, False, False, count)
        if key not in self._tables:
            bits = range(_SMALLEST, 1 + (self.library.largest_special_bits or _LARGEST))
            self._tables[key] = self._table(key, [(_SMALLEST, _other(b), b) for b in bits], 2)
        return self._tables[key].p

    def _table(self, key: _Key, sizes: Sequence[tuple[int, int, int]], by: int) -> _Table:
        """The table of sets of these (scale, first, special) sizes, by the size at index `by`. Fewer special
        primes are the first ones of more, so each number is asked for only where the library has no more of
        that size."""
        depth, *_, count = key
        if count >= self.library.most_special or self.library.most_special < 2:
            return self._asked(max(depth, 0), sizes, by, count)
        more = (*key[:3], self.library.most_special)
        if more not in self._tables:
            self._tables[more] = self._asked(max(depth, 0), sizes, by, self.library.most_special)
        most = self._tables[more].of_special(count)
        left = [three for three in sizes if np.isnan(most.p[0, three[by]])]
        return self._asked(max(depth, 0), left, by, count).filled(most) if left else most

    def _asked(self, depth: int, sizes: Sequence[tuple[int, int, int]], by: int, count: int) -> _Table:
        requests = [self._request(depth, *three, count) for three in sizes]
        return _Table.of(blocks(self.library, requests).made, [three[by] for three in sizes])

    def _request(self, depth: int, scale: int, first: int, special: int, count: int) -> CkksRequest:
        return CkksRequest(
            "ckks", depth, None, scale_bits=scale, first_bits=first, technique=self.technique,
            ring_dimension=self.n, special_bits=(special,) * count if self.own_special else None,
            key_switching=None if self.own_special else "bv", secret="uniform_ternary",  # bv has no P
        )  # fmt: skip


def _other(bits: int) -> int:
    return _NEXT if bits == _LARGEST else _LARGEST


def chains(library: Library, technique: str | None, ring_dimension: int) -> Chains:
    """The chains of a library and technique in a ring, made once even where searches are given the library
    with fewer schemes and techniques."""
    return _chains(BY_NAME[library.name], technique, ring_dimension)


@cache
def _chains(library: Library, technique: str | None, ring_dimension: int) -> Chains:
    return Chains(library, technique, ring_dimension)
