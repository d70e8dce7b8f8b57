"""Tables as inputs: columns as vectors, and data wherever they come from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from pyarrow import parquet

import fheasible as fh
from fheasible.circuit.data import given, lengths, random_data, read
from fheasible.circuit.node import Kind
from fheasible.errors import CircuitError, DataError
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Scheme

fh_untyped: Any = fh
AGE, SALARY = fh.integers(low=0, high=120), fh.reals(low=0, high=2e5)
AGES, SALARIES = [30, 44, 58], [1000.0, 2500.5, 400.0]
COLUMNS = {"age": AGES, "salary": SALARIES}
EXPECTED = {"people.age": AGES, "people.salary": SALARIES}


@fh.app(people=fh.table(100, age=AGE, salary=SALARY), bonus=fh.reals(1, low=0, high=10))
def total(people: Any, bonus: fh.Vector) -> fh.Vector:
    return fh.sum(people.age * people["salary"]) * bonus


@fh.app(people=fh.table(100, age=AGE, salary=SALARY))
def alone(people: Any) -> dict[str, fh.Vector]:
    return {"mean": fh.mean(people.salary), "rows": people.age + len(people)}


def test_columns_are_vectors_of_the_declared_rows() -> None:
    assert [(i.name, i.kind, i.length) for i in total.inputs] == [
        ("people.age", Kind.INTEGER, 100),
        ("people.salary", Kind.REAL, 100),
        ("bonus", Kind.REAL, 1),
    ]
    assert total.arguments == ("people", "bonus")


def test_the_clear_result() -> None:
    expected = np.dot(AGES, SALARIES) * 2
    assert total(people=COLUMNS, bonus=[2]) == pytest.approx(expected)
    assert total(**{"people.age": AGES, "people.salary": SALARIES, "bonus": [2]}) == pytest.approx(expected)
    assert alone(people=COLUMNS)["rows"].tolist() == [33, 47, 61]


@drawn(rows=st.integers(2, 70), seed=st.integers(0, 99))
def test_a_program_computes_what_numpy_does(rows: int, seed: int) -> None:
    app = fh.app(t=fh.table(rows, age=AGE, salary=SALARY))(
        lambda t: fh.sum_by(t.salary - 2 * t.age, np.arange(rows) % 3)
    )
    data = random_data(app, seed)
    difference = data["t.salary"] - 2 * data["t.age"]
    expected = [difference[k::3].sum() for k in range(min(3, rows))]
    found = simulate(lower(app.trace(), Style(Scheme.CKKS), 32), data)["result"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


class Frame:
    """What dataframes have in common: names in `columns`, and a column for each."""

    columns = ("name", "salary", "age")

    def __getitem__(self, name: str) -> Any:
        return {"age": np.array(AGES, dtype=object), "salary": np.array(SALARIES)}[name]


STRUCTURED = np.array(
    list(zip(SALARIES, AGES, strict=True)), dtype=[("salary", np.float32), ("age", np.int16)]
)
TABLES: dict[str, Any] = {
    "a dict": COLUMNS,
    "full names": EXPECTED,
    "a dict of the table": {"people": COLUMNS},
    "fields": STRUCTURED,
    "fields of the table": {"people": STRUCTURED},
    "numbers in the declared order": np.array([AGES, SALARIES]).T,
    "numbers of the table": {"people": [list(row) for row in zip(AGES, SALARIES, strict=True)]},
    "arrow": pyarrow.table({**COLUMNS, "name": ["a", "b", "c"]}),
    "arrow of the table": {"people": pyarrow.table(COLUMNS)},
    "a dataframe": Frame(),
    "a dataframe of the table": {"people": Frame()},
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_in_python(name: str) -> None:
    found = given(TABLES[name], alone.inputs)
    assert {name: v.tolist() for name, v in found.items()} == EXPECTED
    assert lengths(found) == {"people.age": 3, "people.salary": 3}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes(library: str) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"name": ["a", "b", "c"], **COLUMNS})
    found = given(frame, alone.inputs)
    assert {name: v.tolist() for name, v in found.items()} == EXPECTED
    with pytest.raises(DataError, match="row 1, column age is nan"):
        given(frames.DataFrame({"age": [1, None], "salary": [1.0, 2.0]}), alone.inputs)
    with pytest.raises(DataError, match=r"column age holds 'a', which is not a number|numbers are needed"):
        given(frames.DataFrame({"age": ["a", "b"], "salary": [1.0, 2.0]}), alone.inputs)


def stored(folder: Path, kind: str) -> Path:
    file = folder / f"data.{kind}"
    if kind == "csv":
        file.write_text("name,salary,age\na,1000,30\nb,2500.5,44\nc,400,58\n")
    elif kind == "npy":
        np.save(file, STRUCTURED)
    else:
        parquet.write_table(pyarrow.table({"name": ["a", "b", "c"], **COLUMNS}), file)
    return file


@pytest.mark.parametrize("kind", ["csv", "npy", "parquet"])
def test_tables_in_files(tmp_path: Path, kind: str) -> None:
    found = read(stored(tmp_path, kind), alone.inputs)
    assert {name: v.tolist() for name, v in found.items()} == EXPECTED


def test_two_tables_in_one_file_name_their_columns_in_full(tmp_path: Path) -> None:
    column = fh.reals(low=0, high=9)
    app = fh.app(a=fh.table(2, x=column, y=column), b=fh.table(2, x=column))(lambda a, b: a.x + b.x + a.y)
    (tmp_path / "data.csv").write_text("a.x,b.x,y\n1,2,5\n3,4,6\n")
    found = read(tmp_path / "data.csv", app.inputs)
    assert {n: v.tolist() for n, v in found.items()} == {"a.x": [1, 3], "a.y": [5, 6], "b.x": [2, 4]}
    with pytest.raises(DataError, match=r"no column a\.x, b\.x; it has: x, y"):
        given(np.zeros(2, dtype=[("x", float), ("y", float)]), app.inputs)


FAULTS: dict[str, Any] = {
    "lack salary": {"age": AGES},
    "name wage, which is not an input": {**COLUMNS, "wage": AGES},
    "the table people has no column salary; it has: age": {"people": {"age": AGES}},
    "has no column age; it has: salary": STRUCTURED[["salary"]],
    r"row 1, column age is 130, outside the declared range \[0, 120\]": {**COLUMNS, "age": [1, 130, 3]},
    "row 2, column age is 3.5, which is not a whole number": {**COLUMNS, "age": [1, 2, 3.5]},
    "row 0, column salary is not a number": {**COLUMNS, "salary": [np.nan, 2, 3]},
    "row 1, column age is nan, which is not a whole": {**COLUMNS, "age": np.array([1, None, 2])},
    "row 1, column age holds 'old', which is not": {**COLUMNS, "age": np.array([1, "old"], dtype=object)},
    "people.age holds text, but numbers are needed": {**COLUMNS, "age": ["a", "b"]},
    "people.age holds dates, but numbers are needed": {
        **COLUMNS,
        "age": np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]"),
    },
    r"3 values for people\.age and 2 for people\.salary": {**COLUMNS, "salary": [1, 2]},
    r"the table people has the shape \(3,\), but its columns are age, salary": {"people": [1, 2, 3]},
    "the rows of the table people have different lengths": {"people": [[1, 2], [3]]},
    "people.salary has masked elements": {"people": np.ma.masked_array([[1, 2]], mask=[[0, 1]])},
    "people.age has masked elements": np.ma.masked_array([[1, 2]], mask=[[1, 0]]),
    "has the column age twice": pyarrow.Table.from_arrays([[1], [1], [2]], ["age", "age", "salary"]),
    "data of type set cannot be read": {1, 2},
    "data of type int cannot be read": 3,
}


@pytest.mark.parametrize("message", FAULTS)
def test_faults_in_tables_are_named(message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        given(FAULTS[message], alone.inputs)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age\n1\n", "has no column salary; its first line is: age"),
        ("age,salary\n1,2\n130,1\n", r"line 3, column age is 130, outside the declared range \[0, 120\]"),
        ("age,salary\n1,2\n3,much\n", "line 3, column salary holds 'much', which is not a number"),
        ("age,salary\n1,2\n3,\n", r"2 values for people\.age and 1 for people\.salary"),
    ],
)
def test_faults_in_a_csv_have_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "data.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "data.csv", alone.inputs)


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "data.parquet").write_bytes(b"PAR1, perhaps")
    with pytest.raises(DataError, match="is not a Parquet file"):
        read(tmp_path / "data.parquet", alone.inputs)


def test_columns_of_unequal_length_are_told_with_the_remedy_for_where_they_come_from(tmp_path: Path) -> None:
    said = "3 values for people.age and 2 for people.salary, which are declared of equal length"
    with pytest.raises(DataError, match=f"the given data has {said}") as caught:
        given({"age": AGES, "salary": SALARIES[:2]}, alone.inputs)
    assert caught.value.remedy == "Give as many values for each."
    (tmp_path / "data.csv").write_text("age,salary\n30,1000\n44,2500.5\n58,\n")
    with pytest.raises(DataError, match=f"data.csv has {said}") as caught:
        read(tmp_path / "data.csv", alone.inputs)
    assert caught.value.remedy == "Fill the blank cells."


REFUSED: dict[str, Callable[[], Any]] = {
    "takes the number of rows, a whole number of at least 1, not 0": lambda: fh.table(0, a=AGE),
    "was given no number of rows": lambda: fh.table(a=AGE),
    "not 'a'": lambda: fh_untyped.table("a", a=AGE),
    "was given no columns": lambda: fh.table(3),
    "the column a is no declared vector": lambda: fh_untyped.table(3, a=7),
    "declared with 3 elements, but columns have all rows": lambda: fh.table(3, a=fh.reals(3, 0, 1)),
    "the input x is declared without its number of elements": lambda: fh.app(x=fh.reals(low=0, high=1)),
    "cannot be computed with outside an application": lambda: fh_untyped.table(3, a=AGE) + 1,
    "has no column 'wage'; its columns are age and salary": lambda: traced(lambda t: t.wage),
    "has no column 0": lambda: traced(lambda t: t[0]),
    "cannot be computed with as a whole": lambda: traced(lambda t: t + 1),
    "table t cannot be computed with as a whole": lambda: traced(lambda t: fh_untyped.sum(t)),
    "the table t cannot be computed with": lambda: traced(lambda t: t.age * t),
    "the table t cannot": lambda: traced(lambda t: t.age @ t),
    "its columns are age and salary": lambda: traced(lambda t: list(t)),
    "an input cannot be named": lambda: fh.app(t=fh.table(3, **{"a/b": AGE})),
    "two inputs are named t.a": lambda: fh.app(**{"t.a": fh.reals(1, 0, 1), "t": fh.table(3, a=AGE)}),
}


def traced(f: Callable[[Any], Any]) -> Any:
    return fh.app(t=fh.table(3, age=AGE, salary=SALARY))(lambda t: f(t)).trace()


@pytest.mark.parametrize("message", REFUSED)
def test_what_a_table_cannot_be_is_told(message: str) -> None:
    with pytest.raises(CircuitError) as caught:
        REFUSED[message]()
    assert message in caught.value.message
    assert caught.value.remedy
