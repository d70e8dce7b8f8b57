"""The noise of steps as tables: a row for each step, a column for each set of parameters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.noise.integers.batches import Rows
from fheasible.noise.integers.block_parts import BlockParts, Kind
from fheasible.noise.integers.parts import NoisePart, Some

_MIXED = -1  # the number of a row's kind where sets differ


class NoiseRows:
    """One part of the noise of every step, with as many columns as there are sets."""

    def __init__(self, algebra: BlockParts, steps: int, sets: int) -> None:
        self.parts, self.shape = algebra, (steps, sets)
        self.there = np.zeros(steps, dtype=np.bool_)  # whether the step has any such noise
        self.lacking = False  # whether some step has none
        self._flat = np.ones(steps, dtype=np.bool_)  # whether all coefficients are alike: mean is worst
        self._kind = np.zeros(steps, dtype=np.int16)
        self._worst: Floats | None = None
        self._mean: Floats | None = None  # until some step has another mean
        self._kinds: NDArray[np.int16] | None = None  # until sets differ in it

    @property
    def mixed(self) -> bool:
        """Whether some steps have such noise, and others have none."""
        return self.lacking and self._worst is not None

    def take(self, rows: Rows) -> Some:
        """The noise of these steps, which all have some or none."""
        if self._worst is None or not self.there[rows[0]]:
            return None
        worst = mean = self._worst[rows]
        if self._mean is not None and not self._flat[rows].all():
            mean = self._mean[rows]
        return NoisePart(worst, mean, self._kind_of(rows))

    def _kind_of(self, rows: Rows) -> Kind:
        each = self._kind[rows]
        if self._kinds is not None and each.min() == _MIXED:
            return self.parts.numbered(self._kinds[rows])
        return self.parts.numbered(each[:, None])

    def put(self, rows: Any, found: Some) -> None:
        """Keep the noise of these steps."""
        if found is None:
            self.lacking = True
            return
        if self._worst is None:
            self._worst = np.empty(self.shape)
        self.there[rows] = True
        self._worst[rows] = found.worst
        if found.mean is not found.worst:
            self._flat[rows] = False
            self._mean = self._worst.copy() if self._mean is None else self._mean
        if self._mean is not None:
            self._mean[rows] = found.mean
        self._put_kind(rows, self.parts.number(found.kind))

    def _put_kind(self, rows: Any, number: Any) -> None:
        """Keep the kinds with these numbers: one for all, one for each step, or one for each set, too."""
        if np.shape(number)[-1:] in ((), (1,)):
            self._kind[rows] = number if not np.ndim(number) else number[..., 0]
        else:
            if self._kinds is None:
                self._kinds = np.repeat(self._kind[:, None], self.shape[1], axis=1)
            alike = (number == number[..., :1]).all(axis=-1)
            self._kind[rows] = np.where(alike, number[..., 0], _MIXED)
        if self._kinds is not None:
            self._kinds[rows] = number
