"""Encrypted matrices: a vector of all elements, row by row, that computes as numpy's matrices do."""

from __future__ import annotations

from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit import by_numpy
from fheasible.circuit.declared import NoVector, no_declaration
from fheasible.circuit.limits import checked_elements, checked_entries
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Kind, Node
from fheasible.circuit.plain import is_whole, number_type, said, unmasked
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, dimensions, matrix_for, multiplied, selected

Shape = tuple[int, int]
_TALL = 2  # times as many rows as columns: from there on, A.T @ B is made without a transposition
_METHODS = {
    "reshape": "fh.matrix(A.ravel(), shape)",
    "flatten": "A.ravel()",
    "dot": "A @ B",
    "transpose": "A.T",
    "var": "fh.var(A.ravel())",
    "std": "fh.std(A.ravel())",
    "size": "len(A.ravel())",
}


class EncryptedMatrix(NoVector):
    """An encrypted matrix, with the operators + - * / ** @, A.T, and indexing as in numpy.

    Elementwise operations take matrices of the same shape, plain ones among them, and single values. @ takes
    matrices and vectors, encrypted or plain. A[i], A[:, j] and A.ravel() are encrypted vectors, row by row.
    """

    __slots__ = ("_elements", "_of", "shape")

    def __init__(self, elements: Vector, shape: Shape, of: EncryptedMatrix | None = None) -> None:
        """The matrix of these elements; `of` is the one that it is the transpose of, if it is one."""
        self._elements, self.shape, self._of = elements, shape, of

    @property
    def T(self) -> EncryptedMatrix:  # noqa: N802  as numpy calls it
        """The transposed matrix."""
        if self._of is not None:
            return self._of
        places = self._numbered().T.reshape(-1)
        return EncryptedMatrix(selected(self._elements, places), (self.shape[1], self.shape[0]), self)

    def ravel(self) -> Vector:
        """All elements, row by row, as one encrypted vector."""
        return self._elements

    def sum(self, axis: int | None = None) -> Vector:
        """The sum of all elements; of each column with axis=0, of each row with axis=1."""
        if axis is None:
            return self._elements.sum()
        ones = np.ones(self.shape[_axis(axis)], number_type(self._kind))
        found: Vector = self.__rmatmul__(ones) if axis == 0 else self.__matmul__(ones)
        return found

    def mean(self, axis: int | None = None) -> Vector:
        """The mean of all elements; of each column with axis=0, of each row with axis=1. Only for reals."""
        if axis is None or self._kind is Kind.INTEGER:
            return self._elements.mean()
        return self.sum(axis) / self.shape[axis]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<encrypted {self._kind} matrix of {self.shape[0]} x {self.shape[1]}>"

    def __getitem__(self, index: Any) -> Any:
        """What numpy selects: a matrix, or a vector (of length 1 for a single element)."""
        no_declaration(*(index if isinstance(index, tuple) else (index,)))
        try:
            places = self._numbered()[index]
        except (IndexError, ValueError, TypeError) as error:
            fail(
                f"a matrix of {self.shape[0]:,} x {self.shape[1]:,} cannot be indexed like this: {error}",
                "Write A[i, j], A[i] for a row, A[:, j] for a column, A[0:2, 3:5] for a part.",
            )
        if places.ndim > 2 or not places.size:
            fail(f"the index {said(index)} selects no part of a matrix", "Write A[i, j], A[i] or A[:, j].")
        chosen = selected(self._elements, places.reshape(-1))
        return EncryptedMatrix(chosen, (places.shape[0], places.shape[1])) if places.ndim == 2 else chosen

    def __add__(self, other: Any) -> EncryptedMatrix:
        return self._like(self._elements + self._operand(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedMatrix:
        return self._like(self._elements - self._operand(other))

    def __rsub__(self, other: Any) -> EncryptedMatrix:
        return self._like(-self._elements + self._operand(other))

    def __mul__(self, other: Any) -> EncryptedMatrix:
        return self._like(self._elements * self._operand(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> EncryptedMatrix:
        return self._like(self._elements / self._operand(other))

    def __pow__(self, exponent: Any) -> EncryptedMatrix:
        return self._like(self._elements**exponent)

    def __neg__(self) -> EncryptedMatrix:
        return self._like(-self._elements)

    def __matmul__(self, other: Any) -> Any:
        """The product with a matrix, or with a vector, encrypted or plain."""
        if isinstance(other, EncryptedMatrix):
            _fitting(self.shape, other.shape)
            tall = self._of is not None and self._of.shape == other.shape and len(other) >= _TALL * len(self)
            found = _of_columns(self.T, other) if tall else _product(self, other)
            return EncryptedMatrix(found, (self.shape[0], other.shape[1]))
        if isinstance(other, Vector):
            _fitting(self.shape, (len(other), 1))
            if self._of is not None:  # a sum of rows takes fewer rotations than a transposition
                return self._of.__rmatmul__(other)
            m, k = self.shape
            products = self._elements * selected(other, np.tile(np.arange(k), m))
            whole = np.arange(m * k)
            ones = np.ones(m * k, number_type(products.node.kind))
            return multiplied(Matrix((m, m * k), whole // k, whole, ones), products)
        if dimensions(other) == 1:
            return self._times(matrix_for([other], self._elements).transposed()).ravel()
        return self._times(matrix_for(other, self._elements))

    def __rmatmul__(self, other: Any) -> Any:
        """A vector, encrypted or plain, or a plain matrix, times this matrix."""
        if isinstance(other, Vector):
            _fitting((1, len(other)), self.shape)
            if self._of is not None:
                return self._of.__matmul__(other)
            m, n = self.shape
            products = self._elements * selected(other, np.repeat(np.arange(m), n))
            return multiplied(block_sums(n, m, number_type(products.node.kind)), products)
        if dimensions(other) == 1:
            return self._after(matrix_for([other], self._elements)).ravel()
        return self._after(matrix_for(other, self._elements))

    def _times(self, plain: Matrix) -> EncryptedMatrix:
        """This matrix times a plain one: each row is multiplied by itself."""
        _fitting(self.shape, plain.shape)
        (m, k), n = self.shape, plain.shape[1]
        checked_entries(m, len(plain))
        own = np.arange(m)[:, None]
        rows, columns = own * n + plain.columns, own * k + plain.rows
        return self._mapped((m, n), rows, columns, np.tile(plain.values, m))

    def _after(self, plain: Matrix) -> EncryptedMatrix:
        """A plain matrix times this one: each column is multiplied by itself."""
        _fitting(plain.shape, self.shape)
        m, n = plain.shape[0], self.shape[1]
        checked_entries(n, len(plain))
        own = np.arange(n)
        rows, columns = plain.rows[:, None] * n + own, plain.columns[:, None] * n + own
        return self._mapped((m, n), rows, columns, np.repeat(plain.values, n))

    def _mapped(
        self, shape: Shape, rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]
    ) -> EncryptedMatrix:
        """The matrix of that shape whose elements are sums of products of this one's with plain values."""
        size = (shape[0] * shape[1], len(self._elements))
        checked_elements(size[0])
        whole = Matrix(size, rows.reshape(-1), columns.reshape(-1), values)
        return EncryptedMatrix(multiplied(whole, self._elements), shape)

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **settings: Any) -> Any:
        return by_numpy.ufunc(ufunc.__name__, method, operands, settings)

    def __array_function__(self, function: Any, types: Any, operands: Any, settings: Any) -> Never:
        by_numpy.function(function.__name__)

    def __getattr__(self, name: str) -> Never:
        instead = f"; write {_METHODS[name]}" if name in _METHODS else ""
        raise AttributeError(f"an encrypted matrix has no {name}{instead}")

    def computed_with(self, *_: Any) -> Never:
        """Raises CircuitError for an operator that only vectors have."""
        fail(
            f"an encrypted matrix of {self.shape[0]:,} x {self.shape[1]:,} takes + - * / ** @ and indexing,"
            " but not this",
            "Compute on its elements, A.ravel(), and make a matrix of them again: fh.matrix(x, A.shape).",
        )

    @property
    def _kind(self) -> Kind:
        found: Node = self._elements.node
        return found.kind

    def _numbered(self) -> NDArray[np.int64]:
        """The place of each element in the vector of all."""
        return np.arange(len(self._elements)).reshape(self.shape)

    def _like(self, elements: Vector) -> EncryptedMatrix:
        return EncryptedMatrix(elements, self.shape)

    def _operand(self, other: Any) -> Any:
        """The other operand of an elementwise operation: as many elements, or one."""
        if isinstance(other, EncryptedMatrix):
            self._same_shape(other.shape)
            return other.ravel()
        no_declaration(other)
        if isinstance(other, Vector):
            if len(other) > 1:
                self._same_shape((len(other),))
            return other
        unmasked(other)
        try:
            array = np.asarray(other)
        except ValueError:
            fail("the rows of a plain matrix must have the same length")
        if array.ndim == 0:
            return other
        self._same_shape(array.shape)
        return array.reshape(-1)

    def _same_shape(self, other: tuple[int, ...]) -> None:
        if other != self.shape:
            theirs = " x ".join(f"{n:,}" for n in other)
            pairs = len(other) == 2 and 1 in (self.shape[0] * other[1], self.shape[1] * other[0])
            fail(
                f"an encrypted matrix of {self.shape[0]:,} x {self.shape[1]:,} cannot be combined with"
                f" {theirs} elements",
                "All products of a column and a row are column @ row."
                if pairs
                else "Use matrices of the same shape, or single values. A vector of weights for each row is"
                " np.diag(weights) @ A.",
            )


def matrix(elements: Vector, shape: Shape) -> EncryptedMatrix:
    """A matrix of that shape, whose elements lie row by row in an encrypted vector.

    Example:
        >>> app = fh.app(x=fh.reals(4, low=0, high=9))(lambda x: fh.matrix(x, (2, 2)).T)
        >>> app(x=[1, 2, 3, 4])
        array([[1., 3.],
               [2., 4.]])
    """
    no_declaration(elements)
    whole = isinstance(shape, tuple | list) and len(shape) == 2 and all(is_whole(n) for n in shape)
    if not isinstance(elements, Vector) or not whole:
        fail(
            "fh.matrix takes an encrypted vector, and numbers of rows and columns",
            "Write fh.matrix(x, (4, 4)).",
        )
    rows, columns = (int(n) for n in shape)
    if rows < 1 or columns < 1 or rows * columns != len(elements):
        fail(
            f"{len(elements):,} elements do not make a matrix of {rows:,} x {columns:,}",
            "Give rows and columns whose product is the number of elements.",
        )
    return EncryptedMatrix(elements, (rows, columns))


def _product(a: EncryptedMatrix, b: EncryptedMatrix) -> Vector:
    """All elements of a times b, row by row: all m n k products of elements, and their sums.

    The products lie in k blocks of m n. Block l has the products of column l of a with row l of b, in the
    places where they are added up. `lowering/matrix_products.py` chooses how ciphertexts hold the blocks.
    """
    (m, k), n = a.shape, b.shape[1]
    checked_elements(m * k * n, f"the products of matrices of {m:,} x {k:,} and {k:,} x {n:,}: a vector")
    block, row, column = np.unravel_index(np.arange(k * m * n), (k, m, n))
    products = selected(a.ravel(), row * k + block) * selected(b.ravel(), block * n + column)
    return multiplied(block_sums(m * n, k, number_type(products.node.kind)), products)


def _of_columns(a: EncryptedMatrix, b: EncryptedMatrix) -> Vector:
    """All elements of A.T @ B, row by row, for matrices of the same shape, k x m, with many rows.

    Neither is transposed. The products lie in m blocks as large as A: block d has those of column i of A with
    column i + d of B, modulo m, row after row.
    """
    k, m = a.shape
    checked_elements(
        m * k * m, f"the products of {m:,} columns of {k:,} elements each with the others: a vector"
    )
    turn, row, column = np.unravel_index(np.arange(m * k * m), (m, k, m))
    other = (column + turn) % m
    products = selected(a.ravel(), row * m + column) * selected(b.ravel(), row * m + other)
    ones = np.ones(m * k * m, number_type(products.node.kind))
    return multiplied(Matrix((m * m, m * k * m), column * m + other, np.arange(m * k * m), ones), products)


def block_sums(size: int, count: int, number: type[Any]) -> Matrix:
    """The matrix that adds up so many blocks of that size, which lie one after another."""
    whole = np.arange(size * count)
    return Matrix((size, size * count), whole % size, whole, np.ones(size * count, number))


def _axis(axis: Any) -> int:
    if not is_whole(axis) or axis not in (0, 1):
        fail(f"a matrix has the axes 0 and 1, not {axis!r}", "Write axis=0 for sums of columns.")
    return int(axis)


def _fitting(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    if first[1] != second[0]:
        fail(
            f"a matrix of {first[0]:,} x {first[1]:,} cannot be multiplied by one of {second[0]:,} x"
            f" {second[1]:,}",
            "The first one needs as many columns as the second has rows; A.T is A transposed.",
        )
