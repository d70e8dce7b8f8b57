"""The encrypted vector that a user's function computes with: every operation on it makes a node."""

from __future__ import annotations

from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit import by_numpy
from fheasible.circuit.declared import NoVector
from fheasible.circuit.integer_operators import IntegerOperators
from fheasible.circuit.limits import HIGHEST_POWER, checked_elements, checked_entries, count
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Kind, Op, node
from fheasible.circuit.plain import (
    combined,
    counted_elements,
    is_whole,
    number_type,
    numbers,
    plain,
    said,
    unmasked,
)
from fheasible.circuit.refusals import fail, no_division
from fheasible.circuit.where import here


class Vector(IntegerOperators):
    """An encrypted vector, with the operators + - * / ** @ and indexing.

    Vectors take + - * with vectors, plain numbers, lists and numpy arrays, / with all of these but vectors,
    ** with whole numbers, and @ with plain matrices and vectors. An index selects what it does in numpy.
    Vectors of integers also take comparisons, // and % by a number, shifts, and & | ^ ~.
    Vectors of length 1 combine with vectors of any length, element by element.
    """

    __slots__ = ()

    def __len__(self) -> int:
        return self.node.length

    def __repr__(self) -> str:
        return f"<encrypted {self.node.kind} vector of {len(self)}>"

    def __add__(self, other: Any) -> Vector:
        return _combine(Op.ADD, self, other)

    def __radd__(self, other: Any) -> Vector:
        return _combine(Op.ADD, other, self)

    def __sub__(self, other: Any) -> Vector:
        return _combine(Op.SUBTRACT, self, other)

    def __rsub__(self, other: Any) -> Vector:
        return _combine(Op.SUBTRACT, other, self)

    def __mul__(self, other: Any) -> Vector:
        return _combine(Op.MULTIPLY, self, other)

    def __rmul__(self, other: Any) -> Vector:
        return _combine(Op.MULTIPLY, other, self)

    def __neg__(self) -> Vector:
        return derive(Op.NEGATE, self)

    def __pos__(self) -> Vector:
        return self

    def __pow__(self, exponent: Any, modulo: Any = None) -> Vector:
        if modulo is not None:
            fail(
                "pow(x, k, t) with a modulus is not possible",
                "Declare the input with fh.integers(n, modulo=t).",
            )
        k = _exponent(exponent)
        return self if k == 1 else derive(Op.POWER, self, attribute=k)

    def __truediv__(self, other: Any) -> Vector:
        if isinstance(other, Vector):
            no_division()
        if self.node.kind is Kind.INTEGER:
            fail(
                "encrypted integers cannot be divided exactly",
                "Write x // 10, which rounds down, or declare fh.reals.",
            )
        divisor = plain(other, self.node.kind)
        if not divisor.array.all():
            fail("division by zero", "Divide by numbers other than 0.")
        return _combine(Op.MULTIPLY, self, 1.0 / divisor.array)

    def __matmul__(self, other: Any) -> Vector:
        """The product with a plain matrix of one row for each element, or the inner product with a vector."""
        if isinstance(other, NoVector):
            return NotImplemented
        if isinstance(other, Vector) or dimensions(other) == 1:
            return derive(Op.SUM, self * other, length=1)
        return multiplied(matrix_for(other, self).transposed(), self)

    def __rmatmul__(self, other: Any) -> Vector:
        if dimensions(other) == 1:
            return derive(Op.SUM, self * other, length=1)
        return multiplied(matrix_for(other, self), self)

    def sum(self) -> Vector:
        """The sum of all elements: a vector of length 1."""
        return derive(Op.SUM, self, length=1)

    def mean(self) -> Vector:
        """The mean of all elements: a vector of length 1. Only for reals."""
        if self.node.kind is Kind.INTEGER:
            fail(
                "the mean of integers is not an integer, but integers are computed exactly",
                f"Use fh.sum and divide the decrypted result by {len(self):,}, or declare fh.reals.",
            )
        return derive(Op.MEAN, self, length=1)

    def rotate(self, steps: int) -> Vector:
        """Element i of the result is element (i + steps) mod n: positive steps move elements to the left."""
        if not is_whole(steps):
            fail(
                f"a vector can be rotated by a whole number of steps, not by {steps!r}",
                "Write fh.rotate(x, 1).",
            )
        steps = int(steps) % len(self)
        return derive(Op.ROTATE, self, attribute=steps) if steps else self

    def __getitem__(self, index: Any) -> Vector:
        """The elements that numpy selects: x[2:8], x[::-1], x[[0, 5, 5]]; x[3] is a vector of length 1."""
        return selected(self, _places(index, len(self)))

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **settings: Any) -> Any:
        return by_numpy.ufunc(ufunc.__name__, method, operands, settings)

    def __array_function__(self, function: Any, types: Any, operands: Any, settings: Any) -> Never:
        by_numpy.function(function.__name__)

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        fail(
            "numpy cannot compute on an encrypted vector",
            "Use fh's functions: fh.sqrt, fh.exp, fh.sum, fh.approximate, fh.matmul for a sparse matrix, ...",
        )


def _exponent(given: Any) -> int:
    """The exponent as an int from 1 to HIGHEST_POWER. CircuitError for others, with what to write instead."""
    if isinstance(given, Vector):
        fail("an encrypted exponent cannot be used", "Write fh.exp(x * log(base), low=..., high=...).")
    number = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    whole = number and 1 <= given <= HIGHEST_POWER and given == int(given)
    return int(given) if whole else _no_power(given, number)


def _no_power(given: Any, number: bool) -> Never:
    instead = "For other functions of each element, use fh.approximate(f, low=..., high=...)(x)."
    if number and given in _POWERS:
        instead = f"Write {_POWERS[given]}."
    said = repr(given) if len(repr(given)) < 40 else f"{type(given).__name__} {repr(given)[:30]}..."
    fail(
        f"an encrypted vector can be raised to whole powers from 1 to {HIGHEST_POWER:,}, not to {said}",
        instead,
    )


_POWERS = {
    0: "1 instead, because x ** 0 does not depend on x",
    0.5: "fh.sqrt(x, low=..., high=...)",
    -0.5: "fh.approximate(lambda v: v ** -0.5, low=..., high=...)(x)",
    -1: "fh.reciprocal(x, low=..., high=...)",
    -2: "fh.reciprocal(x, low=..., high=...) ** 2",
}


def derive(op: Op, x: Vector, *, attribute: Any = None, length: int = 0, kind: Kind | None = None) -> Vector:
    """The vector that `op` makes of x alone. It has x's length and kind unless others are given."""
    length = length or len(x)
    count(length)
    return Vector(
        node(op, x.node, attribute=attribute, length=length, kind=kind or x.node.kind, where=here())
    )


def selected(x: Vector, places: NDArray[Any]) -> Vector:
    """The vector whose element i is element places[i] of x."""
    checked_elements(len(places))
    return multiplied(Matrix.selecting(places, len(x), number_type(x.node.kind)), x)


def multiplied(matrix: Matrix, x: Vector) -> Vector:
    """The matrix times x."""
    m, n = matrix.shape
    if n != len(x):
        fail(
            f"a matrix of {m:,} x {n:,} cannot multiply a vector of {len(x):,} elements",
            f"Give a matrix with a column for each element: {m:,} x {len(x):,}.",
        )
    return derive(Op.LINEAR, x, attribute=matrix, length=m)


def matrix_for(values: Any, x: Vector) -> Matrix:
    """A checked plain matrix for an encrypted vector: rows of numbers, or a sparse matrix of scipy's."""
    if hasattr(values, "tocoo"):
        found = values.tocoo(copy=True)
        if len(found.shape) != 2 or not all(found.shape):
            fail(
                "an encrypted vector can be multiplied by a plain matrix, not by an array of shape "
                f"{found.shape}"
            )
        found.sum_duplicates()
        checked_entries(1, found.nnz)
        checked_elements(max(found.shape))
        entries = (
            numbers(found.data, x.node.kind).array if found.nnz else np.zeros(0, number_type(x.node.kind))
        )
        return Matrix(found.shape, found.row, found.col, entries)
    array = _table(values)
    return Matrix.dense(numbers(array.reshape(-1), x.node.kind).array.reshape(array.shape))


def _table(values: Any) -> NDArray[Any]:
    unmasked(values)
    try:
        array = np.asarray(values)
    except ValueError:
        fail("the rows of a plain matrix must have the same length")
    if array.dtype.kind not in "biuf" or array.ndim != 2 or not array.size:
        fail(
            "an encrypted vector can be multiplied by a plain matrix (rows of numbers), not by "
            f"{said(values)}",
            f"numpy reads {array.ndim} dimensions of {array.dtype}, but two dimensions of numbers are "
            "needed.",
        )
    checked_entries(*array.shape)
    return array


def dimensions(values: Any) -> int:
    """The dimensions of a plain operand of @: 1 for a vector, 2 for a matrix, also for a sparse one."""
    try:
        return 2 if hasattr(values, "tocoo") else np.ndim(values)
    except ValueError:
        return 2  # rows of different lengths, which are refused as a matrix


def _places(index: Any, length: int) -> NDArray[Any]:
    """The places of the elements that numpy would select. CircuitError for an index that selects none."""
    checked_elements(counted_elements(index))
    if isinstance(index, Vector):
        fail(
            "an encrypted value is not known while the circuit is traced, so that it cannot be an index",
            "Give the other elements no weight: fh.sum(fh.where(x > 3, x, 0)); for the element at an"
            " encrypted place i, fh.sum(fh.where(i == range(len(x)), x, 0)).",
        )
    try:
        places = np.atleast_1d(np.arange(length)[index])
    except (IndexError, ValueError) as error:
        fail(
            f"a vector of {length:,} elements cannot be indexed like this: {error}",
            f"Its elements are x[0] to x[{length - 1}]; x[2:8] and x[[0, 5]] select several.",
        )
    if places.ndim != 1 or not len(places):
        what = "nothing" if not places.size else "no single row of elements"
        pairs = isinstance(index, tuple) and any(part is None for part in index)
        fail(
            f"the index {said(index)} selects {what} of a vector of {length:,} elements",
            "All products of two vectors are fh.concatenate([x[i] * y for i in range(len(x))])."
            if pairs
            else f"Its elements are x[0] to x[{length - 1}]; x[2:8] and x[[0, 5]] select several.",
        )
    return places


def _combine(op: Op, left: Any, right: Any) -> Vector:
    if isinstance(left, NoVector) or isinstance(right, NoVector):
        return NotImplemented  # type: ignore[no-any-return]  # a matrix takes single values, the others none
    return Vector(combined(op, (left, right)))
