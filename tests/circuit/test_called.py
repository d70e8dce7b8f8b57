"""Applications called on clear data."""

from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.errors import CircuitError, DataError


@fh.app(x=fh.reals(4, low=0, high=4), y=fh.reals(4, low=0, high=4))
def root_and_product(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
    return {"root": fh.sqrt(x, low=0, high=4, degree=3), "product": x @ y}


@fh.app(k=fh.integers(3, low=0, high=9))
def doubled(k: fh.Vector) -> fh.Vector:
    return 2 * k


def test_results_are_arrays_by_name() -> None:
    found = root_and_product(x=[0, 1, 4], y=np.array([1, 2, 3]))  # of another length than declared
    assert found["root"].tolist() == [0, 1, 2]  # exact, not the series of degree 3
    assert found["product"].tolist() == [14]


def test_a_single_result_is_the_array_itself() -> None:
    found = doubled(k=[1, 2, 9])
    assert found.dtype == np.int64
    assert found.tolist() == [2, 4, 18]


def test_in_another_application_it_is_a_part_of_it() -> None:
    app = fh.app(k=fh.integers(3, low=0, high=9))(lambda k: doubled(k=k) + 1)
    assert app(k=[1, 2, 3]).tolist() == [3, 5, 7]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "lack k"),
        ({"k": [1], "j": [2]}, "name j, which is not an input"),
        ({"k": [1, 10]}, r"element 1 of k is 10, outside the declared range \[0, 9\]"),
        ({"k": ["a"]}, "numbers are needed"),
        ({"k": [[1]]}, "a vector is needed"),
    ],
)
def test_bad_data_are_told(values: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        doubled(**values)


def test_data_without_a_name_are_refused() -> None:
    with pytest.raises(CircuitError, match="doubled takes its inputs by name") as caught:
        doubled([1, 2, 3])
    assert caught.value.remedy == "Write doubled(k=...)."


def test_the_recipe_for_all_products_of_two_vectors_gives_them() -> None:
    app = fh.app(x=fh.integers(3, low=0, high=9), y=fh.integers(2, low=0, high=9))(
        lambda x, y: fh.concatenate([x[i] * y for i in range(len(x))])
    )
    assert app(x=[1, 2, 3], y=[4, 5]).tolist() == np.outer([1, 2, 3], [4, 5]).ravel().tolist()


def test_a_column_times_a_row_is_all_products() -> None:
    app = fh.app(x=fh.integers((3, 1), low=0, high=9), y=fh.integers((1, 2), low=0, high=9))(
        lambda x, y: x @ y
    )
    assert app(x=[[1], [2], [3]], y=[[4, 5]]).tolist() == [[4, 5], [8, 10], [12, 15]]
