"""Plain matrices, stored by their entries that are not zero: the linear maps of encrypted vectors."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array

_WORD = 2**62
Found = TypeVar("Found")


class Matrix:
    """A read-only plain matrix, float64 or int64, that compares and hashes by content.

    Entry k is `values[k]` in row `rows[k]` and column `columns[k]`. Entries are ordered by rows, then by
    columns, and none is zero.
    """

    __slots__ = ("__weakref__", "_key", "columns", "known", "rows", "shape", "values")

    def __init__(self, shape: tuple[int, int], rows: Array, columns: Array, values: Array) -> None:
        """The matrix with these entries, in any order. No two of them may have the same place."""
        there = np.flatnonzero(values)
        order = there[np.lexsort((columns[there], rows[there]))]
        kind = np.int64 if np.asarray(values).dtype.kind in "iub" else np.float64
        self.shape = shape
        self.rows: NDArray[np.int64] = np.asarray(rows, dtype=np.int64)[order]
        self.columns: NDArray[np.int64] = np.asarray(columns, dtype=np.int64)[order]
        self.values: Array = np.asarray(values).astype(kind)[order]
        for array in (self.rows, self.columns, self.values):
            array.setflags(write=False)
        parts = (self.rows, self.columns, self.values)
        self.known: dict[Hashable, Any] = {}  # results worked out from this matrix, kept as long as it lives
        self._key = (shape, self.values.dtype.str, *(a.tobytes() for a in parts))

    @staticmethod
    def dense(array: Array) -> Matrix:
        rows, columns = np.nonzero(array)
        return Matrix((array.shape[0], array.shape[1]), rows, columns, array[rows, columns])

    @staticmethod
    def selecting(places: Array, length: int, kind: Any = np.int64) -> Matrix:
        """The matrix whose row i selects element places[i] of a vector of that length."""
        rows = np.arange(len(places))
        return Matrix((len(places), length), rows, places, np.ones(len(places), dtype=kind))

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Matrix, (self.shape, self.rows, self.columns, self.values)

    def __repr__(self) -> str:
        return f"<Matrix {self.shape[0]} x {self.shape[1]} of {len(self):,} entries>"

    @property
    def selects(self) -> bool:
        """Whether each element of the result is an element of the operand, or zero."""
        return bool((self.values == 1).all() and (np.diff(self.rows) > 0).all())

    @property
    def differences(self) -> bool:
        """Whether each element of the result is an element of the operand less another one, or zero: the one
        in the same place less some other."""
        ones = self.values == 1
        twice = np.bincount(self.rows, minlength=1) if len(self) else np.zeros(1, dtype=np.int64)
        paired = bool(np.isin(twice, (0, 2)).all()) and 2 * int(ones.sum()) == len(self)
        in_place = bool((self.rows[ones] == self.columns[ones]).all())
        return paired and in_place and bool((self.values[~ones] == -1).all())

    @property
    def is_identity(self) -> bool:
        square = self.shape[0] == self.shape[1] == len(self)
        return square and self.selects and bool((self.rows == self.columns).all())

    @property
    def turn(self) -> int | None:
        """The steps of the cyclic rotation that this matrix performs; None if it performs no rotation."""
        n = len(self)
        if self.shape != (n, n) or not n or not self.selects:
            return None
        steps = int(self.columns[0])
        return steps if bool((self.columns == (self.rows + steps) % n).all()) else None

    @property
    def largest_row(self) -> int:
        """A bound on the sum of the magnitudes in any row of a matrix of integers."""
        if not len(self):
            return 0
        most = int(np.bincount(self.rows).max())
        return most * max(abs(int(self.values.min())), abs(int(self.values.max())))

    def once(self, key: Hashable, work_out: Callable[[], Found]) -> Found:
        """The result of `work_out`, computed only the first time for each key.

        The key names everything that the result depends on besides this matrix.
        """
        if key not in self.known:
            self.known[key] = work_out()
        found: Found = self.known[key]
        return found

    def row(self) -> Array:
        """The one row of a matrix that has one, in full."""
        return self._filled(self.shape[1], self.columns)

    def column(self) -> Array:
        """The one column of a matrix that has one, in full."""
        return self._filled(self.shape[0], self.rows)

    def _filled(self, length: int, places: Array) -> Array:
        full = np.zeros(length, dtype=self.values.dtype)
        full[places] = self.values
        return full

    def times(self, x: Array) -> Array:
        """The matrix times a vector of float64, int64 or Python integers."""
        products = self.values.astype(x.dtype) * x[self.columns]
        if x.dtype.kind == "f":
            return np.bincount(self.rows, weights=products, minlength=self.shape[0]).astype(np.float64)
        result = np.zeros(self.shape[0], dtype=x.dtype)
        np.add.at(result, self.rows, products)
        return result

    def signed_sums(self) -> tuple[Array, Array]:
        """The sums of each row's positive and negative entries; exact Python integers for integers."""
        values = self.values if self.values.dtype.kind == "f" else self.values.astype(object)
        positive, negative = (np.zeros(self.shape[0], dtype=values.dtype) for _ in range(2))
        above = self.values > 0
        np.add.at(positive, self.rows[above], values[above])
        np.add.at(negative, self.rows[~above], values[~above])
        return positive, negative

    # -- matrices made from this one; None where integers no longer fit 62 bits ----------------------

    def with_values(self, values: Array) -> Matrix:
        """A matrix with other values in the same places."""
        return Matrix(self.shape, self.rows, self.columns, values)

    def after(self, first: Matrix) -> Matrix | None:
        """The matrix that applies `first` and then this one: their product."""
        from scipy import sparse  # imported here: it takes a tenth of a second, and few applications need it

        if self._overflows(self.shape[1] * _largest(self.values) * _largest(first.values)):
            return None
        a, b = (sparse.csr_array((m.values, (m.rows, m.columns)), shape=m.shape) for m in (self, first))
        product = (a @ b).tocoo()
        return Matrix((self.shape[0], first.shape[1]), product.row, product.col, product.data)

    def transposed(self) -> Matrix:
        return Matrix((self.shape[1], self.shape[0]), self.columns, self.rows, self.values)

    def _overflows(self, bound: int) -> bool:
        return self.values.dtype.kind == "i" and bound >= _WORD


def _largest(values: Array) -> int:
    return max(abs(int(values.min())), abs(int(values.max())), 1) if len(values) else 1
