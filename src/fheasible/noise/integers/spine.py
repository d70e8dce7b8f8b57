"""A bound on budgets by a few steps of a program, for sets that no walk needs to follow.

The noise of a sum is at least what its rule makes of one operand's noise, as if there were none in the other.
Only a product grows with both. Few steps are therefore enough to see how much noise there is at least; where
that already has no room, a set is wrong.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

import numpy as np

from fheasible.libraries.block import IntegerSets
from fheasible.libraries.parameters import IntegerParameters
from fheasible.noise.integers.batch_walk import BatchWalk
from fheasible.noise.integers.batches import Batches, batches
from fheasible.noise.integers.block_parts import BlockParts
from fheasible.noise.integers.parts import NoiseKind
from fheasible.noise.integers.plain_factors import Grown, growths
from fheasible.noise.integers.steps import NoiseStep, steps
from fheasible.noise.integers.tail import GAUSSIAN, SquareShape
from fheasible.noise.integers.walk import ErrorParts, Walk, scaled
from fheasible.noise.sets import Figure
from fheasible.program.types import Action, Program

_ROUNDING: Final = 1e-6  # bits: more than what doubles are off
_NONE: Final = ErrorParts(None)
_SUMS: Final = (Action.ADD, Action.SUB)


class LeastParts(BlockParts):
    """Noise of the least kind: Gaussian, and spread over all embeddings. No tail is shorter, and no product
    is less."""

    def kind(self, shape: SquareShape, slots: float) -> NoiseKind:
        return super().kind(GAUSSIAN, self.pairs)


least_parts = lru_cache(maxsize=64)(LeastParts)


class Vertebra(NamedTuple):
    """A step of `steps`, its place there, and for each operand the place of its step; None where its noise is
    left out."""

    place: int
    step: NoiseStep
    operands: tuple[int | None, ...]


def spine(program: Program, sample: IntegerParameters, algebra: LeastParts) -> tuple[Vertebra, ...]:
    """The steps behind the one that has the least room with the `sample` of parameters. Of the operands of a
    sum, only the one with more noise is kept. The spine of any sample bounds the budgets of all sets."""
    together, found = batches(program), steps(program).steps
    by = growths(together, [sample])
    walk = BatchWalk(program, [sample], algebra, by)
    bits = walk.variances
    left = [float(walk.room(s.level)) - variance / 2 for s, variance in zip(found, bits, strict=True)]
    kept: list[Vertebra] = []
    needed = {int(np.argmin(left))} if found else set()
    for place in reversed(range(len(found))):
        if place in needed:
            s = found[place]
            operands: tuple[int | None, ...] = s.args
            if s.action in _SUMS:
                more = _growth(together, by, place)
                first = bits[s.args[0]] + more[0] >= bits[s.args[1]] + more[1]
                operands = (s.args[0], None) if first else (None, s.args[1])
            needed.update(a for a in operands if a is not None)
            kept.append(Vertebra(place, s, operands))
    return tuple(reversed(kept))


def _growth(together: Batches, by: Sequence[Grown | None], place: int) -> tuple[float, float]:
    """By how much the sample's multipliers multiply the variances of both operands, as log2."""
    batch, at = together.places[place]
    if (grown := by[batch]) is None:
        return 0.0, 0.0
    first, second = grown.of(at)
    return float(first[0]), float(second[0])


class SpineBound(Walk):
    """What the budgets of sets do not exceed. `growths`: as in `plain_factors`."""

    def __init__(
        self,
        program: Program,
        each: Sequence[IntegerSets],
        algebra: LeastParts,
        growths: Sequence[Grown | None],
        spine: Sequence[Vertebra],
    ) -> None:
        super().__init__(program, each, algebra)
        self.spine, self.places, self.growths = spine, batches(program).places, growths

    def budget(self) -> Figure:
        least: Figure = inf if self.spine else 0.0
        noise: dict[int, ErrorParts] = {}
        for place, s, operands in self.spine:
            x = [_NONE if a is None else noise[a] for a in operands]
            if s.raised:
                x[s.raised.operand] = self._brought(s.raised, x[s.raised.operand])
            batch, at = self.places[place]
            if by := self.growths[batch]:
                x = list(map(scaled, x, by.of(at)))
            noise[place] = ErrorParts(self._after(s, s.scalar, x).spread)
            if spread := noise[place].spread:
                least = np.minimum(least, self.room(s.level) - spread.tail_bits)
        return least + _ROUNDING

    def _number_bits(self, s: NoiseStep, scalars: int) -> Figure:
        return self.numbers.bits(scalars, s.level)
