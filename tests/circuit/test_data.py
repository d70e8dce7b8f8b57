"""Data files: what they may hold, and what is said of each fault; random data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.data import lengths, other_lengths, random_data, read
from fheasible.circuit.node import Input, Kind
from fheasible.circuit.trace import App
from fheasible.errors import DataError


def app(**inputs: fh.VectorSpec) -> App:
    """An application of these inputs; what it computes does not matter here."""
    declared = tuple(Input(name, s.kind, s.length, s.low, s.high, s.modulus) for name, s in inputs.items())
    return App("application", declared, lambda **vectors: tuple(vectors.values()))


REALS = app(x=fh.reals(100, low=-1, high=1), y=fh.reals(100, low=0, high=1))
MIXED = app(k=fh.integers(100, low=0, high=15), scale=fh.reals(1, low=0, high=1))
ONE = app(x=fh.reals(100, low=-1, high=1))


def csv(folder: Path, text: str) -> Path:
    (folder / "data.csv").write_text(text, encoding="utf-8")
    return folder / "data.csv"


def test_columns_are_found_by_name_and_others_ignored(tmp_path: Path) -> None:
    found = read(csv(tmp_path, "\ufeffday, y ,x\n1,0.5,-1\n2,1,1e-3\n"), REALS.inputs)
    assert {name: v.tolist() for name, v in found.items()} == {"x": [-1.0, 0.001], "y": [0.5, 1.0]}
    assert lengths(found) == {"x": 2, "y": 2}


def test_a_shorter_column_ends_in_blank_cells(tmp_path: Path) -> None:
    found = read(csv(tmp_path, "k,scale\n3,0.5\n4.0,\n15\n\n"), MIXED.inputs)
    assert found["k"].tolist() == [3, 4, 15]
    assert found["k"].dtype == np.int64
    assert found["scale"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("declared", "text", "message"),
    [
        (REALS, "", "no column x, y; it is empty"),
        (REALS, "a,b\n1,2\n", "no column x, y; its first line is: a, b"),
        (REALS, "x,b\n1,2\n", "no column y; its first line is: x, b"),
        (REALS, "x,y,x\n1,2,3\n", "has the column x twice"),
        (REALS, "x,y\n", "no values for x"),
        (REALS, "x,y\n0,0\n0,one\n", "line 3, column y holds 'one', which is not a number"),
        (REALS, "x,y\n0,0\n,0\n0,0\n", "line 3, column x is blank between other values"),
        (REALS, "x,y\n0,nan\n", "line 2, column y is not a number"),
        (REALS, "x,y\ninf,0\n", "line 2, column x is inf, outside"),
        (REALS, "x,y\n0,0\n0,1.5\n", r"line 3, column y is 1.5, outside the declared range \[0, 1\]"),
        (REALS, "x,y\n0,0\n0,\n", "2 values for x and 1 for y, which are declared of equal length"),
        (MIXED, "k,scale\n1.5,1\n", "line 2, column k holds '1.5', which is not a whole number"),
        (MIXED, "k,scale\nnan,1\n", "line 2, column k holds 'nan', which is not a whole number"),
        (MIXED, "k,scale\n16,1\n", r"line 2, column k is 16, outside the declared range \[0, 15\]"),
        (MIXED, "k,scale\n1,1\n2,1\n", "2 values for scale, which is declared as one value"),
    ],
)
def test_faults_in_a_csv_are_named(tmp_path: Path, declared: App, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(csv(tmp_path, text), declared.inputs)
    assert "data.csv" in caught.value.message


def test_integers_of_any_size_keep_their_last_digit(tmp_path: Path) -> None:
    wide = app(k=fh.integers(2, low=0, high=2**61))
    assert read(csv(tmp_path, f"k\n{2**60 + 1}\n"), wide.inputs)["k"].tolist() == [2**60 + 1]


@pytest.mark.parametrize(
    ("declared", "array", "expected"),
    [
        (ONE, np.array([0.5, -0.5]), {"x": [0.5, -0.5]}),
        (ONE, np.array([[0.5], [-0.5]], dtype=np.float32), {"x": [0.5, -0.5]}),
        (ONE, np.array([0, 1], dtype=np.uint8), {"x": [0.0, 1.0]}),
        (REALS, np.array([[0.5, 1], [-0.5, 0]]), {"x": [0.5, -0.5], "y": [1.0, 0.0]}),
        (REALS, np.array([(1, -1)], dtype=[("y", "f8"), ("x", "f4")]), {"x": [-1.0], "y": [1.0]}),
    ],
)
def test_arrays(tmp_path: Path, declared: App, array: Any, expected: dict[str, list[float]]) -> None:
    np.save(tmp_path / "data.npy", array)
    found = read(tmp_path / "data.npy", declared.inputs)
    assert {name: v.tolist() for name, v in found.items()} == expected
    assert all(v.dtype == np.float64 for v in found.values())


@pytest.mark.parametrize(
    ("declared", "array", "message"),
    [
        (REALS, np.zeros(4), r"shape \(4,\), but the inputs are x, y"),
        (REALS, np.zeros((4, 3)), r"shape \(4, 3\)"),
        (REALS, np.zeros(1, dtype=[("x", "f8")]), "no column y; it has: x"),
        (ONE, np.array([0, np.nan]), "element 1 of x is not a number"),
        (ONE, np.array([0, 7.0]), "element 1 of x is 7.0, outside"),
        (ONE, np.array([1j]), "x holds complex numbers"),
        (
            app(k=fh.integers(3, low=0, high=9)),
            np.array([1, 2.5]),
            "element 1 of k is 2.5, which is not a whole",
        ),
        (app(k=fh.integers(3, low=0, high=9)), np.array([1, np.nan]), "element 1 of k is nan"),
    ],
)
def test_faults_in_an_array_are_named(tmp_path: Path, declared: App, array: Any, message: str) -> None:
    np.save(tmp_path / "data.npy", array)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "data.npy", declared.inputs)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("data.npy", b"no array", "not a numpy array"),
        ("data.npy", b"", "not a numpy array"),
        ("data.csv", b"x\n\xff\xfe\n", "not CSV text"),
        ("data.xlsx", b"x", "neither .csv nor .npy"),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / name, ONE.inputs)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "data.csv", ONE.inputs)
    with pytest.raises(DataError, match="is a folder"):
        read(tmp_path, ONE.inputs)


@given(st.integers(0, 2**32))
def test_random_data_lie_in_their_range_and_come_again(seed: int) -> None:
    found, again = random_data(MIXED, seed), random_data(MIXED, seed)
    assert found["k"].shape == (100,)
    assert found["k"].dtype == np.int64
    assert found["scale"].shape == (1,)
    assert 0 <= found["k"].min() <= found["k"].max() <= 15
    for name in found:
        np.testing.assert_array_equal(found[name], again[name])


def test_random_data_reach_the_whole_range_and_differ_by_seed() -> None:
    assert set(random_data(app(k=fh.integers(999, low=0, high=3)), 1)["k"].tolist()) == {0, 1, 2, 3}
    spread = random_data(app(x=fh.reals(9999, low=-1, high=3)), 1)["x"]
    assert abs(spread.mean() - 1) < 0.1
    assert spread.tolist() != random_data(app(x=fh.reals(9999, low=-1, high=3)), 2)["x"].tolist()


def test_other_lengths_than_declared_are_told_once_for_all_that_share_them() -> None:
    inputs = (
        Input("x", Kind.REAL, 100, 0, 1),
        Input("y", Kind.REAL, 100, 0, 1),
        Input("w", Kind.REAL, 3, 0, 1),
        Input("people.age", Kind.INTEGER, 8, 0, 1, table="people"),
        Input("people.pay", Kind.INTEGER, 8, 0, 1, table="people"),
    )
    counts = {"x": 7, "y": 7, "w": 3, "people.age": 1, "people.pay": 1}
    assert other_lengths(inputs, {name: np.zeros(n) for name, n in counts.items()}, "d.csv") == (
        "in d.csv, x and y each have 7 values, so this is for 7, not for the 100 that are declared; "
        "people has 1 value, so this is for 1, not for the 8 that are declared; "
        "for as many as are declared, give data of that length, or none"
    )
    assert other_lengths(inputs, {i.name: np.zeros(i.length) for i in inputs}, "d.csv") == ""
