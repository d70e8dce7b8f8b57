"""The plain vectors of the homomorphic DFT's factors, as complex numbers.

Numbers are unit roots and sums of their products: the constants by which coefficients are normalised are
multiplied in where the vectors are encoded. Encoding therefore gives s times the coefficients of s slots.
"""

from collections.abc import Mapping
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.rns.embedding import powers
from fheasible.schemes.rns.bootstrap.factors import Factor

Vector = NDArray[np.complex128]
Shifts = dict[int, Vector]  # entry i of the result is the sum over shifts d of vector_d[i]·x[i + d]


def vectors(factor: Factor, slots: int, encode: bool, repacked: bool) -> Shifts:
    """The plain vector of every shift of a factor, of `factor.length` numbers each.

    Where the factor is `doubled`, encoding gives (y, -i·y) and decoding takes (a, b) for a + i·b. With
    `repacked`, encoding gives (y, 0), and decoding gives a result whose halves are the same.
    """
    if not factor.stages:
        return _dense(factor, slots, encode)
    repeats, period = factor.length // slots, factor.period
    stages = [_tiled(_stage(e, slots, encode), repeats, slots, period) for e in factor.stages]
    if factor.doubled and not encode and repacked:
        stages.insert(0, _repacking(slots))
    made = reduce(lambda before, after: _composed(after, before, period), stages)
    if factor.doubled and not (repacked and not encode):
        turn = (0 if repacked else -1j) if encode else 1j
        half = np.repeat([1, turn], slots)
        made = {shift: vector * half for shift, vector in made.items()}
    return made


def decoding_matrix(slots: int) -> Vector:
    """U: row j takes the numbers t_k = c_k + i·c_(k+s) to slot j."""
    fives = powers(5, slots, 4 * slots)
    made: Vector = np.exp(2j * np.pi / (4 * slots) * np.outer(fives, np.arange(slots)))
    return made


def _stage(e: int, slots: int, encode: bool) -> Shifts:
    """The butterflies (u + ξ·w, u - ξ·w) over a distance of 2^e; encoding: (u + w, (u - w)/ξ)."""
    half = 1 << e
    fives = powers(5, half, 8 * half)
    root = np.tile(np.exp(2j * np.pi / (8 * half) * fives), slots // (2 * half)).reshape(-1, half)
    one, none = np.ones_like(root), np.zeros_like(root)
    if encode:
        root = root.conj()
        own, above, below = (one, -root), (one, none), (none, root)
    else:
        own, above, below = (one, -root), (root, none), (none, one)
    return {d: np.stack(parts, 1).ravel() for d, parts in ((0, own), (half, above), (-half, below))}


def _tiled(stage: Shifts, repeats: int, slots: int, period: int) -> Shifts:
    made: Shifts = {}
    for shift, vector in stage.items():
        _put(made, shift, np.tile(vector, repeats), period)
    return made


def _put(made: Shifts, shift: int, vector: Vector, period: int) -> None:
    """Add a diagonal; shifts with the same remainder modulo the period are one, unless it is 0."""
    shift = shift % period if period else shift
    made[shift] = made[shift] + vector if shift in made else vector


def _composed(after: Mapping[int, Vector], before: Mapping[int, Vector], period: int) -> Shifts:
    """The diagonals of the product of two matrices, of which `before` is applied first."""
    made: Shifts = {}
    for outer, x in after.items():
        for inner, y in before.items():
            _put(made, outer + inner, x * np.roll(y, -outer), period)
    return made


def _repacking(slots: int) -> Shifts:
    """(a, b) becomes (a + i·b, a + i·b)."""
    return {0: np.repeat([1, 1j], slots), slots: np.repeat([1j, 1], slots)}


def _dense(factor: Factor, slots: int, encode: bool) -> Shifts:
    """All diagonals of U, or of U's conjugate transpose; of two of them side by side where it is doubled."""
    matrix = decoding_matrix(slots)
    matrix = matrix.conj().T if encode else matrix
    if factor.doubled:
        matrix = np.vstack([matrix, -1j * matrix]) if encode else np.hstack([matrix, 1j * matrix])
    at = np.arange(factor.length)
    rows, columns = matrix.shape
    return {d: matrix[at % rows, (at + d) % columns] for d in range(slots)}
