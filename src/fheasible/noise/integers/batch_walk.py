"""The noise of a program for many sets of parameters at once, batch by batch of its steps."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fheasible.libraries.block import IntegerBlock, IntegerSets
from fheasible.noise.integers.batches import Batch, Rows, batches
from fheasible.noise.integers.block_parts import BlockParts
from fheasible.noise.integers.noise_rows import NoiseRows
from fheasible.noise.integers.plain_factors import Multipliers, multipliers
from fheasible.noise.integers.steps import NoiseStep
from fheasible.noise.integers.walk import ErrorParts, Walk
from fheasible.noise.sets import Figure
from fheasible.program.types import Program

Some = Any  # which steps of a batch: places, or a slice


class BatchWalk(Walk):
    """A walk of the sets of several blocks, one block after another."""

    def __init__(self, program: Program, each: Sequence[IntegerSets], algebra: BlockParts) -> None:
        super().__init__(program, each, algebra)
        self.batches = batches(program)
        self.multipliers = multipliers(self.batches, each)
        sets = sum(len(p) if isinstance(p, IntegerBlock) else 1 for p in each)
        self.found = tuple(NoiseRows(algebra, self.batches.steps, sets) for _ in ErrorParts._fields)

    def followed(self) -> Iterator[tuple[NoiseStep, ErrorParts]]:
        for batch, by in zip(self.batches.each, self.multipliers, strict=True):
            for some in self._of_the_same_parts(batch):
                made = self._made(batch, some, by)
                rows = batch.rows if isinstance(some, slice) else batch.first + some
                for kept, part in zip(self.found, made, strict=True):
                    kept.put(rows, part)
                yield batch.like, made

    def _of_the_same_parts(self, batch: Batch) -> Iterator[Some]:
        """The steps of the batch, apart where operands have other parts of noise."""
        operands = (*batch.args, *batch.before)
        there = np.array([kept.there[rows] for kept in self.found if kept.mixed for rows in operands])
        if not len(there) or (there == there[:, :1]).all():
            yield slice(None)
        else:
            kinds, each = np.unique(there, axis=1, return_inverse=True)
            yield from (np.flatnonzero(each == kind) for kind in range(kinds.shape[1]))

    def _made(self, batch: Batch, some: Some, by: Multipliers | None) -> ErrorParts:
        """The noise of these steps of the batch, whose operands have the same parts of noise."""
        like, x = batch.like, [self._of(rows[some]) for rows in batch.args]
        if like.raised:
            x[like.raised.operand] = self._brought(like.raised, x[like.raised.operand])
        if by is not None:
            x = [self._by_integer(e, factor[some]) for e, factor in zip(x, by, strict=True)]
        made = self._after(like, batch.scalars[some], x)
        return self._heaped(made, [self._of(rows[some]) for rows in batch.before]) if like.before else made

    def _number_bits(self, s: NoiseStep, scalars: Rows) -> Figure:
        return self.numbers.of_each(scalars, s.level)

    def _of(self, rows: Rows) -> ErrorParts:
        return ErrorParts(*[kept.take(rows) for kept in self.found])
