"""The noise of a program for many sets of parameters at once, batch by batch of its steps."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, Final

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.noise.integers.batches import Batch, Rows, batches
from fheasible.noise.integers.block_parts import BlockParts
from fheasible.noise.integers.noise_rows import NoiseRows
from fheasible.noise.integers.plain_factors import Grown
from fheasible.noise.integers.steps import NoiseStep
from fheasible.noise.integers.walk import HALF, ErrorParts, Walk, scaled
from fheasible.noise.sets import Figure
from fheasible.program.types import Program

_CHUNK: Final = 128  # steps whose noise is compared with the room at once: about what caches hold
Some = Any  # which steps of a batch: places, or a slice


class BatchWalk(Walk):
    """A walk of the sets of several blocks, one block after another. `growths`: as in `plain_factors`."""

    def __init__(
        self,
        program: Program,
        each: Sequence[IntegerSets],
        algebra: BlockParts,
        growths: Sequence[Grown | None],
    ) -> None:
        super().__init__(program, each, algebra)
        self.batches, self.growths = batches(program), growths
        sets = sum(len(p) if isinstance(p, IntegerBlock) else 1 for p in each)
        self.found = tuple(NoiseRows(algebra, self.batches.steps, sets) for _ in ErrorParts._fields)

    def budget(self) -> Figure:
        self._follow()
        return self._least()

    @property
    def variances(self) -> Floats:
        """log2 of the variance of each step of `steps` for the only set, in coefficients that are alike."""
        self._follow()
        numbers = [self.batches.each[batch].first + at for batch, at in self.batches.places]
        spread = self.found[0].take(np.array(numbers))
        return spread.worst[:, 0] if spread else np.empty(0)

    def _follow(self) -> None:
        for batch, by in zip(self.batches.each, self.growths, strict=True):
            for some in self._of_the_same_parts(*batch.args, *batch.before):
                made = self._made(batch, some, by)
                rows = batch.rows if isinstance(some, slice) else batch.first + some
                for kept, part in zip(self.found, made, strict=True):
                    kept.put(rows, part)

    def _least(self) -> Figure:
        """The budget, once the noise of every step is known."""
        least: Figure = inf if self.batches.steps else 0.0
        levels = self.batches.levels if self.bgv else np.zeros_like(self.batches.levels)
        for level in np.unique(levels).tolist():
            rows = np.flatnonzero(levels == level)
            for chunk in np.split(rows, range(_CHUNK, len(rows), _CHUNK)):
                for some in self._of_the_same_parts(chunk):
                    noise = [x for x in self._of(chunk[some]) if x]
                    least = self.parts.least(self.room(level), HALF, noise, least)
        return least

    def _of_the_same_parts(self, *operands: Rows) -> Iterator[Some]:
        """Places in these arrays of steps, apart where steps have other parts of noise."""
        there = np.array([kept.there[rows] for kept in self.found if kept.mixed for rows in operands])
        if not len(there) or (there == there[:, :1]).all():
            yield slice(None)
        else:
            kinds, each = np.unique(there, axis=1, return_inverse=True)
            yield from (np.flatnonzero(each == kind) for kind in range(kinds.shape[1]))

    def _made(self, batch: Batch, some: Some, by: Grown | None) -> ErrorParts:
        """The noise of these steps of the batch, whose operands have the same parts of noise."""
        like, x = batch.like, [self._of(rows[some]) for rows in batch.args]
        if like.raised:
            x[like.raised.operand] = self._brought(like.raised, x[like.raised.operand])
        if by is not None:
            x = list(map(scaled, x, by.of(some)))
        made = self._after(like, batch.scalars[some], x)
        return self._heaped(made, [self._of(rows[some]) for rows in batch.before]) if like.before else made

    def _number_bits(self, s: NoiseStep, scalars: Rows) -> Figure:
        return self.numbers.of_each(scalars, s.level)

    def _of(self, rows: Rows) -> ErrorParts:
        return ErrorParts(*[kept.take(rows) for kept in self.found])
