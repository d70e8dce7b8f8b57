"""Encrypted matrices against numpy's: in the clear, and as programs on slots."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import fheasible as fh
from fheasible.circuit.data import given as checked
from fheasible.circuit.data import random_data, read
from fheasible.errors import CircuitError, DataError
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Scheme

from .alike import alike

fh_untyped: Any = fh
CKKS, BFV, T = Style(Scheme.CKKS), Style(Scheme.BFV), 65537
sides = st.integers(1, 6)

# Of a 3 x 4 matrix A, a 4 x 5 matrix B, vectors u of 3 and v of 4 elements, and a number s.
W, P = np.arange(8.0).reshape(4, 2), np.arange(6.0).reshape(2, 3)
THE_SAME: dict[str, Callable[..., Any]] = {
    "A @ B": lambda A, B, u, v, s: A @ B,
    "A @ v": lambda A, B, u, v, s: A @ v,
    "u @ A": lambda A, B, u, v, s: u @ A,
    "A @ plain": lambda A, B, u, v, s: A @ W,
    "plain @ A": lambda A, B, u, v, s: P @ A,
    "A @ plain vector": lambda A, B, u, v, s: A @ [1, 0, -1, 2],
    "plain vector @ A": lambda A, B, u, v, s: np.array([1, 0, 2]) @ A,
    "transposed": lambda A, B, u, v, s: A.T @ u,
    "transposed from the right": lambda A, B, u, v, s: v @ A.T,
    "columns of tall matrices": lambda A, B, u, v, s: B[:, :2].T @ B[:, 2:4] + B[:2, :2].T,
    "single columns": lambda A, B, u, v, s: A[:, :1].T @ A[:, 1:2],
    "twice transposed": lambda A, B, u, v, s: A.T.T @ v,
    "twice": lambda A, B, u, v, s: B.T @ A.T,
    "in succession": lambda A, B, u, v, s: u @ (A @ B) * s,
    "elementwise": lambda A, B, u, v, s: A * A - A / 2 + s * A - 1,
    "from the right": lambda A, B, u, v, s: 1 - A + np.ones((3, 4)) * A + 2 * A,
    "powers": lambda A, B, u, v, s: -(A**3),
    "plain matrix": lambda A, B, u, v, s: A * np.arange(12).reshape(3, 4),
    "row": lambda A, B, u, v, s: A[1],
    "column": lambda A, B, u, v, s: A[:, 2] + u,
    "part": lambda A, B, u, v, s: A[:2, ::2] @ A[1:, :3].T[:2],
    "element": lambda A, B, u, v, s: A[1, 2] * v,
    "reversed": lambda A, B, u, v, s: A[::-1, [3, 0]],
    "sum": lambda A, B, u, v, s: A.sum() + A.mean(),
    "of columns": lambda A, B, u, v, s: A.sum(axis=0) + A.mean(axis=0),
    "of rows": lambda A, B, u, v, s: A.sum(axis=1) - A.mean(axis=1),
    "flat": lambda A, B, u, v, s: A.ravel() ** 2,
}


def inputs(**values: Any) -> dict[str, fh.VectorSpec]:
    return {name: fh.reals(v.shape if v.ndim == 2 else len(v), low=-1, high=1) for name, v in values.items()}


@pytest.mark.parametrize("capacity", [8, 64, 4096])
@pytest.mark.parametrize("name", THE_SAME)
def test_matrices_compute_as_those_of_numpy(name: str, capacity: int) -> None:
    draw, f = np.random.default_rng(1), THE_SAME[name]
    values = {
        name: draw.uniform(-1, 1, shape)
        for name, shape in zip("ABuvs", ((3, 4), (4, 5), 3, 4, 1), strict=True)
    }
    app = fh.app(**inputs(**values))(lambda A, B, u, v, s: f(A, B, u, v, s))
    expected = np.atleast_1d(f(*values.values()))
    found = app(**values)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-12)
    flat = {name: v.reshape(-1) for name, v in values.items()}
    result = simulate(lower(app.trace(), CKKS, capacity), flat)["result"]
    np.testing.assert_allclose(result, expected.reshape(-1), atol=1e-9)


@given(m=sides, k=sides, n=sides, capacity=st.sampled_from((4, 16, 64, 512)), seed=st.integers(0, 99))
def test_products_of_integers_are_exact(m: int, k: int, n: int, capacity: int, seed: int) -> None:
    app = fh.app(A=fh.integers((m, k), low=-9, high=9), B=fh.integers((k, n), low=-9, high=9))(
        lambda A, B: A @ B
    )
    data = random_data(app, seed)
    expected = data["A"].reshape(m, k) @ data["B"].reshape(k, n)
    assert (app(**data) == expected).all()
    found = simulate(lower(app.trace(), BFV, capacity), data, T)["result"]
    assert found.tolist() == expected.reshape(-1).tolist()


@given(k=st.integers(2, 40), m=st.integers(1, 4), exact=st.booleans(), capacity=st.sampled_from((16, 512)))
@settings(max_examples=40)
def test_columns_times_columns(k: int, m: int, exact: bool, capacity: int) -> None:
    """X.T @ X, as for covariances, and X.T @ y, as for regressions."""
    made: Any = fh.integers if exact else fh.reals
    app = fh.app(X=made((k, m), low=-9, high=9), Y=made((k, m), low=-9, high=9), y=made(k, low=-9, high=9))(
        lambda X, Y, y: {"gram": X.T @ X, "two": X.T @ Y, "vector": X.T @ y}
    )
    data = random_data(app, k)
    X, Y = data["X"].reshape(k, m), data["Y"].reshape(k, m)
    expected = {"gram": X.T @ X, "two": X.T @ Y, "vector": X.T @ data["y"]}
    program = lower(app.trace(), BFV if exact else CKKS, capacity)
    found, clear = simulate(program, data, T if exact else None), app(**data)
    for name, result in expected.items():
        np.testing.assert_allclose(clear[name], result, atol=1e-9)
        np.testing.assert_allclose(found[name].astype(float), result.reshape(-1), atol=1e-6)


def test_a_gram_matrix_of_many_rows_takes_few_rotations_and_levels() -> None:
    app = fh.app(X=fh.reals((1000, 4), low=-1, high=1))(lambda X: X.T @ X)
    program = lower(app.trace(), CKKS, 4096)
    assert program.levels == 3
    assert sum(o.action is Action.ROTATE for o in program.operations) <= 40  # 163 after a transposition


def test_functions_of_vectors_take_the_elements() -> None:
    app = fh.app(A=fh.reals((2, 3), low=0, high=1))(
        lambda A: fh.matrix(fh.sqrt(A.ravel(), low=0, high=1, degree=3), A.shape)
    )
    given = np.linspace(0, 1, 6).reshape(2, 3)
    np.testing.assert_allclose(app(A=given), np.sqrt(given))


def test_sparse_and_dense_matrices_are_the_same() -> None:
    def traced(plain: Any) -> Any:
        return fh.app(A=fh.reals((3, 4), low=0, high=1))(lambda A: A @ plain).trace().outputs[0][1]

    assert alike(traced(W), traced(sparse.csr_array(W)))


REFUSED: dict[str, list[Callable[[Any, Any], Any]]] = {
    "a matrix of 3 x 4 cannot be multiplied by one of 3 x 4; The first one": [
        lambda A, x: A @ A,
        lambda A, x: fh.matmul(A, np.ones((3, 4))),
        lambda A, x: fh.matmul(np.ones((3, 4)), A),
    ],
    "3 x 4 cannot be multiplied by one of 7 x 1": [lambda A, x: A @ x],
    "1 x 7 cannot be multiplied by one of 3 x 4": [lambda A, x: x @ A],
    "3 x 4 cannot be combined with 4 x 3 elements; Use matrices of the same shape": [
        lambda A, x: A + A.T,
        lambda A, x: A * np.ones((4, 3)),
    ],
    "12 x 1 cannot be combined with 1 x 12 elements; All products of a column and a row are column @ row": [
        lambda A, x: fh.matrix(A.ravel(), (12, 1)) * fh.matrix(A.ravel(), (1, 12)),
        lambda A, x: fh.matrix(A.ravel(), (12, 1)) * np.ones((1, 12)),
    ],
    "1 x 12 cannot be combined with 12 x 1 elements; All products": [
        lambda A, x: fh.matrix(A.ravel(), (1, 12)) * fh.matrix(A.ravel(), (12, 1))
    ],
    "cannot be combined with 7 elements": [lambda A, x: A + x, lambda A, x: x * A],
    "rows of a plain matrix must have the same length": [lambda A, x: A * [[1], [1, 2]]],
    "takes + - * / ** @ and indexing, but not this; Compute on its elements, A.ravel()": [
        lambda A, x: A > 0,
        lambda A, x: fh_untyped.sum(A),
        lambda A, x: A // 2,
        lambda A, x: [row for row in A],  # noqa: C416
        lambda A, x: fh_untyped.concatenate([A, A]),
    ],
    "cannot be indexed like this": [lambda A, x: A[3], lambda A, x: A["a"], lambda A, x: A[0, 0, 0]],
    "selects no part of a matrix": [lambda A, x: A[:0], lambda A, x: A[None]],
    "an encrypted matrix has no reshape; write fh.matrix(A.ravel(), shape)": [lambda A, x: A.reshape(12)],
    "numpy.sum cannot compute on an encrypted vector": [lambda A, x: np.sum(A)],
    "the axes 0 and 1, not 2": [lambda A, x: A.sum(axis=2)],
    "7 elements do not make a matrix of 2 x 3": [lambda A, x: fh.matrix(x, (2, 3))],
    "takes an encrypted vector, and numbers of rows": [
        lambda A, x: fh_untyped.matrix(x, 7),
        lambda A, x: fh_untyped.matrix([1, 2], (1, 2)),
    ],
}


@pytest.mark.parametrize(("message", "f"), [(m, f) for m, each in REFUSED.items() for f in each])
def test_what_a_matrix_cannot_do_is_told(message: str, f: Callable[[Any, Any], Any]) -> None:
    app = fh.app(A=fh.reals((3, 4), low=0, high=1), x=fh.reals(7, low=0, high=1))(lambda A, x: f(A, x))
    with pytest.raises(CircuitError) as caught:
        app.trace()
    assert message in f"{caught.value.message}; {caught.value.remedy}"
    assert "test_encrypted_matrix.py:" in caught.value.message


@pytest.mark.parametrize("n", [(0, 3), (2, 3, 4), (2.0, 2), "22"])
def test_other_shapes_are_refused(n: Any) -> None:
    with pytest.raises(CircuitError, match="number of elements of a vector must be a whole number"):
        fh.reals(n, low=0, high=1)


MATRIX = fh.app(A=fh.reals((2, 3), low=0, high=9))(lambda A: A).inputs


def test_data_of_a_matrix(tmp_path: Any) -> None:
    array = np.arange(6).reshape(2, 3)
    np.save(tmp_path / "data.npy", array)
    (tmp_path / "data.csv").write_text("A\n0\n1\n2\n3\n4\n5\n")
    for found in (
        checked({"A": array}, MATRIX),
        checked({"A": array.tolist()}, MATRIX),
        checked(array, MATRIX),
        checked({"A": np.arange(6)}, MATRIX),
        read(tmp_path / "data.npy", MATRIX),
        read(tmp_path / "data.csv", MATRIX),
    ):
        assert found["A"].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"A": np.zeros((3, 2))}, r"A has the shape \(3, 2\), but 2 x 3 is needed"),
        ({"A": np.zeros(5)}, "5 values for A, which is declared as a matrix of 2 x 3"),
        ({"A": [[1, 2, 3], [4, 5, 60]]}, r"row 1, column 2 of A is 60, outside the declared range \[0, 9\]"),
        (np.zeros((3, 2)), r"A has the shape \(3, 2\)"),
    ],
)
def test_faults_in_a_matrix_are_named(values: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        checked(values, MATRIX)
