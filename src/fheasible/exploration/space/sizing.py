"""What sizes of primes mean for one program in one ring, and which of them are worth judging."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from math import inf, log
from typing import Any, Final

import numpy as np

from fheasible.aliases import Flags, Floats, Ints
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.space.chains import Chained, ChainSizes, chains
from fheasible.exploration.space.requests import LARGEST_PRIME, SCALES, Choice
from fheasible.libraries.block import CkksBlock
from fheasible.libraries.library import Library, OwnPrimes
from fheasible.lowering.plan import depth_of
from fheasible.noise.ckks.headroom import headroom_bits, scale_room_bits, smallest_number_bits
from fheasible.noise.reach.gains import Gains

ENOUGH_BITS: Final = 6  # by which a special prime exceeds the first; beyond that, it leaves no less noise
LEAST_ROOM: Final = 1.0


def sizing(problem: Problem, library: Library, choice: Choice) -> "Sizing":
    """The sizing of the choice's program in its ring, made once for all searches of a problem."""
    key = (library.name, choice.technique, choice.degrees, choice.style, choice.ring_dimension, choice.slots)
    if key not in problem.kept:
        problem.kept[key] = Sizing(problem, library, choice)
    found: Sizing = problem.kept[key]
    return found


class Sizing:
    """One program in one ring, with the chains that a library has there. `figured` has figures of its sets
    that do not depend on the precision and security asked."""

    def __init__(self, problem: Problem, library: Library, choice: Choice) -> None:
        assert choice.ring_dimension is not None
        self.problem, self.library = problem, library
        self.n = choice.ring_dimension
        lowerings = problem.lowerings(choice.degrees, choice.style.exact)
        self.program = lowerings.program(choice.style, self.n, choice.slots)
        self.depth = depth_of(self.program, choice.style)
        self.chains = chains(library, choice.technique, self.n)
        self.extended, self.own = int(choice.style.extended), library.own_primes
        self.extended_bits = self.own.EXTENDED_BITS if self.own and self.extended else 0
        self.figured: dict[Hashable, Any] = {}
        self._lean_sizes: dict[int | None, ChainSizes] = {}  # by digits, on which alone they depend

    @cached_property
    def gains(self) -> Gains:
        return self.problem.gains(self.program)

    # -- the space -------------------------------------------------------------------------------

    def sizes(self, choice: Choice, every: bool, limit: float = inf) -> ChainSizes:
        """The sizes of all primes to try; without `every`, those that gain nothing are left out: a larger
        first prime than the values need, and special primes more than `ENOUGH_BITS` above it. `limit` is the
        largest log2 QP allowed; where even the smallest set is beyond it, each scale has only the smallest
        other primes."""
        found = every_size(self.library)
        if every:
            return found
        if self._smallest_insecure(choice, limit):
            return found.take((found.first == found.scale) & (found.special == found.special.min()))
        digits = choice.digits if self.own else None
        if digits not in self._lean_sizes:
            self._lean_sizes[digits] = found.take(self._lean(choice, found))
        return self._lean_sizes[digits]

    def _smallest_insecure(self, choice: Choice, limit: float) -> bool:
        least = np.array([SCALES[0]])
        count = int(self.foreseen(choice, least, least)[0])
        special = (count - 1) * self.own.SPECIAL_BITS if self.own else count * SCALES[0]
        bits = (1 + self.depth) * SCALES[0] + self.extended_bits + special
        stray = float(self.stray(least, self.depth)[0])
        return bits - (2 + self.depth + count) * stray > limit

    def _lean(self, choice: Choice, sizes: ChainSizes) -> Flags:
        least = self._least_first[sizes.scale]
        if self.own is None:
            return np.asarray((sizes.first == least) & (sizes.special <= least + ENOUGH_BITS))
        digits = self.own.digits_for(choice.digits, self.depth)
        counts = _foreseen(self.library, self.depth, self.extended, digits)
        grown = np.append(False, counts[1:] != counts[:-1])  # P has more primes, which makes less noise
        return np.asarray((sizes.first == least) | (sizes.first > least) & grown)

    @cached_property
    def _least_first(self) -> Ints:
        """The bits of the least first prime that leaves values room, by the bits of the scale; those of the
        largest prime where none does."""
        firsts = np.arange(SCALES[0], LARGEST_PRIME + 1)
        found = firsts[self._fits.argmax(axis=1)]
        return np.where(self.outgrown, LARGEST_PRIME, found)

    @cached_property
    def outgrown(self) -> Flags:
        """Whether values outgrow even the largest first prime, by the bits of the scale. A spare level then
        gives them room."""
        return np.asarray(~self._fits.any(axis=1))

    @cached_property
    def _fits(self) -> Flags:
        """Whether values fit and the library takes the scales, as (bits of the scale, first prime)."""
        firsts = np.arange(SCALES[0], LARGEST_PRIME + 1)
        bits = np.log2(self.chains.alone[firsts])
        fits = self.room[:LARGEST_PRIME, None] + bits >= LEAST_ROOM
        return np.asarray(fits & (firsts >= np.arange(LARGEST_PRIME)[:, None]) & self._taken)

    @cached_property
    def _taken(self) -> Flags:
        """Whether the library takes scales with a modulus so large, as (bits of the scale, first prime). The
        special prime is the largest."""
        found = np.ones((LARGEST_PRIME, LARGEST_PRIME + 1 - SCALES[0]), dtype=np.bool_)
        if not self.library.refuses_scales:
            return found
        sizes = every_size(self.library)
        sizes = sizes.take(sizes.special == LARGEST_PRIME)
        chained = self.chains.chained(self.depth, sizes, 1)
        there = np.flatnonzero(~np.isnan(chained.log_q))
        block = self.block(chained, sizes.scale[there], there, 1)
        taken = scale_room_bits(self.program, block) >= 0
        found[sizes.scale[there], sizes.first[there] - SCALES[0]] = taken
        return found

    # -- what follows from the bits alone --------------------------------------------------------

    def stray(self, bits: Ints, count: int) -> Floats:
        """The most bits that each of `count` primes can be from its size."""
        distance = 4.0 * (count + 1) * self.n * log(2) * bits * np.exp2(-bits.astype(np.float64))
        return np.asarray(np.minimum(distance, 1.0))

    def foreseen(self, choice: Choice, scale: Ints, first: Ints) -> Ints:
        """The number of special primes of each set. Where the library sizes them itself, it is the library's
        own estimate, and 0 where digits cannot be distributed."""
        if self.own is None:
            return np.full(len(scale), choice.special or 1)
        digits = self.own.digits_for(choice.digits, self.depth)
        return _special_limbs(self.own, self.depth, self.extended, digits, scale, first)

    # -- what follows from the scale -------------------------------------------------------------

    @cached_property
    def room(self) -> Floats:
        """The headroom without the bits of the first prime, by the bits of the scale; NaN where there are no
        such chains."""

        def beside(block: CkksBlock) -> Floats:
            room = headroom_bits(self.program, block, self.problem.expected(self.program))
            found: Floats = room - np.log2(block.q[0])
            return found

        return self._by_scale(beside)

    @cached_property
    def smallest(self) -> Floats:
        """log2 of the least plain number or input at its scale, by the bits of the scale."""
        gains = self.problem.gains(self.program)
        return self._by_scale(lambda block: smallest_number_bits(self.program, block, gains))

    def _by_scale(self, figure: Callable[[CkksBlock], Floats]) -> Floats:
        scales = np.array(SCALES)
        largest = np.full(len(scales), LARGEST_PRIME)
        primes = self.chains.chained(self.depth, ChainSizes(scales, largest, largest), 1)
        found = np.full(LARGEST_PRIME + 2, np.nan)
        there = np.flatnonzero(~np.isnan(primes.log_q))
        if len(there):
            found[scales[there]] = figure(self.block(primes, scales[there], there, 1))
        return found

    # -- sets ------------------------------------------------------------------------------------

    def block(
        self, chained: Chained, scale: Ints, there: Ints, count: int, choice: Choice | None = None
    ) -> CkksBlock:
        """The sets at the places `there`, which have these scales."""
        layout = self.chains.block(self.depth)
        assert layout is not None
        primes = chained.primes(there)
        p = np.full((count, len(there)), 2.0**self.own.SPECIAL_BITS) if self.own else primes.p
        limbs = len(primes.q)
        digits = self.library.digits(limbs, count, choice.digits if choice else None, self.depth)
        return replace(
            layout,
            q=tuple(primes.q),
            p=tuple(p),
            scales=tuple(primes.scales),
            digits=digits,
            key_switching="hybrid",
            flooding=np.zeros(len(there)),
            nominal=np.exp2(scale.astype(np.float64)),
            ladder=chained.ladder[there],
            end=chained.end[there],
        )


def _special_limbs(own: OwnPrimes, depth: int, extended: int, digits: int, scale: Ints, first: Ints) -> Ints:
    """How many special primes the library foresees."""
    bits = np.broadcast_to(scale, (1 + depth + extended, len(scale))).copy()
    bits[0] = first
    if extended:
        bits[-1] = own.EXTENDED_BITS
    return own.foreseen_special_limbs(bits, digits)


@lru_cache(maxsize=256)
def _foreseen(library: Library, depth: int, extended: int, digits: int) -> Ints:
    """How many special primes the library foresees for every size, whatever the ring."""
    assert library.own_primes is not None
    sizes = every_size(library)
    return _special_limbs(library.own_primes, depth, extended, digits, sizes.scale, sizes.first)


@cache
def every_size(library: Library) -> ChainSizes:
    """All sizes that a library takes, of scale, first and special primes; no prime is smaller than the
    scale."""
    top = library.largest_special_bits
    special = (LARGEST_PRIME,) if top is None else range(SCALES[0], top + 1)
    grids = np.meshgrid(SCALES, range(SCALES[0], LARGEST_PRIME + 1), special, indexing="ij")
    scale, first, last = (grid.ravel() for grid in grids)
    kept = (first >= scale) & (last >= scale)
    return ChainSizes(scale[kept], first[kept], last[kept])
