"""Inputs that are tables: as the user declares them, and as the user's function receives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Never

from fheasible.circuit.declared import NoVector, VectorSpec
from fheasible.circuit.limits import checked_elements
from fheasible.circuit.node import Input
from fheasible.circuit.plain import is_whole
from fheasible.circuit.refusals import fail
from fheasible.units import listing

_WRITTEN = "Write fh.table(1000, age=fh.integers(low=0, high=120), salary=fh.reals(low=0, high=2e5))."


@dataclass(frozen=True, slots=True)
class TableSpec(NoVector):
    """A table as the user declares it: its columns by name, each with all rows."""

    columns: tuple[tuple[str, VectorSpec], ...]

    def inputs(self, name: str) -> tuple[Input, ...]:
        """One input for each column, named after both: people.age."""
        return tuple(
            replace(each, table=name)
            for column, spec in self.columns
            for each in spec.inputs(f"{name}.{column}")
        )


def table(rows: int | None = None, /, **columns: VectorSpec) -> TableSpec:
    """An input that is a table of so many rows: each column is an encrypted vector, t.age or t["age"].

    Columns are declared without a number of elements. Data are a CSV or Parquet file, an array or a
    dataframe, whose columns are found by their names.

    Example:
        >>> people = fh.table(100, age=fh.integers(low=0, high=120), pay=fh.reals(low=0, high=9))
        >>> app = fh.app(people=people)(lambda people: fh.sum(people.age * people.pay))
        >>> app(people={"age": [30, 40], "pay": [1.5, 2]})
        array([125.])
    """
    if rows is None:
        fail("fh.table was given no number of rows", _WRITTEN)
    if not is_whole(rows) or rows < 1:
        fail(f"fh.table takes the number of rows, a whole number of at least 1, not {rows!r}", _WRITTEN)
    checked_elements(int(rows), "a column")
    if not columns:
        fail("fh.table was given no columns", _WRITTEN)
    for name, spec in columns.items():
        _check_column(name, spec)
    return TableSpec(tuple((name, replace(spec, length=int(rows))) for name, spec in columns.items()))


def _check_column(name: str, spec: Any) -> None:
    if not isinstance(spec, VectorSpec):
        fail(f"the column {name} is no declared vector, but of type {type(spec).__name__}", _WRITTEN)
    if spec.length:
        fail(
            f"the column {name} is declared with {spec.length:,} elements, but columns have all rows",
            f"Leave the number out: {name}=fh.reals(low=0, high=1).",
        )


class Table(NoVector):
    """A table in the user's function: t.age, or t["age"], is an encrypted vector of len(t) rows."""

    __slots__ = ("_columns", "_name")

    def __init__(self, name: str, columns: Mapping[str, Any]) -> None:
        self._name, self._columns = name, dict(columns)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in self._columns:  # what numpy asks any object for
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: Any) -> Any:
        if not isinstance(name, str) or name not in self._columns:
            fail(
                f"the table {self._name} has no column {name!r}; its columns are"
                f" {listing(list(self._columns))}",
                f"Write {self._example()}. Elements are chosen in a column: {self._example()}[0:10].",
            )
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __repr__(self) -> str:
        return f"<encrypted table {self._name} of {len(self)} rows: {', '.join(self._columns)}>"

    def computed_with(self, *_: Any) -> Never:
        """Raises CircuitError: only the columns are vectors."""
        fail(
            f"the table {self._name} cannot be computed with as a whole; its columns are"
            f" {listing(list(self._columns))}",
            f"Write {self._example()}.",
        )

    def _example(self) -> str:
        first = next(iter(self._columns))
        return f"{self._name}.{first}" if first.isidentifier() else f"{self._name}[{first!r}]"


def arguments(vectors: Mapping[Input, Any]) -> dict[str, Any]:
    """What the user's function is called with: vectors by name, and tables of vectors."""
    found: dict[str, Any] = {}
    for declared, vector in vectors.items():
        if declared.table:
            found.setdefault(declared.table, {})[declared.column] = vector
        else:
            found[declared.name] = vector
    tables = {i.table for i in vectors if i.table}
    return {name: Table(name, v) if name in tables else v for name, v in found.items()}
