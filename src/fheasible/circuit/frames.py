"""Tables as people have them in Python (dataframes, arrays with fields, dicts of columns), and which of their
columns holds which input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fheasible.circuit.node import Input
from fheasible.errors import DataError


def header_of(given: Any) -> list[str] | None:
    """The names of a table's columns: of a dict, an array with fields, a dataframe or an Arrow table. None
    for anything else."""
    if isinstance(given, Mapping):
        return [str(name) for name in given]
    if isinstance(given, np.ndarray):
        return list(given.dtype.names) if given.dtype.names is not None else None
    names = getattr(given, "column_names", None) or getattr(given, "columns", None)
    if names is None or callable(names) or not hasattr(given, "__getitem__"):
        return None
    return [str(name) for name in names]


def expanded(given: Mapping[str, Any], inputs: Sequence[Input]) -> dict[str, Any]:
    """The given values by the inputs' names, with the columns of a table that was given as one.

    {"people": a dataframe} becomes {"people.age": ..., "people.salary": ...}; of a table, columns that are no
    inputs are left out. An array of numbers has the columns in the order in which they are declared.
    """
    found: dict[str, Any] = {}
    for name, values in given.items():
        own = [i for i in inputs if i.table == name]
        found |= _parts(str(name), values, own) if own else {str(name): values}
    return found


def _parts(name: str, values: Any, inputs: Sequence[Input]) -> dict[str, Any]:
    header = header_of(values)
    if header is not None:
        there = sources(f"the table {name}", inputs, header)
        return {i.name: values[there[i.name]] for i in inputs}
    try:
        array = np.ma.asarray(values)  # which keeps what is masked, for `checked.py` to refuse
    except ValueError as error:
        raise DataError(
            f"the rows of the table {name} have different lengths",
            f"Give rows of {len(inputs)} numbers each, or a dict of columns.",
        ) from error
    if array.ndim == 2 and array.shape[1] == len(inputs):
        return {i.name: array[:, at] for at, i in enumerate(inputs)}
    columns = ", ".join(i.column for i in inputs)
    raise DataError(
        f"the table {name} has the shape {array.shape}, but its columns are {columns}",
        f"Give a dataframe, a dict of columns, or an array of shape (rows, {len(inputs)}).",
    )


def matched(inputs: Sequence[Input], header: Sequence[str]) -> dict[str, str]:
    """The name of the column for each input: that of the input, or that of its column where no other input's
    column has the same one. It need not be there."""
    columns = Counter(i.column for i in inputs)
    found = {}
    for i in inputs:
        names = [i.name, *([i.column] if columns[i.column] == 1 else [])]
        found[i.name] = next((name for name in names if name in header), names[-1])
    return found


def sources(
    file: object, inputs: Sequence[Input], header: Sequence[str], said: Callable[[], str] | None = None
) -> dict[str, str]:
    """The column for each input, as in `matched`. DataError where one is missing or there twice; `said` tells
    what is there."""
    found = matched(inputs, header)
    missing = [name for name in found.values() if name not in header]
    twice = [name for name in found.values() if header.count(name) > 1]
    if missing or twice:
        fault = (
            f"has no column {', '.join(missing)}" if missing else f"has the column {', '.join(twice)} twice"
        )
        there = said() if said else f"it has: {', '.join(header)[:80]}"
        raise DataError(
            f"{file} {fault}; {there}", f"Name its columns {', '.join(found.values())}; others are ignored."
        )
    return found
