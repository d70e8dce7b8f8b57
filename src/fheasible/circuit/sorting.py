"""Encrypted values in ascending order, by a network of exchanges [Bat68]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit import integer_functions as exact
from fheasible.circuit.comparisons import MOST_COMPARED, composition, maximum, minimum, range_of, several
from fheasible.circuit.jumps import EXCHANGE
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Chebyshev, Op
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive, multiplied

_BEYOND = 1 + 2.0**-5  # times an interval: how far the errors of earlier exchanges may take values
Pair = tuple[int, int]


def sort(x: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Any:
    """The elements of a vector in ascending order, or of several vectors element by element, as a list of
    vectors.

    A network of exchanges sorts whatever the values are [Bat68]: one exchange after the other for n values in
    ceil(log2 n) (ceil(log2 n) + 1) / 2 layers. The errors of all layers add up. Each is as that of `maximum`:
    0 for integers.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.sort(x))
        >>> app(x=[6, 1, 2])
        array([1., 2., 6.])
    """
    if isinstance(x, list | tuple):
        return _sorted_vectors(list(x), bits, degrees)
    x = several(x, "sort")
    if exact.integers(x):
        exact.exactly("sort", bits=bits, degrees=degrees)
        for layer in layers(len(x)):
            x = exact.exchanged(x, *(np.array(side) for side in zip(*layer, strict=True)))
        return x
    low, high = range_of(x)
    bound = (high - low) * _BEYOND
    found = composition(EXCHANGE, bound, 0.0, bits, degrees) if bound else None
    for layer in layers(len(x)) if found else ():
        x = _exchanged(x, layer, found)
    return x


def layers(n: int) -> list[list[Pair]]:
    """The exchanges that sort n values, by layers of pairs that have nothing in common [Bat68]: the smaller
    one of each pair goes to the first place."""
    found: list[list[Pair]] = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            layer = [
                (i + j, i + j + k)
                for j in range(k % p, n - k, 2 * k)
                for i in range(min(k, n - j - k))
                if (i + j) // (2 * p) == (i + j + k) // (2 * p)
            ]
            found.append(layer)
            k //= 2
        p *= 2
    return found


def _exchanged(x: Vector, layer: list[Pair], found: Chebyshev | None) -> Vector:
    """x with the elements of each pair in ascending order: x less its distance from its partner, times 1
    where the two are in the wrong order."""
    first, second = (np.array(side) for side in zip(*layer, strict=True))
    rows, ends = np.concatenate([first, second]), np.concatenate([second, first])
    ones = np.ones(len(rows))
    distance = _matrix(x, rows, rows, ends, ones)
    order = _matrix(x, rows, rows, ends, np.concatenate([ones[: len(first)], -ones[: len(first)]]))
    wrong = derive(Op.CHEBYSHEV, order, attribute=found)
    return x - distance * wrong


def _matrix(x: Vector, rows: Any, plus: Any, minus: Any, weights: NDArray[np.float64]) -> Vector:
    """In each of these rows, the weight times the difference of two elements of x; 0 in the others."""
    values = np.concatenate([weights, -weights])
    shape = (len(x), len(x))
    return multiplied(Matrix(shape, np.tile(rows, 2), np.concatenate([plus, minus]), values), x)


def _sorted_vectors(values: list[Any], bits: float | None, degrees: Sequence[int] | None) -> list[Any]:
    if not 1 < len(values) <= MOST_COMPARED or not any(isinstance(v, Vector) for v in values):
        fail(
            f"fh.sort takes a vector, or 2 to {MOST_COMPARED} vectors, at least one of them encrypted",
            "Write fh.sort(x), or fh.sort([x, y, z]).",
        )
    for i, j in (pair for layer in layers(len(values)) for pair in layer):
        a, b = values[i], values[j]
        if isinstance(a, Vector) or isinstance(b, Vector):
            values[i], values[j] = (f(a, b, bits=bits, degrees=degrees) for f in (minimum, maximum))
        else:
            values[i], values[j] = np.minimum(a, b), np.maximum(a, b)
    return values
