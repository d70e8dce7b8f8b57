"""A plain matrix times an encrypted vector by the matrix's diagonals [HS14], in baby and giant steps.

For tools that have products of vectors and rotations alone. The vector is repeated in all slots.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Diagonals:
    """A matrix as groups of `baby` diagonals each, and the rotations that add up the pieces of rows."""

    baby: int
    vectors: list[list[Any]]  # one list for each giant step, rotated back by it
    folds: list[int]

    def rotations(self) -> set[int]:
        """All left rotations that a product takes."""
        giants = {g * self.baby for g in range(1, len(self.vectors))}
        return set(range(1, self.baby)) | giants | set(self.folds)


def diagonals(matrix: Any, slots: int) -> Diagonals:
    """The matrix, padded to powers of two. The product is repeated in all slots, too."""
    rows, columns = (1 << (int(n) - 1).bit_length() for n in matrix.shape)
    padded = np.zeros((rows, columns))
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    baby = 1 << -(-(rows.bit_length() - 1) // 2)
    j = np.arange(slots)

    def vector(d: int, back: int) -> Any:
        at = (j - back) % slots
        return padded[at % rows, (at + d) % columns]

    groups = [[vector(g + i, g) for i in range(baby)] for g in range(0, rows, baby)]
    folds = [rows << i for i in range((columns // rows).bit_length() - 1)] if columns > rows else []
    return Diagonals(baby, groups, folds)


def product(
    d: Diagonals,
    encoded: Sequence[Sequence[Any]],
    babies: Sequence[Any],
    rotate: Callable[[Any, int], Any],
    multiply: Callable[[Any, Any], Any],
    add: Callable[[Any, Any], Any],
) -> Any:
    """The product. `encoded`: the vectors as the tool has them. `babies`: the vector rotated by 0, 1, ..."""
    total = None
    for g, group in enumerate(encoded):
        part = multiply(babies[0], group[0])
        for vector, plain in zip(babies[1:], group[1:], strict=True):
            part = add(part, multiply(vector, plain))
        part = rotate(part, g * d.baby) if g else part
        total = part if total is None else add(total, part)
    for step in d.folds:
        total = add(total, rotate(total, step))
    return total
