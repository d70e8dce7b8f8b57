"""Sparse plain matrices do what numpy's full ones do."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from fheasible.circuit.matrix import Matrix

SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6))


def matrices(shape: tuple[int, int] | None = None) -> st.SearchStrategy[NDArray[np.int64]]:
    shapes = SHAPES if shape is None else st.just(shape)
    return arrays(np.int64, shapes, elements=st.integers(-3, 3))


def full(matrix: Matrix) -> NDArray[Any]:
    found = np.zeros(matrix.shape, dtype=matrix.values.dtype)
    found[matrix.rows, matrix.columns] = matrix.values
    return found


@given(matrices(), st.sampled_from([np.float64, np.int64, object]))
def test_it_multiplies_as_the_full_matrix_does(a: NDArray[np.int64], kind: Any) -> None:
    x = (np.arange(a.shape[1]) * 7 - 3).astype(kind)
    found = Matrix.dense(a).times(x)
    assert found.dtype == x.dtype
    assert found.tolist() == (a.astype(kind) @ x).tolist()


@given(matrices())
def test_it_holds_the_entries_that_are_not_zero_by_rows(a: NDArray[np.int64]) -> None:
    matrix = Matrix.dense(a)
    assert full(matrix).tolist() == a.tolist()
    assert len(matrix) == np.count_nonzero(a)
    places = matrix.rows * 100 + matrix.columns
    assert (np.diff(places) > 0).all()
    assert full(matrix.transposed()).tolist() == a.T.tolist()
    positive, negative = matrix.signed_sums()
    assert positive.tolist() == np.maximum(a, 0).sum(axis=1).tolist()
    assert negative.tolist() == np.minimum(a, 0).sum(axis=1).tolist()
    assert matrix.largest_row >= np.abs(a).sum(axis=1).max()


@given(st.data(), st.tuples(*[st.integers(1, 5)] * 3))
def test_one_after_another_is_their_product(data: st.DataObject, sizes: tuple[int, int, int]) -> None:
    k, m, n = sizes
    a, b = data.draw(matrices((k, m))), data.draw(matrices((m, n)))
    both = Matrix.dense(a).after(Matrix.dense(b))
    assert both is not None
    assert full(both).tolist() == (a @ b).tolist()
    assert both == Matrix.dense(a @ b)


@given(matrices((3, 3)), matrices((3, 3)))
def test_equal_entries_are_equal_matrices(a: NDArray[np.int64], b: NDArray[np.int64]) -> None:
    assert (Matrix.dense(a) == Matrix.dense(b)) == (a.tolist() == b.tolist())
    assert len({Matrix.dense(a), Matrix.dense(a.copy()), Matrix.dense(a.astype(np.float64))}) == 2
    assert Matrix.dense(np.zeros((2, 3))) != Matrix.dense(np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("a", "selects", "identity", "turn"),
    [
        (np.eye(3), True, True, 0),
        (np.eye(3)[:, [2, 0, 1]], True, False, 1),
        (np.eye(3)[[1, 0, 2]], True, False, None),
        (np.eye(3)[:2], True, False, None),
        (np.eye(3) * 2, False, False, None),
        (np.ones((2, 2)), False, False, None),
        (np.array([[0, 1, 0], [0, 0, 0]]), True, False, None),
    ],
)
def test_what_moves_elements_alone_is_known(
    a: NDArray[Any], selects: bool, identity: bool, turn: int | None
) -> None:
    matrix = Matrix.dense(a)
    assert (matrix.selects, matrix.is_identity, matrix.turn) == (selects, identity, turn)


def test_products_that_outgrow_62_bits_are_not_made() -> None:
    large = Matrix.dense(np.full((2, 2), 2**31))
    assert large.after(large) is None
    half = Matrix.dense(np.full((2, 2), 2**30))
    assert full(half.after(half) or half).tolist() == [[2**61] * 2] * 2
    assert Matrix.dense(np.full((2, 2), 1e300)).after(Matrix.dense(np.eye(2))) is not None


def test_entries_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Matrix.dense(np.eye(2)).values[0] = 5
